"""A cell of the table: one row in one language. What the scorers say of it, and what is known to be wrong."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from assay.checks.assertions_not_weakened import AssertionsNotWeakened
from assay.checks.no_new_skips import NoNewSkips
from assay.core.outcome import Scored
from tests.attacks.parity import cheats_of_demands, cheats_of_flow, cheats_of_tests, honest
from tests.attacks.parity.render import CantApplyError, Way, ways
from tests.attacks.parity.table import Row
from tests.checks.fake_workspace import FakeWorkspace
from tests.yaml_files import read_yaml

GROUPS: dict[str, list[Row]] = {
    "Tests removed, emptied or hidden": [*cheats_of_tests.REMOVED, *cheats_of_tests.EMPTIED],
    "Cases removed or made easier": cheats_of_tests.CASES_GONE,
    "Tests skipped": cheats_of_tests.SKIPPED,
    "Other values expected": cheats_of_demands.OTHER_VALUES,
    "Expectations from the program itself": cheats_of_demands.FROM_THE_PROGRAM,
    "Less demanded": cheats_of_demands.LESS,
    "What always holds": cheats_of_demands.ALWAYS,
    "Never reached": cheats_of_flow.NEVER,
    "Reached only now and then": cheats_of_flow.SOMETIMES,
    "Failures lost": cheats_of_flow.LOST,
    "Helpers": cheats_of_flow.HELPERS,
    "Honest: the same in the same words": honest.SAME_WORDS,
    "Honest: the same in other words": honest.OTHER_WORDS,
    "Honest: more demanded": honest.STRONGER,
    "Honest: moved and renamed": honest.MOVED,
}
ROWS: list[Row] = [row for rows in GROUPS.values() for row in rows]
WITHOUT_READER = frozenset[str]()
"""Languages that no reader knows yet; nothing is asked of them but that their files parse."""
_ALIKE = "Both are written alike there."
KNOWN = Path(__file__).with_name("known.yaml")
WHY = Path(__file__).with_name("why.yaml")


@dataclass(frozen=True)
class Answers(FakeWorkspace):
    """A workspace in memory that reads each text once for both scorers."""

    read: dict[object, Any] = field(default_factory=dict)

    def read_apart(self, read: Callable[[Any], Any], question: Any, answer: type[Any]) -> Any:
        if (read, question) not in self.read:
            self.read[read, question] = super().read_apart(read, question, answer)
        return self.read[read, question]


@cache
def reason(row: Row, way: Way) -> str | None:
    """Why a row can't apply to a language; None if it does."""
    said = row.never.get(way.language) or row.never.get(str(way))
    if said is not None:
        return said
    try:
        before, after = texts(row, way)
    except CantApplyError as error:
        return str(error)
    return _ALIKE if before == after else None


@cache
def texts(row: Row, way: Way) -> tuple[dict[str, str], dict[str, str]]:
    """The files before and after."""
    return way.files(row.before), way.files(row.after)


def found(row: Row, way: Way) -> dict[str, list[str]]:
    """The rules that each failing scorer names."""
    before, after = texts(row, way)
    workspace = Answers(before, after)
    outcomes = {check.kind: check.run(workspace) for check in (AssertionsNotWeakened(), NoNewSkips())}
    return {kind: rules(outcome) for kind, outcome in outcomes.items() if rules(outcome)}


def rules(outcome: object) -> list[str]:
    if not isinstance(outcome, Scored):
        return []
    return [str(one["rule"]) for one in outcome.evidence["findings"]]  # type: ignore[attr-defined]


def is_right(row: Row, way: Way) -> bool:
    by = found(row, way)
    return not by if row.honest else any(kind in by for kind in row.by)


def asked(way: Way) -> list[Row]:
    """The rows that apply to a language."""
    return [row for row in ROWS if reason(row, way) is None]


def wrong(way: Way, rows: Iterable[Row]) -> set[str]:
    """The rows to which a language's answer is wrong."""
    return {row.name for row in rows if not is_right(row, way)}


@cache
def known() -> dict[str, frozenset[str]]:
    """The rows that are known to get a wrong answer, by language and library."""
    return {way: frozenset(rows) for way, rows in (read_yaml(KNOWN) or {}).items()}


@cache
def causes() -> dict[str, str]:
    """Why rows are still wrong, row by row."""
    return {row: each["why"] for each in read_yaml(WHY) for row in each["rows"]}


def read_ways() -> Iterator[Way]:
    return (way for way in ways() if way.language not in WITHOUT_READER)
