"""What an agent said and did, step by step, as far as its own record tells.

An agent writes this record itself, so it is a claim and not a measurement.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


class Form(Enum):
    """How a trajectory was written."""

    ATIF = "atif"
    MESSAGES = "messages"
    TEXT = "text"


class Speaker(Enum):
    """Who a step is from."""

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
    """What a tool answered. ``subagents`` names the trajectories of agents that it was delegated to."""

    call_id: str | None
    text: str
    subagents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
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
class Step:
    """One step. ``time`` is as written, and may be anything."""

    number: int
    speaker: Speaker
    text: str = ""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()
    time: str | None = None


@dataclass(frozen=True, slots=True)
class Trajectory:
    """All steps in their order, continuations included. ``remarks`` says what was cut, or could not be read.

    ``subagents`` are the trajectories of agents that this one delegated to, by the name that results refer to.
    """

    form: Form
    steps: tuple[Step, ...]
    agent: str | None = None
    model: str | None = None
    usage: Usage = Usage()
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
