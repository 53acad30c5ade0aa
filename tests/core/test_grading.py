"""The one boundary at which an exception becomes data."""

import builtins
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import AssayError, InputError, MeasurementError
from assay.core.grading import Ask, Placed, PlacedCheck, Placement, grade
from assay.core.outcome import Errored, NotApplicable, Outcome, Scored


@dataclass(frozen=True)
class Says:
    """A check that answers with what it was given."""

    answer: Outcome
    kind: ClassVar[str] = "says"

    def run(self, _evidence: str) -> Outcome:
        return self.answer


@dataclass(frozen=True)
class Raises:
    """A check that breaks."""

    error: BaseException
    kind: ClassVar[str] = "raises"

    def run(self, _evidence: str) -> Outcome:
        raise self.error


class UnprintableError(Exception):
    """An exception that breaks once more when it is asked for its text."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


def test_answers_come_in_the_order_of_the_checks() -> None:
    answers: list[Outcome] = [Scored(1, passed=True), NotApplicable("n"), Errored("e", "E")]
    placements = [Placement(f"check {i}", weight=i) for i in range(3)]
    checks = [PlacedCheck(p, Says(a)) for p, a in zip(placements, answers, strict=True)]
    assert grade(checks, "evidence") == tuple(Placed(p, a) for p, a in zip(placements, answers, strict=True))


def test_no_checks_no_answers() -> None:
    assert grade([], "evidence") == ()


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ValueError("wrong"), Errored("wrong", "ValueError")),
        (KeyError("name"), Errored("'name'", "KeyError")),
        (RuntimeError(), Errored("RuntimeError", "RuntimeError")),
        (RecursionError("too deep"), Errored("too deep", "RecursionError")),
        (MemoryError(), Errored("MemoryError", "MemoryError")),
        (AssertionError(), Errored("AssertionError", "AssertionError")),
        (StopIteration(), Errored("StopIteration", "StopIteration")),
        (FileNotFoundError(2, "gone"), Errored("[Errno 2] gone", "FileNotFoundError")),
        (InputError("bad file"), Errored("bad file", "InputError")),
        (AssayError("on purpose"), Errored("on purpose", "AssayError")),
    ],
)
def test_a_check_that_raises_is_errored_and_the_others_go_on(error: Exception, expected: Errored) -> None:
    checks = [
        PlacedCheck(Placement("broken"), Raises(error)),
        PlacedCheck(Placement("fine"), Says(NotApplicable(""))),
    ]
    assert [placed.outcome for placed in grade(checks, "evidence")] == [expected, NotApplicable("")]


BUILTIN = [e for e in vars(builtins).values() if isinstance(e, type) and issubclass(e, Exception)]


@given(st.sampled_from(BUILTIN), st.text())
def test_every_builtin_exception_is_data(exception: type[Exception], text: str) -> None:
    try:
        error = exception(text)
    except TypeError:  # A few need more than a text.
        return
    [placed] = grade([PlacedCheck(Placement("broken"), Raises(error))], "evidence")
    assert placed.outcome == Errored(str(error) or exception.__name__, exception.__name__)


def test_an_exception_without_a_text_is_data_too() -> None:
    [placed] = grade([PlacedCheck(Placement("broken"), Raises(UnprintableError()))], "evidence")
    assert isinstance(placed.outcome, Errored)
    assert placed.outcome.error_type == "UnprintableError"


def test_a_check_that_makes_an_impossible_score_is_errored() -> None:
    class Overdoes:
        kind: ClassVar[str] = "overdoes"

        def run(self, _evidence: str) -> Outcome:
            return Scored(1.5, passed=True)

    [placed] = grade([PlacedCheck(Placement("too good"), Overdoes())], "evidence")
    assert isinstance(placed.outcome, Errored)


def test_a_measurement_that_broke_stops_the_grading() -> None:
    checks = [
        PlacedCheck(Placement("fine"), Says(Scored(1, passed=True))),
        PlacedCheck(Placement("down"), Raises(MeasurementError("the source is down"))),
    ]
    with pytest.raises(MeasurementError, match="the source is down"):
        grade(checks, "evidence")


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, SystemExit])
def test_an_interruption_is_not_a_broken_check(interruption: type[BaseException]) -> None:
    with pytest.raises(interruption):
        grade([PlacedCheck(Placement("any"), Raises(interruption()))], "evidence")


def test_checks_may_be_asked_in_another_order_and_still_stop_at_a_broken_measurement() -> None:
    def backwards(ask: Ask[str], checks: Iterable[PlacedCheck[str]]) -> Iterable[Placed]:
        return reversed([ask(one) for one in reversed(list(checks))])

    checks = [PlacedCheck(Placement(name), Raises(ValueError(name))) for name in ("first", "second")]
    answers = grade(checks, "evidence", backwards)
    assert [placed.outcome for placed in answers] == [Errored(n, "ValueError") for n in ("first", "second")]
    with pytest.raises(MeasurementError):
        grade([*checks, PlacedCheck(Placement("down"), Raises(MeasurementError("down")))], "evidence", backwards)
