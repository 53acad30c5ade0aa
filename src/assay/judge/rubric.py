"""Grades of an output by criteria: the question, how an answer is read, and what a verifier writes of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from assay.core.errors import MeasurementError
from assay.core.total import total
from assay.dialects.evaluation.judged_rubric import JudgedRubric
from assay.dialects.evaluation.models import ErrorSource
from assay.dialects.evaluation.rubric import RubricScore, score_rubric
from assay.dialects.evaluation.verifier_words import CONFIDENCE_KEY, TAGS_KEY
from assay.evidence.bounds import json_text
from assay.evidence.coding_run import AgentRecord
from assay.evidence.verdict import Unparseable
from assay.formats.counting import counted
from assay.judge.bounds import PromptBounds
from assay.judge.fence import line
from assay.judge.model import AskAll, Manner, ModelAnswer, ModelClient, ask_panel
from assay.judge.prompt import PromptFile, PromptQuestion
from assay.judge.read_object import UnusableError, find_object, object_schema, text, whole_number
from assay.judge.run_parts import PromptParts, add_work

NAME: Final = "rubric-2"
FIELDS: Final = frozenset({"criteria"})
LONGEST: Final = 200_000
LONGEST_TEXT: Final = 20_000
LONGEST_LABEL: Final = 200
MOST_ERRORS: Final = 50
NO_OUTPUT: Final = "missing output"
_KEYS: Final = ("reasoning", "criteria", "errors")


@dataclass(frozen=True, slots=True)
class AskedDimension:
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
    work: GradedWork, asked: Sequence[AskedDimension], file: PromptFile, bounds: PromptBounds, *, planted: bool
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


def read_grades(written: str, asked: Sequence[AskedDimension]) -> Grades | Unparseable:
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


def _grades(given: Any, asked: Sequence[AskedDimension]) -> dict[str, Grade]:
    return {one.id: _grade(given, one) for one in asked}


def _grade(given: Any, asked: AskedDimension) -> Grade:
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


def _schema(asked: Sequence[AskedDimension]) -> dict[str, Any]:
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


@dataclass(frozen=True, slots=True)
class RubricReward:
    """The reward and the content of details.json."""

    reward: float
    details: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RubricJudge:
    """Some models, and how they are asked."""

    clients: Sequence[ModelClient]
    prompt: PromptFile
    manner: Manner
    bounds: PromptBounds
    samples: int = 1
    canary: bool = True
    ask_all: AskAll[Grades] = map


def judge_rubric(rubric: JudgedRubric, work: GradedWork, judge: RubricJudge) -> RubricReward:
    """Grade an output. The score of a criterion is the median of all answers.

    Raises ``MeasurementError`` if not more than half of the answers can be used: then there is no reward, which is
    not a reward of 0. Without any output there is nothing to judge, and that is one.
    """
    if all(file.text is None for file in work.files):
        return _without_output(rubric, work)
    asked = _asked_criteria(rubric)
    question = rubric_question(work, asked, judge.prompt, judge.bounds, planted=judge.canary)
    read = lambda text: read_grades(text, asked)  # noqa: E731 - used once
    answers = ask_panel(judge.clients, judge.samples, question, judge.manner, read, judge.ask_all)
    said = [one.said for one in answers if isinstance(one.said, Grades)]
    if len(said) * 2 <= len(answers):
        why = next(one.said.why for one in answers if isinstance(one.said, Unparseable))
        raise MeasurementError(f"{len(said)} of {len(answers)} answers of the judge can be used: {why}")
    score = _score(rubric, asked, said)
    rewards = [_score(rubric, asked, [one]).reward for one in said]
    return RubricReward(score.reward, _details(score, said, rewards, answers, judge))


def _asked_criteria(rubric: JudgedRubric) -> list[AskedDimension]:
    every = [(one.name, criterion) for one in rubric.dimensions for criterion in one.asked]
    return [AskedDimension(f"c{number}", name, one.text, one.top) for number, (name, one) in enumerate(every, 1)]


def _score(rubric: JudgedRubric, asked: Sequence[AskedDimension], said: Sequence[Grades]) -> RubricScore:
    """The rubric by the median of the grades; a dimension is the mean of its criteria by their weight."""
    ids = iter(asked)
    scores: dict[str, Any] = {}
    for dimension in rubric.dimensions:
        parts, words = [], []
        for criterion in dimension.asked:
            one = next(ids)
            got = median(answer.grades[one.id].score for answer in said)
            parts.append(criterion.weight * got / one.top)
            words.append(f"{one.text}: {got:g} of {one.top}. {said[0].grades[one.id].evidence}".strip())
        share = total(parts) / total([criterion.weight for criterion in dimension.asked])
        scores[dimension.name] = {"score": dimension.max_score * share, "evidence": json_text("\n".join(words))}
    return score_rubric(rubric, scores)


def _details(
    score: RubricScore,
    said: Sequence[Grades],
    rewards: Sequence[float],
    answers: Sequence[ModelAnswer[Grades]],
    judge: RubricJudge,
) -> dict[str, Any]:
    models = ", ".join(client.model for client in judge.clients)
    unused = len(answers) - len(said)
    left_out = f", {unused} more unusable" if unused else ""
    method = f"range of {counted(len(said), 'answer')} of {models} with {judge.prompt.name}{left_out}"
    tags = dict.fromkeys((category, what) for one in said for category, what in one.errors)
    return {
        **score.to_details(),
        CONFIDENCE_KEY: {
            "confidence_interval": {"low": min(rewards), "high": max(rewards)},
            "confidence_method": method,
        },
        TAGS_KEY: [_tag(category, what, ErrorSource.JUDGE) for category, what in tags],
    }


def _without_output(rubric: JudgedRubric, work: GradedWork) -> RubricReward:
    why = "; ".join(f"{file.name}: {file.why}" for file in work.files)
    score = score_rubric(
        rubric, {one.name: {"score": 0.0, "evidence": json_text(why)} for one in rubric.dimensions}
    )
    return RubricReward(
        score.reward, {**score.to_details(), TAGS_KEY: [_tag(NO_OUTPUT, why, ErrorSource.MECHANICAL)]}
    )


def _tag(category: str, description: str, source: ErrorSource) -> dict[str, str]:
    return {"category": json_text(category), "description": json_text(description), "source": source.value}
