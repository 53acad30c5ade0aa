"""The wire models of the evaluation document: strict, frozen, extras forbidden.

The one rule across fields: output that can't be parsed forbids a reward above 0. The other two flags of a
``ValidityCheck`` are diagnostic; they force nothing by themselves.
"""

from datetime import datetime
from enum import Enum
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import BeforeValidator, Field, FiniteFloat, model_validator

from assay.formats.strict_model import StrictModel


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
    """The classifier of a failure: the runner or verifier, a reviewer, or an automated judge."""

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


SCHEMA_VERSION = 4

# Who is to blame where there is no usable reward. Only the agent's counts as 0.
Cause: TypeAlias = Literal["agent", "verifier", "machine"]


class Hashes(StrictModel):
    """SHA-256 of what was graded, and with what. None if there was no such thing."""

    task: str
    tests: str
    output: str | None
    reward: str | None
    details: str | None
    workspace: str | None


class Usage(StrictModel):
    """The time, memory and disk that the verifier used."""

    wall_sec: float
    cpu_sec: float | None
    peak_memory_mb: float | None
    disk_mb: float | None = Field(default=None, description="Disk used, if the run was long enough to be watched")


class Provenance(StrictModel):
    """Everything that is needed to derive a grading again, or to see why it can't be."""

    assay: str
    engine: int
    python: str
    platform: str
    profile: str
    schema_forbids_reward: bool = Field(
        default=False, description="Whether a schema violation forfeits the reward, as unparseable output does"
    )
    isolation: dict[str, Any]
    network: bool | None = Field(
        default=None, description="Whether the verifier had the network; null if not recorded"
    )
    image: str | None = Field(default=None, description="The image that the verifier ran in")
    agent_access: dict[str, Any] | None = Field(
        default=None,
        description="What the run gave the agent beside its task: the names of variables, and the endpoint of its"
        " model with the limits of a trial; null if nothing, or not recorded",
    )
    verifier_environment: str = Field(
        default="separate",
        description="separate if the verifier had an environment of its own; shared if it also got what the agent "
        "left outside of its workspace, which isolates less",
    )
    hashes: Hashes
    changed_tests: list[str] = Field(
        default_factory=list,
        description="Files of the tests that were changed while the verifier ran, by it or by what it ran",
    )
    started_at: Timestamp
    finished_at: Timestamp
    usage: Usage
    previous: str | None = Field(description="SHA-256 of the grading before this one")


class Control(StrictModel):
    """The runs of one verifier that show why it gave no usable reward, each in one line."""

    first: str = Field(description="The outcome of the first run")
    again: str | None = Field(
        default=None, description="The outcome of a second run on the same output; null if it wasn't kept whole"
    )
    untouched: str | None = Field(
        default=None, description="The outcome on the task's workspace as it was before the agent; null if not run"
    )

    @model_validator(mode="before")
    @classmethod
    def _of_the_output_alone(cls, value: Any) -> Any:
        """Earlier records said whether the untouched workspace was known already, which is chance."""
        return {name: value[name] for name in value if name != "remembered"} if isinstance(value, dict) else value


class Grading(StrictModel):
    """One grading of one run, or of one step of it.

    A run with steps has a grading for each of them, and one for the whole, which names those that it sums up.
    """

    schema_version: int = SCHEMA_VERSION
    number: int = Field(ge=1)
    step: str | None
    steps: list[int] | None = Field(
        default=None, description="The numbers of the gradings of steps that this one sums up; null for all others"
    )
    result: EvaluationResult
    reason_code: str | None
    rewards: dict[str, float | int | None] | None
    exception_type: str | None
    verifier_exit_code: int | None
    flaky: bool | None = Field(
        default=None,
        description="Whether verifying the same output gave different answers so far; null in version 1",
    )
    cause: Cause | None = Field(
        default=None,
        description="Who is to blame where there is no usable reward: agent counts as 0, verifier and machine "
        "leave the trial broken; null if the reward is usable, or without a control",
    )
    control: Control | None = Field(default=None, description="The runs that the cause was decided by")
    again: str | None = Field(
        default=None, description="The ID that the runs were graded again under, each once; null for all others"
    )
    provenance: Provenance

    @property
    def is_flaky(self) -> bool:
        """Whether the verifier contradicted itself. A record of version 1 only has the range of rewards."""
        span = self.result.confidence.confidence_interval if self.result.confidence is not None else None
        return self.flaky if self.flaky is not None else span is not None and span.low < span.high
