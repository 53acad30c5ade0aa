"""Grades of an output by criteria: what a model is asked, and how its answer is read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from assay.evidence.coding_run import AgentRecord
from assay.evidence.verdict import Unparseable
from assay.judge.bounds import PromptBounds
from assay.judge.fence import line
from assay.judge.prompt import PromptFile, PromptQuestion
from assay.judge.read_object import UnusableError, find_object, object_schema, text, whole_number
from assay.judge.run_parts import PromptParts, add_work

NAME: Final = "rubric-2"
FIELDS: Final = frozenset({"criteria"})
LONGEST: Final = 200_000
LONGEST_TEXT: Final = 20_000
LONGEST_LABEL: Final = 200
MOST_ERRORS: Final = 50
_KEYS: Final = ("reasoning", "criteria", "errors")


@dataclass(frozen=True, slots=True)
class Asked:
    """One criterion: its id in this question, the dimension, its text, and the best answer."""

    id: str
    dimension: str
    text: str
    top: int


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A file that the agent left; its text is None if it is missing or can't be read, with the reason."""

    name: str
    text: str | None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class GradedWork:
    """The work to grade: the task, the files, and the agent's record."""

    task: str | None
    files: tuple[OutputFile, ...]
    agent: AgentRecord


@dataclass(frozen=True, slots=True)
class Grade:
    """The answer to one criterion."""

    score: int
    evidence: str


@dataclass(frozen=True, slots=True)
class Grades:
    """All answers by id, and the kinds of mistakes that were found, with a description each."""

    reasoning: str
    grades: dict[str, Grade]
    errors: tuple[tuple[str, str], ...]


def rubric_question(
    work: GradedWork, asked: Sequence[Asked], file: PromptFile, bounds: PromptBounds, *, planted: bool
) -> PromptQuestion:
    """The question, with the output as data and the criteria as instructions."""
    made = PromptParts()
    if work.task is not None:
        made.add("task", [line(made.middle("task", "", work.task, bounds.task))])
    each = bounds.diff // max(1, len(work.files))
    made.add("output", [_file(one, each, made) for one in work.files])
    add_work(made, work.agent, bounds)
    criteria = "\n".join(
        line({"id": one.id, "dimension": one.dimension, "criterion": one.text, "scale": f"0 to {one.top}"})
        for one in asked
    )
    return PromptQuestion(file, made.parts, _schema(asked), {"criteria": criteria}, tuple(made.cuts), planted)


def read_grades(written: str, asked: Sequence[Asked]) -> Grades | Unparseable:
    """The grades in an answer, or why it can't be used."""
    try:
        found = find_object(written, _KEYS, LONGEST, ("criteria", lambda given: _grades(given, asked))).fields
        reasoning = text(found.get("reasoning") or "", "reasoning", LONGEST_TEXT, may_be_empty=True)
        return Grades(reasoning, _grades(found["criteria"], asked), tuple(_errors(found.get("errors") or [])))
    except UnusableError as error:
        return Unparseable(f"the answer can't be used: {error}")


def _file(one: OutputFile, limit: int, made: PromptParts) -> str:
    if one.text is None:
        return line({"file": one.name, "missing": one.why})
    return line({"file": one.name, **made.middle("output", one.name, one.text, limit)})


def _grades(given: Any, asked: Sequence[Asked]) -> dict[str, Grade]:
    return {one.id: _grade(given, one) for one in asked}


def _grade(given: Any, asked: Asked) -> Grade:
    found = given.get(asked.id) if isinstance(given, dict) else None
    if not isinstance(found, dict):
        raise UnusableError(f"criteria must have an object for {asked.id}")
    score = whole_number(found.get("score"), f"the score of {asked.id}", 0, asked.top)
    return Grade(score, text(found.get("evidence") or "", "evidence", LONGEST_TEXT, may_be_empty=True))


def _errors(errors: Any) -> list[tuple[str, str]]:
    if not isinstance(errors, list) or len(errors) > MOST_ERRORS:
        raise UnusableError(f"errors must be a list of at most {MOST_ERRORS}")
    return [
        (
            text(one.get("category"), "category", LONGEST_LABEL),
            text(one.get("description") or "", "description", LONGEST_TEXT, may_be_empty=True),
        )
        for one in errors
        if isinstance(one, dict)
    ]


def _schema(asked: Sequence[Asked]) -> dict[str, Any]:
    grades = {
        one.id: object_schema(
            {"evidence": {"type": "string"}, "score": {"type": "integer", "enum": list(range(one.top + 1))}}
        )
        for one in asked
    }
    error = object_schema({name: {"type": "string"} for name in ("category", "description")})
    return object_schema(
        {
            "reasoning": {"type": "string"},
            "criteria": object_schema(grades),
            "errors": {"type": "array", "items": error, "maxItems": 10},
        }
    )
