"""The wire models of the evaluation document: strict, frozen, extras forbidden.

The one rule across fields: output that can't be parsed forbids a reward above 0. The other two flags of a
``ValidityCheck`` are diagnostic; they force nothing by themselves.
"""

from datetime import datetime
from enum import Enum
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, FiniteFloat, model_validator


class StrictModel(BaseModel):
    """The settings of every model here: no coercion, no unknown fields, no changes after validation."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def _from_text(value: object) -> object:
    """A time as JSON has it, in ISO 8601, so that ``json.load`` of a record can be validated like the record."""
    if not isinstance(value, str):
        return value
    try:
        return datetime.fromisoformat(value)
    except ValueError as error:
        raise ValueError(f"must be a time such as 2026-01-02T03:04:05Z, got {value[:100]!r}") from error


Timestamp = Annotated[datetime, BeforeValidator(_from_text)]


class VerifierSpec(StrictModel):
    """How a task is verified: the script, the output that it reads, and the artifacts that it writes."""

    script: str
    expected_output_path: str
    reward_path: str
    details_path: str | None = None


class ValidityCheck(StrictModel):
    """Whether the output could be scored at all."""

    output_parseable: bool
    schema_valid: bool
    verifier_completed: bool
    errors: list[str] = Field(default_factory=list)


class ErrorSource(Enum):
    """Who classified a failure: the runner or verifier, a reviewer, or an automated judge."""

    MECHANICAL = "mechanical"
    HUMAN = "human"
    JUDGE = "judge"


class ErrorTag(StrictModel):
    """A classified failure, for grouping in reports. Tasks choose their own categories."""

    category: str = Field(min_length=1)
    description: str | None = None
    source: ErrorSource = Field(strict=False)


class ConfidenceInterval(StrictModel):
    """The ends of an interval around a reward or a rate."""

    low: FiniteFloat
    high: FiniteFloat

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.low > self.high:
            raise ValueError(f"low must not be above high, got {self.low} and {self.high}")
        return self


class ConfidenceMetadata(StrictModel):
    """How sure a result is. Every field is optional."""

    annotator_count: int | None = Field(default=None, ge=0)
    inter_rater_agreement: FiniteFloat | None = Field(default=None, ge=0, le=1)
    confidence_interval: ConfidenceInterval | None = None
    confidence_method: str | None = None


class Judgment(Enum):
    """A reviewer's verdict."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    FAIL = "fail"
    DEFER = "defer"


class Annotation(StrictModel):
    """A reviewer's verdict on a result. It is kept beside the reward and never replaces it."""

    reviewer_id: str = Field(min_length=1)
    reviewer_discipline: str | None = None
    timestamp: Timestamp
    judgment: Judgment = Field(strict=False)
    categories: list[str] = Field(default_factory=list)
    notes: str | None = None


class EvaluationResult(StrictModel):
    """The validated result of one trial."""

    reward: FiniteFloat = Field(ge=0, le=1)
    validity: ValidityCheck
    breakdown: dict[str, Any] | None = None
    error_taxonomy: list[ErrorTag] | None = None
    confidence: ConfidenceMetadata | None = None
    annotations: list[Annotation] | None = None

    @model_validator(mode="after")
    def _no_reward_for_unparseable_output(self) -> Self:
        if not self.validity.output_parseable and self.reward != 0:
            raise ValueError(f"the output can't be parsed, so the reward must be 0, got {self.reward}")
        return self


class AddedTag(StrictModel):
    """A classified failure, found by a reviewer, a judge or a program that looked at finished runs."""

    tag: ErrorTag
    added_by: str = Field(min_length=1)
    timestamp: Timestamp
