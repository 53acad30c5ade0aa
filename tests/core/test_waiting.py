"""Asking again until it holds."""

from collections.abc import Callable

import pytest

from assay.core.errors import MeasurementError
from assay.core.grading import held_within
from assay.core.outcome import Outcome, Scored
from tests.fake_time import FakeTime


def answers(*passed: bool) -> tuple[Callable[[], Outcome], list[int]]:
    asked: list[int] = []

    def ask() -> Outcome:
        asked.append(1)
        held = passed[min(len(asked), len(passed)) - 1]
        return Scored(float(held), held)

    return ask, asked


@pytest.mark.parametrize(
    ("passed", "wait", "times", "held"),
    [
        ((True,), 10, 1, True),
        ((False,), 0, 1, False),
        ((False, True), 10, 2, True),
        ((False, False, True), 10, 3, True),
        ((False,), 1, 4, False),
    ],
)
def test_how_often_it_is_asked(passed: tuple[bool, ...], wait: float, times: int, held: bool) -> None:
    time = FakeTime()
    ask, asked = answers(*passed)
    outcome = held_within(wait, ask, time.clock, time.sleep)
    assert isinstance(outcome, Scored)
    assert (len(asked), outcome.passed) == (times, held)


def test_the_pauses_grow_and_end_with_the_time() -> None:
    time = FakeTime()
    held_within(20, answers(False)[0], time.clock, time.sleep)
    assert time.slept == [0.25, 0.5, 1, 2, 4, 5, 5, 2.25]


def test_a_broken_measurement_is_not_asked_again() -> None:
    time = FakeTime()

    def ask() -> Outcome:
        raise MeasurementError("down")

    with pytest.raises(MeasurementError, match="down"):
        held_within(20, ask, time.clock, time.sleep)
    assert time.slept == []
