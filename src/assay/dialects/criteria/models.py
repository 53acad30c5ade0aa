"""The wire models of criteria and of the answer of a completed task run."""

from enum import Enum
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, PlainSerializer, field_validator

DEFAULT_AXIS = "__default__"


def _as_written(weight: float) -> int | float:
    """A whole number without a point, as the document writes weights."""
    return int(weight) if weight.is_integer() and weight < 2**53 else weight


# Larger ones could not be added up.
Weight = Annotated[FiniteFloat, Field(ge=0, le=1e100)]
Weights = Annotated[FiniteFloat, Field(ge=0), PlainSerializer(_as_written, when_used="json")]


class StrictModel(BaseModel):
    """No coercion, no unknown fields, no changes after validation."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Criterion(StrictModel):
    """One criterion. ``assertion`` is kept as written: if no check understands it, the criterion fails."""

    id: str | None = None
    task_id: str | None = None
    label: str = Field(min_length=1)
    assertion: dict[str, Any]
    weight: Weight = 1
    axis: str | None = Field(default=None, min_length=1)

    @field_validator("axis")
    @classmethod
    def _of_none(cls, axis: str | None) -> str | None:
        """``__default__`` is the name of the criteria without an axis."""
        return None if axis == DEFAULT_AXIS else axis


class CriteriaFile(StrictModel):
    """A file of criteria. ``data`` holds the values that assertions can refer to."""

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
    weight: Weights


class CriterionRun(StrictModel):
    """How one criterion came out."""

    criterion_id: str | None
    label: str
    axis: str | None
    weight: Weights
    score: FiniteFloat = Field(ge=0, le=1)
    passed: bool
    details: str
    evidence: dict[str, Any] = Field(default_factory=dict)


class Completion(StrictModel):
    """The answer of a completed task run."""

    verdict: Verdict
    score: FiniteFloat = Field(ge=0, le=1)
    axes: dict[str, AxisScore]
    criterion_runs: list[CriterionRun] = Field(default_factory=list)


PASS_FROM = 0.9


def verdict_of(score: float | None) -> Verdict:
    """The verdict on an unrounded score. None, when there was nothing to score, is a fail."""
    if score is None or score <= 0:
        return Verdict.FAIL
    return Verdict.PASS if score >= PASS_FROM else Verdict.PARTIAL
