"""The answer about a run: its schema, reasoning first, and how it is read.

PASS is the verdict field and nothing else. Scores that sit oddly with it don't change it; they are noted.
"""

from typing import Any, Final

from assay.evidence.coding_run import CodingRecord
from assay.evidence.verdict import FactCheck, Judgement, ParsedVerdict, Scores, Support, Unparseable
from assay.judge.bounds import PromptBounds
from assay.judge.prompt import PromptFile, PromptQuestion
from assay.judge.read_object import UnusableError, checked_keys, object_schema, read_object, text, whole_number
from assay.judge.run_parts import run_parts

LONGEST: Final = 100_000
LONGEST_TEXT: Final = 20_000
LONGEST_LABEL: Final = 200
MOST_ROWS: Final = 100
RUBRIC: Final = ("task_completion", "instruction_adherence", "efficiency")
_SUPPORTS: Final = tuple(one.value for one in Support)
_ROW: Final = object_schema(
    {
        "claim": {"type": "string"},
        "evidence": {"type": "string"},
        "verdict": {"type": "string", "enum": list(_SUPPORTS)},
    }
)
SCHEMA: Final = object_schema(
    {
        "reasoning": {"type": "string"},
        "fact_check": {"type": "array", "items": _ROW},
        **{name: {"type": "integer", "minimum": 1, "maximum": 5} for name in RUBRIC},
        "verdict": {"type": "string", "enum": ["PASS", "FAIL"]},
        "failure_mode": {"type": ["string", "null"]},
    }
)
NAME: Final = "verdict-1"
FIELDS: Final = frozenset({"expected_outcome"})


def read_verdict(written: str) -> Judgement:
    """The verdict in an answer, or why it can't be used. No answer raises."""
    try:
        found = read_object(written, SCHEMA["required"], LONGEST)
        scores = Scores(*(whole_number(found[name], name, 1, 5) for name in RUBRIC))
        passed = _is_pass(found["verdict"])
        mode = _failure_mode(found["failure_mode"], passed)
        reasoning = text(found["reasoning"], "reasoning", LONGEST_TEXT)
        rows = tuple(_rows(found["fact_check"]))
    except UnusableError as error:
        return Unparseable(f"the answer can't be used: {error}")
    return ParsedVerdict(passed, scores, mode, reasoning, rows, tuple(_oddities(passed, scores, mode)))


def _is_pass(verdict: Any) -> bool:
    if verdict not in ("PASS", "FAIL"):
        raise UnusableError("verdict must be PASS or FAIL")
    return bool(verdict == "PASS")


def _failure_mode(mode: Any, passed: bool) -> str | None:
    if mode is None or mode == "":
        if not passed:
            raise UnusableError("failure_mode must be given where the verdict is FAIL")
        return None
    return text(mode, "failure_mode", LONGEST_LABEL)


def _rows(rows: Any) -> list[FactCheck]:
    if not isinstance(rows, list) or len(rows) > MOST_ROWS:
        raise UnusableError(f"fact_check must be a list of at most {MOST_ROWS} rows")
    return [_row(one) for one in rows]


def _row(row: Any) -> FactCheck:
    found = checked_keys(row, _ROW["required"], "a row of fact_check")
    if found["verdict"] not in _SUPPORTS:
        raise UnusableError(f"the verdict of a row must be {', '.join(_SUPPORTS)}")
    claim = text(found["claim"], "claim", LONGEST_TEXT)
    evidence = text(found["evidence"], "evidence", LONGEST_TEXT, may_be_empty=True)
    return FactCheck(claim, evidence, Support(found["verdict"]))


def _oddities(passed: bool, scores: Scores, mode: str | None) -> list[str]:
    """Ratings at odds with a verdict."""
    completion, adherence = scores.task_completion, scores.instruction_adherence
    if not passed:
        good = completion >= 4 and adherence >= 4
        return [f"FAIL, with task_completion {completion} and instruction_adherence {adherence}"] if good else []
    low = [f"PASS, with task_completion {completion}"] if completion <= 2 else []
    low += [f"PASS, with instruction_adherence {adherence}"] if adherence <= 2 else []
    return low + (["PASS, with a failure_mode"] if mode is not None else [])


def verdict_question(
    run: CodingRecord, file: PromptFile, bounds: PromptBounds, *, planted: bool, reverse: bool = False
) -> PromptQuestion:
    """The question, with everything that is known about the run. ``planted`` adds a canary.

    ``reverse`` turns the order of all parts but the task around.
    """
    made = run_parts(run, bounds)
    if reverse:
        made.parts[1:] = reversed(made.parts[1:])
    outcome = {"expected_outcome": run.expected_outcome}
    return PromptQuestion(file, made.parts, SCHEMA, outcome, tuple(made.cuts), planted)
