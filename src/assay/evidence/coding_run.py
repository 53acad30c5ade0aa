"""One coding run as a judge reads it: what was asked, what the agent did and said, and what the checks found."""

from dataclasses import dataclass
from enum import Enum
from typing import Literal, TypeAlias

from assay.evidence.files import File, RewardFiles
from assay.evidence.trajectory import Trajectory


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """How a command in a sandbox ended. ``exit_code`` is None if it was stopped from outside.

    ``excess`` says what it used too much of, if it was stopped for that.
    """

    exit_code: int | None
    timed_out: bool = False
    out_of_memory: bool = False
    signal: int | None = None
    excess: str = ""


class RunStatus(Enum):
    """The status of the run."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


ExpectedOutcome: TypeAlias = Literal["completion", "refusal"]


@dataclass(frozen=True, slots=True)
class Turn:
    """What the user asked in one turn, and the agent's last message in it; None if it wrote none."""

    number: int
    request: str
    response: str | None


@dataclass(frozen=True, slots=True)
class Tail:
    """The end of what a program printed. ``cut`` says whether the beginning is missing."""

    name: str
    text: str
    cut: bool = False


@dataclass(frozen=True, slots=True)
class AgentEnd:
    """How the agent's program ended. ``limit_sec`` is the time that it had."""

    end: ProcessEnd
    duration_sec: float
    limit_sec: float | None = None


@dataclass(frozen=True, slots=True)
class AgentRecord:
    """What an agent left about itself, beside the workspace. The agent could write all of it but ``end``."""

    trajectory: Trajectory | None = None
    final_response: str | None = None
    outputs: tuple[Tail, ...] = ()
    end: AgentEnd | None = None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Diff:
    """The cumulative diff of the workspace against the baseline. ``cut`` says whether something is missing."""

    text: str
    sha256: str
    cut: bool = False


@dataclass(frozen=True, slots=True)
class ScorerRow:
    """The answer of one scorer. ``verdict`` is PASS, FAIL, N/A or ERROR; only a score has a number.

    ``command`` is what a scorer of type ``command`` ran. ``output`` is the end of what that command printed.
    """

    name: str
    type: str
    required: bool
    verdict: str
    score: float | None
    detail: str
    command: str | None = None
    output: str | None = None


@dataclass(frozen=True, slots=True)
class RubricNote:
    """A note of the scenario's author for the judge."""

    name: str
    required: bool
    rubric: str


MetricValue: TypeAlias = bool | int | float | str | None


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One generic metric of the run. ``passed`` is None if nothing depends on it: no limit, or nothing known."""

    name: str
    value: MetricValue
    limit: float | None
    passed: bool | None
    detail: str


@dataclass(frozen=True, slots=True)
class CodingRecord:
    """Everything about a run that a judge may read.

    ``diff`` is None for a run without a workspace. ``objective`` is the row of the objective test; None if there
    is none. ``remarks`` says what of the record was cut, or could not be read.
    """

    instruction: str
    expected_outcome: ExpectedOutcome
    status: RunStatus
    turns: tuple[Turn, ...] = ()
    trajectory: Trajectory | None = None
    final_response: str | None = None
    agent_end: AgentEnd | None = None
    outputs: tuple[Tail, ...] = ()
    diff: Diff | None = None
    rows: tuple[ScorerRow, ...] = ()
    objective: ScorerRow | None = None
    notes: tuple[RubricNote, ...] = ()
    metrics: tuple[MetricRow, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VerifierEvidence:
    """Everything that a grading is based on. ``output`` is None if the task declares no output file.

    ``strays`` says what was removed from the workspace before the verifier ran.
    """

    rewards: RewardFiles
    details: File
    output: File | None
    end: ProcessEnd
    strays: tuple[str, ...] = ()
