"""The rate behind what an imperfect judge says: corrected for the judge's own mistakes (Rogan and Gladen)."""

import math
from dataclasses import dataclass

from assay.core.errors import InputError
from assay.stats.interval import LEVEL, CantSay, Interval, normal_quantile, square


@dataclass(frozen=True, slots=True)
class Calibration:
    """How often a judge was right on items whose truth is known: passes that it passed, fails that it failed."""

    passed_of_true_passes: int
    true_passes: int
    failed_of_true_fails: int
    true_fails: int

    def __post_init__(self) -> None:
        for right, all_of_them, what in (
            (self.passed_of_true_passes, self.true_passes, "true passes"),
            (self.failed_of_true_fails, self.true_fails, "true fails"),
        ):
            if not 0 <= right <= all_of_them:
                raise InputError(f"right answers must be from 0 to the number of {what}, got {right}")


@dataclass(frozen=True, slots=True)
class CorrectedRate:
    """The rate that a judge reported, and the one that its mistakes lead one to expect."""

    reported: float | None
    value: float | None
    interval: Interval | CantSay


def corrected_rate(passed: int, items: int, known: Calibration, level: float = LEVEL) -> CorrectedRate:
    """The true pass rate of items of which a judge passed so many.

    The interval (Lang and Reiczigel) allows for chance in both samples: the judged items and the calibration.
    """
    if not 0 <= passed <= items:
        raise InputError(f"passed items must be from 0 to the number of items ({items}), got {passed}")
    reported = passed / items if items else None
    if reported is None:
        return CorrectedRate(None, None, CantSay("the judge has judged nothing"))
    if not known.true_passes or not known.true_fails:
        return CorrectedRate(reported, None, CantSay("the calibration needs true passes and true fails"))
    sensitivity = known.passed_of_true_passes / known.true_passes
    specificity = known.failed_of_true_fails / known.true_fails
    if sensitivity + specificity <= 1:
        return CorrectedRate(reported, None, CantSay("the judge is no better than chance on the calibration"))
    value = (reported + specificity - 1) / (sensitivity + specificity - 1)
    return CorrectedRate(reported, min(1.0, max(0.0, value)), _interval(passed, items, known, level))


def _interval(passed: int, items: int, known: Calibration, level: float) -> Interval | CantSay:
    """With a few made-up answers added to each sample, as Agresti and Coull do for a single rate."""
    z = normal_quantile((1 + level) / 2)
    n, passes, fails = items + z * z, known.true_passes + 2, known.true_fails + 2
    rate = (passed + z * z / 2) / n
    sensitivity = (known.passed_of_true_passes + 1) / passes
    specificity = (known.failed_of_true_fails + 1) / fails
    skill = sensitivity + specificity - 1
    if skill <= 0:
        return CantSay("the calibration is too small to tell the judge from chance")
    value = (rate + specificity - 1) / skill
    of_passes = sensitivity * (1 - sensitivity) / passes
    of_fails = specificity * (1 - specificity) / fails
    shift = 2 * z * z * (value * of_passes - (1 - value) * of_fails)
    spread = rate * (1 - rate) / n + square(1 - value) * of_fails + square(value) * of_passes
    half = z * math.sqrt(spread) / skill
    low, high = value + shift - half, value + shift + half
    return Interval(min(1.0, max(0.0, low)), max(0.0, min(1.0, high)), level, "Rogan-Gladen, Lang-Reiczigel")
