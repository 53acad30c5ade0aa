"""What a trial came to: how agent and verifier ended, what they were worth, and what went wrong."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from assay.dialects.evaluation.ingest import Ingested
from assay.dialects.harbor.multi_step import TrialRewards
from assay.engine.sandbox import Ran

# The exception of a trial whose measurement broke. It says nothing about the agent.
BROKEN = "MeasurementError"


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception as a trial records it."""

    type: str
    message: str
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class Verified:
    """One verifier run, read out: harbor's rewards or error, the evaluation, and what it was based on."""

    ran: Ran
    rewards: TrialRewards | None
    failure: Failure | None
    ingested: Ingested
    hashes: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class StepRecord:
    """What one step came to. ``verified`` is None where the verifier could not be run."""

    name: str | None
    agent: Ran | None
    failure: Failure | None
    verified: Verified | None


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """What a trial came to."""

    started_at: datetime
    finished_at: datetime
    steps: list[StepRecord]
    rewards: TrialRewards | None
    failure: Failure | None
