"""A run, the gates that looked at it, and the one decision of what it came to.

A run is one attempt of one agent at one task, whatever it was: a trial of a job, a coding run, a task run of the
criteria API. Dialects translate what they read into ``Facts``; ``decide`` turns those into a state, a score, a
reason and a cause. Nothing else decides: reports, comparisons, lists, pages and stores show what is decided here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

import msgspec


class State(StrEnum):
    """The state of a run. Every run has exactly one."""

    PENDING = "pending"
    RUNNING = "running"
    PASSED = "passed"
    PARTIAL = "partial"
    FAILED = "failed"
    SCORED = "scored"
    UNUSABLE = "unusable"
    BROKEN = "broken"
    NOT_JUDGED = "not_judged"
    CANCELLED = "cancelled"


MEANINGS: Final[Mapping[State, str]] = {
    State.PENDING: "it has not begun, or waits for its grading",
    State.RUNNING: "it has begun and has no result yet",
    State.PASSED: "the reward reaches the threshold, or the gate that decides says PASS",
    State.PARTIAL: "the reward is above 0 and below the threshold",
    State.FAILED: "the agent was wrong",
    State.SCORED: "it has several rewards and none of them decides; it has no single score",
    State.UNUSABLE: "there is no usable answer, and the agent could have brought that about: it counts as 0",
    State.BROKEN: "the verifier or the machine failed, which the agent can't bring about: it has no score",
    State.NOT_JUDGED: "nothing mechanical was to be measured, and no judge has given a verdict",
    State.CANCELLED: "somebody ended it",
}
"""Each state in one sentence."""

COUNTED: Final = (State.PASSED, State.PARTIAL, State.FAILED, State.UNUSABLE)
"""The states that have a score, and so are in every denominator of ours."""


class Cause(StrEnum):
    """The one to blame for an unusable answer."""

    AGENT = "agent"
    VERIFIER = "verifier"
    MACHINE = "machine"


class Decision(msgspec.Struct, frozen=True, gc=False):
    """A run's outcome. ``reason`` is a code, or the names of the checks that failed.

    ``cause`` is None where there is a usable answer, and where nobody could tell: then no control was run.
    """

    state: State
    score: float | None = None
    reason: str | None = None
    cause: Cause | None = None

    @property
    def open(self) -> bool:
        """Whether another number could have been there: bounds show what that would change."""
        return self.state is State.BROKEN or (self.state is State.UNUSABLE and self.cause is None)


@dataclass(frozen=True, slots=True)
class Gates:
    """The gates of a coding run. ``judge`` is PASS, FAIL, PENDING, NOT APPLICABLE or unparseable.

    ``failed`` names the required scorers that failed; ``broken`` says that all of those only broke. ``suspicion``
    is a monitor's, from 0 to 1; it decides nothing.
    """

    checks: str | None = None
    judge: str | None = None
    run_status: str | None = None
    run_metrics_passed: bool | None = None
    failure_mode: str | None = None
    failed: tuple[str, ...] = ()
    broken: bool = False
    suspicion: float | None = None

    @property
    def disagree(self) -> bool:
        """Whether one says PASS and the other one FAIL."""
        return {self.checks, self.judge} == {"PASS", "FAIL"}


class Facts(msgspec.Struct, frozen=True, gc=False):
    """All that decides. ``ended`` is a state that somebody else set: cancelled, pending or running.

    ``unusable`` says that there is no usable answer, with its ``reason``, and its ``cause`` if that was seen or
    shown by a control. ``gates`` are those of a coding run, ``verdict`` is that of the criteria. ``several`` says
    that there are rewards of which none decides.
    """

    ended: State | None = None
    unusable: bool = False
    reason: str | None = None
    cause: Cause | None = None
    gates: Gates | None = None
    verdict: str | None = None
    reward: float | None = None
    several: bool = False


_VERDICTS: Final = {"pass": State.PASSED, "partial": State.PARTIAL, "fail": State.FAILED}
_OF_GATE: Final = {"PASS": (State.PASSED, 1.0), "FAIL": (State.FAILED, 0.0)}
NO_JUDGE: Final = "no_judge"


def decide(facts: Facts, threshold: float = 1.0) -> Decision:
    """Decide a run: the first line that applies."""
    if facts.ended is not None:
        return Decision(facts.ended, None, facts.reason)
    if facts.unusable:
        broken = facts.cause in (Cause.VERIFIER, Cause.MACHINE)
        state, score = (State.BROKEN, None) if broken else (State.UNUSABLE, 0.0)
        return Decision(state, score, facts.reason, facts.cause)
    if facts.gates is not None:
        return _by_gates(facts.gates)
    if facts.verdict is not None:
        return Decision(_VERDICTS[facts.verdict], facts.reward, facts.reason)
    if facts.reward is None:
        return Decision(State.SCORED if facts.several else State.NOT_JUDGED, None, facts.reason)
    if facts.reward >= threshold:
        return Decision(State.PASSED, facts.reward)
    return Decision(State.PARTIAL if facts.reward > 0 else State.FAILED, facts.reward)


def _by_gates(gates: Gates) -> Decision:
    """The checks decide where they apply, and the judge where there are none that do."""
    if gates.checks in _OF_GATE:
        return Decision(*_OF_GATE[gates.checks], ", ".join(gates.failed) or None)
    if gates.judge in _OF_GATE:
        return Decision(*_OF_GATE[gates.judge], gates.failure_mode)
    return Decision(State.NOT_JUDGED, None, NO_JUDGE)


_INSIDE: Final = ("detail", "phases")


class Run(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One attempt of one agent at one task. ``run_fields`` has a sentence on each field.

    ``id`` is empty for a run that no place knows yet. ``rewards`` are harbor's own, whatever they are. ``detail``
    is what went wrong, in words, where the reason is a code. ``phases`` are seconds by what was done.
    """

    job: str
    name: str
    task: str
    agent: str = ""
    id: str = ""
    model: str | None = None
    dataset: str = ""
    kind: str = "trial"
    state: State = State.PENDING
    score: float | None = None
    reason: str | None = None
    cause: str | None = None
    checks: str | None = None
    judge: str | None = None
    run_status: str | None = None
    run_metrics_passed: bool | None = None
    validity: str | None = None
    failure_mode: str | None = None
    suspicion: float | None = None
    exception_type: str | None = None
    detail: str | None = None
    rewards: Mapping[str, float] | None = None
    duration_sec: float | None = None
    cost_usd: float | None = None
    tokens: int | None = None
    started_at: str | None = None
    finished_at: str | None = None
    phases: Mapping[str, float] = msgspec.field(default_factory=dict)
    began_at: datetime | None = None
    created_at: datetime | None = None
    reviewers: int = 0
    gates_disagree: bool = False
    reviewer_disagrees: bool = False
    axes: Mapping[str, float] = msgspec.field(default_factory=dict)
    metadata: Mapping[str, Any] = msgspec.field(default_factory=dict)

    def shown(self) -> dict[str, Any]:
        """The fields as the API and files name them."""
        return {name: value for name, value in msgspec.structs.asdict(self).items() if name not in _INSIDE}
