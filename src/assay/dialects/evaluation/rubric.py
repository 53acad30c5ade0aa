"""The rubric scorer: dimensions, each with a weight and a top score, rolled up into one reward.

A verifier or a judge calls it before it writes its artifacts. A dimension without a score counts 0 and says so;
a top score of 0 or less makes its dimension 0; no dimensions, or no weight at all, is a reward of 0.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from pydantic import Field, FiniteFloat, field_validator

from assay.core.grading import Placed, Placement
from assay.core.outcome import Scored
from assay.core.rollup import Unscored, lowest, weighted_mean
from assay.formats.strict_model import StrictModel

DECIMALS = 4
NO_SCORE = "No score provided"


class Strategy(Enum):
    """How dimensions become a reward: the mean by weight, or the worst of them."""

    WEIGHTED_MEAN = "weighted_mean"
    MIN = "min"


class Dimension(StrictModel):
    """One thing that is judged."""

    name: str = Field(min_length=1)
    weight: FiniteFloat = Field(default=1.0, ge=0)
    max_score: FiniteFloat = 1.0
    description: str | None = None


class Rubric(StrictModel):
    """The judged dimensions, and how they add up. An unknown strategy is refused on loading."""

    dimensions: list[Dimension]
    strategy: Strategy = Field(default=Strategy.WEIGHTED_MEAN, strict=False)

    @field_validator("dimensions")
    @classmethod
    def _names_differ(cls, dimensions: list[Dimension]) -> list[Dimension]:
        names = [dimension.name for dimension in dimensions]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"dimensions must have different names, but several are called {', '.join(twice)}")
        return dimensions


@dataclass(frozen=True, slots=True)
class DimensionScore:
    """The score of one dimension as it was given, and what it came to between 0 and 1."""

    name: str
    score: float
    max_score: float
    normalised: float
    evidence: str | None


@dataclass(frozen=True, slots=True)
class RubricScore:
    """The reward of a rubric, rounded to four decimals, and how it came about."""

    reward: float
    dimensions: list[DimensionScore]

    def to_details(self) -> dict[str, dict[str, Any]]:
        """The content of details.json."""
        return {
            one.name: {"score": one.score, "max_score": one.max_score, "evidence": one.evidence}
            for one in self.dimensions
        }


def score_rubric(rubric: Rubric, scores: Mapping[str, float | Mapping[str, Any]]) -> RubricScore:
    """Score a rubric. ``scores`` has, by dimension, a number or ``{"score": …, "max_score": …, "evidence": …}``.

    All three may be left out; ``None`` is no score. A score for a dimension that the rubric doesn't have, one
    that isn't a finite number, another top score than the rubric's, and an unknown key are mistakes of the
    caller and raise ValueError.
    """
    unknown = sorted(set(scores) - {dimension.name for dimension in rubric.dimensions})
    if unknown:
        raise ValueError(f"the rubric has no dimension {', '.join(unknown)}")
    judged = [_judge(dimension, scores.get(dimension.name)) for dimension in rubric.dimensions]
    placed = [
        Placed(Placement(one.name, weight=dimension.weight), Scored(one.normalised, one.normalised == 1))
        for one, dimension in zip(judged, rubric.dimensions, strict=True)
    ]
    rolled = (
        lowest(placed, Unscored.ZERO) if rubric.strategy is Strategy.MIN else weighted_mean(placed, Unscored.ZERO)
    )
    return RubricScore(round(rolled or 0.0, DECIMALS), judged)


def _judge(dimension: Dimension, given: float | Mapping[str, Any] | None) -> DimensionScore:
    said: Mapping[str, Any] = given if isinstance(given, Mapping) else {"score": given}
    _check_keys(dimension, said)
    score, evidence = said.get("score"), said.get("evidence")
    if score is None:
        return DimensionScore(dimension.name, 0.0, dimension.max_score, 0.0, NO_SCORE)
    if isinstance(score, bool) or not isinstance(score, int | float) or not -math.inf < score < math.inf:
        raise ValueError(f"the score of {dimension.name} must be a finite number, got {score!r}")
    top = dimension.max_score
    # Clamped before it is divided: an int may be beyond what a float can hold.
    normalised = 0.0 if top <= 0 or score <= 0 else 1.0 if score >= top else score / top
    return DimensionScore(dimension.name, score, top, normalised, evidence)


def _check_keys(dimension: Dimension, said: Mapping[str, Any]) -> None:
    """A score out of 100, divided by the rubric's own top score, would be a reward that nobody meant."""
    unknown = sorted(set(said) - {"score", "max_score", "evidence"})
    if unknown:
        raise ValueError(f"the score of {dimension.name} has an unknown key {', '.join(map(str, unknown))}")
    top = said.get("max_score", dimension.max_score)
    if top != dimension.max_score:
        own = f"{dimension.max_score:g} as in the rubric"
        raise ValueError(f"the max_score of {dimension.name} must be {own}, got {top!r}")
