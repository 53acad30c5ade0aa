"""Everything that a judge reads about one run, as plain values.

The task and the notes are the author's words. All the rest was written by the agent, or by what it left behind.
"""

from dataclasses import dataclass
from enum import Enum


class ExpectedOutcome(Enum):
    """What the agent should have done: the task, or refuse to do it."""

    COMPLETION = "completion"
    REFUSAL = "refusal"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a trajectory: who it comes from, what it is (a message, a call, a result), and its text."""

    source: str
    text: str
    kind: str = "message"


@dataclass(frozen=True, slots=True)
class ScorerResult:
    """One scorer and what it found."""

    name: str
    type: str
    required: bool
    verdict: str
    score: float | None
    detail: str


@dataclass(frozen=True, slots=True)
class ObjectiveTest:
    """The test of a run: the command, how it ended, and the end of its output."""

    name: str
    command: str
    verdict: str
    detail: str
    output: str = ""


@dataclass(frozen=True, slots=True)
class RubricNote:
    """The note of an ``llm_judge`` scorer."""

    name: str
    required: bool
    rubric: str


@dataclass(frozen=True, slots=True)
class AgentOutput:
    """The ends of what the agent's own process wrote, and the code it ended with."""

    stdout: str
    stderr: str
    exit_code: int | None


@dataclass(frozen=True, slots=True)
class JudgeCase:
    """One finished run. What it doesn't have is empty or None: a run without a workspace has no diff.

    ``turns`` has what the user said, in a session of several turns. ``diff_complete`` is false if the capture left
    something out.
    """

    task: str
    expected_outcome: ExpectedOutcome = ExpectedOutcome.COMPLETION
    turns: tuple[str, ...] = ()
    trajectory: tuple[Step, ...] = ()
    final_response: str | None = None
    diff: str | None = None
    diff_complete: bool = True
    objective: ObjectiveTest | None = None
    scorers: tuple[ScorerResult, ...] = ()
    notes: tuple[RubricNote, ...] = ()
    agent_output: AgentOutput | None = None
