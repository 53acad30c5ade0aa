"""The record of one run graded once. It is written once and never changed; a second grading is a second record."""

from typing import Any, Literal, TypeAlias

from pydantic import Field

from assay.dialects.evaluation.models import EvaluationResult, StrictModel, Timestamp

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
    remembered: bool = Field(
        default=False, description="Whether the untouched workspace had been verified for another trial already"
    )


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
    provenance: Provenance

    @property
    def is_flaky(self) -> bool:
        """Whether the verifier contradicted itself. A record of version 1 only has the range of rewards."""
        span = self.result.confidence.confidence_interval if self.result.confidence is not None else None
        return self.flaky if self.flaky is not None else span is not None and span.low < span.high
