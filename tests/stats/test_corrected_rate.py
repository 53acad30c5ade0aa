"""The rate behind an imperfect judge's verdicts."""

from typing import Any

import pytest

from assay.core.errors import InputError
from assay.stats.corrected_rate import Calibration, corrected_rate
from assay.stats.interval import CantSay, Interval


def test_a_perfect_judge_needs_no_correction() -> None:
    found = corrected_rate(30, 100, Calibration(1000, 1000, 1000, 1000))
    assert found.reported == 0.3
    assert found.value == pytest.approx(0.3)


def test_rogan_and_gladens_formula() -> None:
    """Reported 0.45, sensitivity 0.8, specificity 0.9: (0.45 + 0.9 - 1) / (0.8 + 0.9 - 1) = 0.5."""
    found = corrected_rate(45, 100, Calibration(40, 50, 45, 50))
    assert found.value == pytest.approx(0.5)
    assert isinstance(found.interval, Interval)
    # Computed by hand from the formulas of Lang and Reiczigel (2014).
    assert (found.interval.low, found.interval.high) == pytest.approx((0.328077, 0.681259), abs=1e-6)


def test_a_small_calibration_makes_it_less_sure() -> None:
    widths = []
    for factor in (1, 10):
        found = corrected_rate(450, 1000, Calibration(16 * factor, 20 * factor, 18 * factor, 20 * factor))
        assert isinstance(found.interval, Interval)
        widths.append(found.interval.high - found.interval.low)
    assert widths[0] > 2 * widths[1]


def test_a_rate_below_the_false_alarms_is_0() -> None:
    found = corrected_rate(1, 100, Calibration(45, 50, 45, 50))
    assert found.value == 0
    assert isinstance(found.interval, Interval)
    assert found.interval.low == 0 < found.interval.high


@pytest.mark.parametrize(
    ("passed", "items", "known", "reason"),
    [
        (0, 0, Calibration(1, 1, 1, 1), "judged nothing"),
        (1, 2, Calibration(0, 0, 1, 1), "needs true passes and true fails"),
        (1, 2, Calibration(5, 10, 5, 10), "no better than chance"),
    ],
)
def test_what_cant_be_corrected(passed: int, items: int, known: Calibration, reason: str) -> None:
    found = corrected_rate(passed, items, known)
    assert found.value is None
    assert isinstance(found.interval, CantSay)
    assert reason in found.interval.reason


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: corrected_rate(3, 2, Calibration(1, 1, 1, 1)), "passed items must be from 0"),
        (lambda: Calibration(3, 2, 1, 1), "number of true passes, got 3"),
        (lambda: Calibration(1, 2, -1, 1), "number of true fails, got -1"),
    ],
)
def test_counts_that_cant_be(ask: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        ask()
