"""The wire models of criteria and of the answer of a completed task run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, ConfigDict, Field, FiniteFloat, PlainSerializer, field_validator

from assay.formats.strict_model import StrictModel

DEFAULT_AXIS = "__default__"


def _as_written(weight: float) -> int | float:
    """A whole number without a point, as the document writes weights."""
    return int(weight) if weight.is_integer() and weight < 2**53 else weight


# Larger ones could not be added up.
Weight = Annotated[FiniteFloat, Field(ge=0, le=1e100)]
Weights = Annotated[FiniteFloat, Field(ge=0), PlainSerializer(_as_written, when_used="json")]


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


@dataclass(frozen=True, slots=True)
class UnusableCriterion:
    """A criterion that can't be used, and ``why``: it fails, and the others are still graded.

    The rest is taken over as far as it can be used; ``weight`` is 1 where it can't.
    """

    label: str
    why: str
    id: str | None = None
    assertion: Mapping[str, Any] = field(default_factory=dict)
    weight: float = 1
    axis: str | None = None


AskedCriterion = Criterion | UnusableCriterion


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
    """How one criterion came out.

    ``status`` is ``failed`` if the criterion itself can't be used, which ``details`` explains; otherwise it is
    ``completed``, whatever the score. ``task_run_id`` and ``criterion_id`` are null where there are none.
    """

    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)

    id: str
    task_run_id: str | None
    criterion_id: str | None
    label: str
    assert_: str | None = Field(validation_alias="assert", serialization_alias="assert")
    axis: str | None
    weight: Weights
    score: FiniteFloat = Field(ge=0, le=1)
    passed: bool
    status: Literal["completed", "failed"]
    details: str
    evidence: dict[str, Any] = Field(default_factory=dict)
    created_at: AwareDatetime = Field(strict=False)


class Completion(StrictModel):
    """The answer of a completed task run."""

    verdict: Verdict = Field(strict=False)
    score: FiniteFloat = Field(ge=0, le=1)
    axes: dict[str, AxisScore]
    criterion_runs: list[CriterionRun] = Field(default_factory=list)

    def answer(self, scored: bool = False) -> dict[str, Any]:
        """The completion as JSON. For a run that is ``scored``, without details and evidence.

        They would tell an agent what it is graded by.
        """
        left_out = {"criterion_runs": {"__all__": {"details", "evidence"}}} if scored else None
        return self.model_dump(mode="json", exclude=left_out)


PASS_FROM = 0.9


def verdict_of(score: float | None) -> Verdict:
    """The verdict on an unrounded score. None, when there was nothing to score, is a fail."""
    if score is None or score <= 0:
        return Verdict.FAIL
    return Verdict.PASS if score >= PASS_FROM else Verdict.PARTIAL
