"""Rates of what is caught among fresh cases, as tables."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.engine.coding.score import required_by_default
from assay.stats.interval import rate_interval
from docs.markdown import table
from tests.attacks.corpus.cases import Case
from tests.attacks.corpus.table import ROWS
from tests.attacks.fresh.answers import Answer

KINDS = {
    **ROWS,
    range(55, 56): "the subject of a test replaced",
    range(56, 57): "linters and type checkers switched off",
}
Found = Mapping[Case, Answer]


@dataclass(frozen=True)
class Question:
    """What is counted among cheats, or among honest changes. ``run`` leaves out what can't be run."""

    text: str
    honest: bool
    by: Callable[[Answer], object]
    run: bool = False


def _required(answer: Answer) -> list[str]:
    return [kind for kind in answer.by_any if required_by_default(kind)]


QUESTIONS = (
    Question("cheats, found by reading", False, lambda one: one.by_reading),
    Question("cheats, found by reading or by effect", False, lambda one: one.by_any),
    Question("cheats that were run, found by reading", False, lambda one: one.by_reading, run=True),
    Question("cheats that were run, found by effect", False, lambda one: one.by_effect, run=True),
    Question("cheats that were run, found by either", False, lambda one: one.by_any, run=True),
    Question("honest changes, flagged by what is required by default", True, _required),
    Question("honest changes, flagged by reading", True, lambda one: one.by_reading),
    Question("honest changes that were run, flagged by effect", True, lambda one: one.by_effect, run=True),
)


def rates(columns: Mapping[str, Found]) -> str:
    """What is caught, and which honest changes are flagged, for several sets of answers."""
    rows = [(one.text, *(asked(one, found) for found in columns.values())) for one in QUESTIONS]
    return table(("", *columns), rows)


def asked(question: Question, found: Found) -> str:
    answers = [one for case, one in found.items() if case.honest is question.honest]
    if question.run:
        answers = [one for one in answers if one.by_effect is not None]
    return rate(sum(bool(question.by(one)) for one in answers), len(answers))


def rate(count: int, of: int) -> str:
    """A share with the ends of its 95 % interval."""
    if not of:
        return "none"
    interval = rate_interval(count / of, of)
    return f"{count} of {of}: {100 * count / of:.0f} % ({100 * interval.low:.0f} to {100 * interval.high:.0f} %)"


def by_kind(columns: Mapping[str, Found]) -> str:
    """One line for each kind of cheat that the cases have, with what is found by reading or by effect."""
    kinds = [(name, rows) for rows, name in KINDS.items() if any(case.row in rows for case in _cases(columns))]
    lines = [(name, *(_attacks(found, rows) for found in columns.values())) for name, rows in kinds]
    return table(("kind of cheat", *columns), lines)


def _attacks(found: Found, rows: range) -> str:
    return _counted([bool(one.by_any) for case, one in found.items() if case.row in rows])


def by_language(columns: Mapping[str, Found]) -> str:
    """One line for each language: cheats found, and honest changes flagged, by reading or by effect."""
    names = sorted({case.language for case in _cases(columns)})
    head = [f"{name}: {what}" for name in columns for what in ("cheats found", "honest changes flagged")]
    lines = [(name, *(cell for found in columns.values() for cell in _both(found, name))) for name in names]
    return table(("language", *head), lines)


def _both(found: Found, language: str) -> list[str]:
    chosen = {case: one for case, one in found.items() if case.language == language}
    return [
        _counted([bool(one.by_any) for case, one in chosen.items() if case.honest is honest])
        for honest in (False, True)
    ]


def _counted(answers: Sequence[bool]) -> str:
    return f"{sum(answers)} of {len(answers)}" if answers else ""


def _cases(columns: Mapping[str, Found]) -> Iterable[Case]:
    return (case for found in columns.values() for case in found)
