"""What the use cases of runs need from the store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from assay.dialects.criteria.models import AxisScore, CriterionRun, Verdict
from assay.dialects.criteria.resources import Snapshot, Status, TaskRun
from assay.engine.service.keys import Owner
from assay.evidence.run import Decision, Facts, State, decide


@dataclass(frozen=True, slots=True)
class Ending:
    """How a task run ends. Without a score for a run that was cancelled."""

    status: Status
    at: datetime
    verdict: Verdict | None = None
    score: float | None = None
    axes: Mapping[str, AxisScore] | None = None
    reason: str | None = None
    criterion_runs: Sequence[CriterionRun] = field(default=())
    idempotency_key: str | None = None

    @property
    def decision(self) -> Decision:
        """What the run comes to. One whose time was over before it handed in has failed."""
        if self.status is Status.CANCELLED:
            return decide(Facts(ended=State.CANCELLED, reason=self.status.value))
        reason = None if self.status is Status.COMPLETED else self.status.value
        verdict = "fail" if self.verdict is None else self.verdict.value
        return decide(Facts(verdict=verdict, reward=self.score or 0.0, reason=reason))


class RunStore(Protocol):
    """Task runs. One that the owner may not know of raises ``NotFoundError``, as one that doesn't exist does."""

    def task_run(self, owner: Owner, identity: str) -> TaskRun: ...

    def start(self, owner: Owner, identity: str, now: datetime) -> TaskRun:
        """Start a run that was created, unless another one of its benchmark run is going on.

        A run that isn't just created is returned as it is. Raises ``ConflictError``.
        """
        ...

    def accept(self, owner: Owner, identity: str, now: datetime) -> TaskRun:
        """Note that a completion was asked for, if the run is going on and within its time. The first one counts.

        Returns the run as it is then.
        """
        ...

    def claim(self, owner: Owner, identity: str, claim: str, now: datetime, until: datetime) -> TaskRun | None:
        """Take a run for grading: one whose completion is accepted, now or before, and that nobody else has."""
        ...

    def release(self, claim: str) -> None:
        """Give a run back, so that anybody may complete it."""
        ...

    def end(self, organisation: str, identity: str, ending: Ending, claim: str | None) -> bool:
        """Write how an active run ends, with all that belongs to it; the benchmark run ends with its last one.

        With a claim, only if that still holds. A run whose completion was accepted can't be timed out. Returns
        whether it was written.
        """
        ...

    def run_with_key(self, organisation: str, idempotency_key: str) -> str | None:
        """The id of the run that was completed with a key, if there is one."""
        ...

    def criterion_runs_of(self, owner: Owner, task_run: str) -> Sequence[CriterionRun]: ...

    def snapshot(self, organisation: str, digest: str) -> Snapshot: ...
