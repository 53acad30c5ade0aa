"""The wire models of criteria, and of what a completed task run answers."""

from enum import Enum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

DEFAULT_AXIS = "__default__"


class StrictModel(BaseModel):
    """No coercion, no unknown fields, no changes after validation."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Criterion(StrictModel):
    """One criterion. ``assertion`` is kept as written: one that is not understood is a failed criterion."""

    id: str | None = None
    task_id: str | None = None
    label: str = Field(min_length=1)
    assertion: dict[str, Any]
    weight: FiniteFloat = Field(default=1, ge=0)
    axis: str | None = Field(default=None, min_length=1)


class CriteriaFile(StrictModel):
    """A file of criteria. ``data`` has the values that assertions may refer to."""

    criteria: list[Criterion]
    data: dict[str, Any] = Field(default_factory=dict)


class Verdict(Enum):
    """pass from 0.9 on, partial above 0, fail otherwise."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    PARTIAL = "partial"
    FAIL = "fail"


class AxisScore(StrictModel):
    """The weighted mean of an axis, and the sum of its weights."""

    score: FiniteFloat = Field(ge=0, le=1)
    weight: FiniteFloat = Field(ge=0)


class CriterionRun(StrictModel):
    """How one criterion came out."""

    criterion_id: str | None
    label: str
    axis: str | None
    weight: FiniteFloat
    score: FiniteFloat = Field(ge=0, le=1)
    passed: bool
    details: str
    evidence: dict[str, Any] = Field(default_factory=dict)


class Completion(StrictModel):
    """What a completed task run answers."""

    verdict: Verdict
    score: FiniteFloat = Field(ge=0, le=1)
    axes: dict[str, AxisScore]
    criterion_runs: list[CriterionRun] = Field(default_factory=list)


PASS_FROM = 0.9


def verdict_of(score: float | None) -> Verdict:
    """By the raw score, not a rounded one. None, where there was nothing to score, is a fail."""
    if score is None or score <= 0:
        return Verdict.FAIL
    return Verdict.PASS if score >= PASS_FROM else Verdict.PARTIAL
