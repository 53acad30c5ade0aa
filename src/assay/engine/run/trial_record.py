"""The outcome of a trial: how agent and verifier ended, the rewards, and the failure if there was one."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from assay.dialects.evaluation.ingest import Ingested
from assay.dialects.evaluation.models import Cause, Control
from assay.dialects.harbor.rewards import TrialRewards
from assay.engine.model_access import ModelUse
from assay.engine.sandbox import Ran

# Harbor uses another name for the output of the oracle.
ORACLE_LOG, AGENT_LOG = "oracle.txt", "output.txt"
# The two streams of that output, each by itself.
STDOUT_LOG, STDERR_LOG = "agent-stdout.txt", "agent-stderr.txt"
AGENT_LOGS = (STDOUT_LOG, STDERR_LOG, AGENT_LOG, ORACLE_LOG)


# The exception of a trial whose measurement broke. It says nothing about the agent.
BROKEN = "MeasurementError"
# The exception of a trial whose agent, or whose verifier, used more disk than it may.
TOO_MUCH_DISK = "DiskLimitError"


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception as a trial records it."""

    type: str
    message: str
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class Verified:
    """One verifier run: harbor's rewards or error, the evaluation, and the evidence for it.

    ``control`` has the runs that decided about the cause. ``flaky`` is true if only the second one gave a reward.
    """

    ran: Ran
    rewards: TrialRewards | None
    failure: Failure | None
    ingested: Ingested
    hashes: Mapping[str, str | None]
    changed_tests: tuple[str, ...] = ()
    cause: Cause | None = None
    control: Control | None = None
    flaky: bool = False

    @property
    def broken(self) -> bool:
        """Whether the measurement broke, so that nothing is known about the agent."""
        return self.failure is not None and self.failure.type == BROKEN


@dataclass(frozen=True, slots=True)
class StepRecord:
    """The outcome of one step. ``verified`` is None if there is nothing to grade, ``verifier`` if nothing was run.

    ``model`` is what the agent asked its model for, if Assay gave it one.
    """

    name: str | None
    agent: Ran | None
    failure: Failure | None
    verified: Verified | None
    verifier: Ran | None = None
    model: ModelUse | None = None

    @property
    def broken(self) -> bool:
        """Whether the measurement broke."""
        return self.verified is None or self.verified.broken


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """The outcome of a trial."""

    started_at: datetime
    finished_at: datetime
    steps: list[StepRecord]
    rewards: TrialRewards | None
    failure: Failure | None
