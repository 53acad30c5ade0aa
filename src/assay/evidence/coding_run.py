"""One coding run as a judge reads it: what was asked, what the agent did and said, and what the checks found."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Literal, TypeAlias

from assay.evidence.files import File, RewardFiles


class Form(Enum):
    """How a trajectory was written."""

    ATIF = "atif"
    MESSAGES = "messages"
    TEXT = "text"


class Speaker(Enum):
    """The author of a step."""

    SYSTEM = "system"
    USER = "user"
    AGENT = "agent"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the agent called. ``arguments`` is JSON, or the text that stood in its place."""

    id: str | None
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A tool's answer. ``subagents`` names the trajectories of agents that it was delegated to.

    ``failed`` says that the record calls it an error; many records don't tell.
    """

    call_id: str | None
    text: str
    subagents: tuple[str, ...] = ()
    failed: bool = False


@dataclass(frozen=True, slots=True)
class StatedUsage:
    """Tokens and cost as the agent states them. None means not stated, which is not the same as 0."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None

    @property
    def tokens(self) -> int | None:
        """Input and output together."""
        if self.input_tokens is None and self.output_tokens is None:
            return None
        return (self.input_tokens or 0) + (self.output_tokens or 0)


@dataclass(frozen=True, slots=True)
class TrajectoryStep:
    """One step. ``time`` is as written, and may be anything. ``usage`` is None if the record doesn't state any."""

    number: int
    speaker: Speaker
    text: str = ""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()
    time: str | None = None
    usage: StatedUsage | None = None


@dataclass(frozen=True, slots=True)
class Trajectory:
    """All steps in their order, continuations included. ``remarks`` says what was cut, or could not be read.

    ``subagents`` are the trajectories of agents that this one delegated to, by the name that results refer to.
    """

    form: Form
    steps: tuple[TrajectoryStep, ...]
    agent: str | None = None
    model: str | None = None
    usage: StatedUsage = StatedUsage()
    subagents: tuple["Subagent", ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def last_message(self) -> str | None:
        """The last text that the agent wrote to the user; None if it wrote none."""
        said = (step.text for step in reversed(self.steps) if step.speaker is Speaker.AGENT)
        return next((text for text in said if text.strip()), None)

    def agent_steps(self) -> int:
        """How many steps the agent took, those of its subagents included."""
        own = sum(step.speaker is Speaker.AGENT for step in self.steps)
        return own + sum(one.trajectory.agent_steps() for one in self.subagents)

    def all_remarks(self) -> Iterator[str]:
        """Its remarks, and those on its subagents."""
        yield from self.remarks
        for one in self.subagents:
            yield from (f"{one.name}: {remark}" for remark in one.trajectory.all_remarks())


@dataclass(frozen=True, slots=True)
class Subagent:
    """The trajectory of an agent that another one delegated to."""

    name: str
    trajectory: Trajectory


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


@dataclass(frozen=True, slots=True)
class Printed:
    """The tail of one stream of a command. ``cut`` says whether the beginning is missing."""

    data: bytes
    cut: bool = False


class RunStatus(Enum):
    """The status of the run."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


ExpectedOutcome: TypeAlias = Literal["completion", "refusal"]


@dataclass(frozen=True, slots=True)
class SessionTurn:
    """The user's request in one turn, and the agent's last message in it; None if it wrote none."""

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
    """An agent's own records, beside the workspace. The agent could write all of it but ``end``."""

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
class AuthorNote:
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
    turns: tuple[SessionTurn, ...] = ()
    trajectory: Trajectory | None = None
    final_response: str | None = None
    agent_end: AgentEnd | None = None
    outputs: tuple[Tail, ...] = ()
    diff: Diff | None = None
    rows: tuple[ScorerRow, ...] = ()
    objective: ScorerRow | None = None
    notes: tuple[AuthorNote, ...] = ()
    metrics: tuple[MetricRow, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VerifierEvidence:
    """Everything that a grading is based on. ``output`` is None if the task declares no output file.

    ``strays`` says what was removed from the workspace before the verifier ran. ``startup`` are files that an
    agent left where the verifier shares its environment, and that programs read when they start. ``strange``
    says what was seen of interference with the verifier.
    """

    rewards: RewardFiles
    details: File
    output: File | None
    end: ProcessEnd
    strays: tuple[str, ...] = ()
    startup: tuple[str, ...] = ()
    strange: tuple[str, ...] = ()


def add_usage(one: StatedUsage, other: StatedUsage) -> StatedUsage:
    """The sum. What neither states stays unknown."""
    return StatedUsage(
        _known_sum(one.input_tokens, other.input_tokens),
        _known_sum(one.output_tokens, other.output_tokens),
        _known_sum(one.cached_tokens, other.cached_tokens),
        None if one.cost_usd is None and other.cost_usd is None else (one.cost_usd or 0) + (other.cost_usd or 0),
    )


def _known_sum(one: int | None, other: int | None) -> int | None:
    return None if one is None and other is None else (one or 0) + (other or 0)
