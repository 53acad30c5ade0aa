"""The resources of coding runs over HTTP: scenarios with their versions, seeded tasks, and runs of agents."""

from datetime import datetime
from enum import Enum
from typing import Annotated, Any, Literal

from pydantic import Field

from assay.dialects.scorers.scored_run import AgentEnded
from assay.formats.strict_model import STORABLE, Name, StrictModel

MOST_TURNS = 1000


Reason = Annotated[str, Field(max_length=10_000), STORABLE]


class ArchiveResource(StrictModel):
    """An archive that was sent. ``path`` is what a scenario's ``workspace_seed`` names it by."""

    path: str
    size: int
    created_at: datetime


class ScenarioVersion(StrictModel):
    """One version of a scenario. It never changes; ``sha256`` is its hash."""

    scenario_id: str
    version: int
    sha256: str
    scenario: dict[str, Any]
    created_at: datetime


class ScenarioResource(StrictModel):
    """A scenario with its newest version."""

    id: str
    name: str | None
    version: int
    sha256: str
    scenario: dict[str, Any]
    created_at: datetime
    updated_at: datetime


class TaskState(Enum):
    """``refused`` is a scenario that can't be seeded; the reason says why."""

    SEEDING = "seeding"
    READY = "ready"
    REFUSED = "refused"


class CodingTask(StrictModel):
    """A seeded task: a frozen copy of a scenario, with the hashes of all that decides.

    ``moved_on`` says whether the scenario has been changed or removed since; the task stays as it is.
    """

    id: str
    scenario_id: str
    scenario_version: int
    moved_on: bool
    state: TaskState
    reason: str | None
    name: str | None
    instruction: str
    turns: list[str]
    scenario_sha256: str | None
    baseline_sha256: str | None
    workspace_sha256: str | None
    scenario: dict[str, Any] | None
    notes: list[str]
    commands_on_baseline: dict[str, Any]
    created_at: datetime
    seeded_at: datetime | None


class GradingState(Enum):
    """``open`` takes uploads; ``grading`` was completed by its caller and waits for a worker."""

    OPEN = "open"
    GRADING = "grading"
    GRADED = "graded"
    CANCELLED = "cancelled"


class NewCodingRun(StrictModel):
    """A run of an agent at a seeded task. ``job`` is a name for runs that belong together."""

    agent: Name
    model: Name | None = None
    job: Name = "coding"
    metadata: dict[Name, Reason] = Field(default_factory=dict, max_length=100)


class CompletedBy(StrictModel):
    """How the agent ended: its status, and its program in each turn, if that is known."""

    status: Literal["completed", "failed", "cancelled"] = "completed"
    turns: list[AgentEnded] = Field(default_factory=list, max_length=MOST_TURNS)


class UploadedFile(StrictModel):
    """A file of a run, by its path among the agent's logs."""

    path: str
    size: int
    sha256: str


class CodingRun(StrictModel):
    """A run of an agent. Once it is graded, its gates and its evidence are under ``/v1/runs`` with the same id."""

    id: str
    task_id: str
    job: str
    agent: str
    model: str | None
    metadata: dict[str, str]
    state: GradingState
    workspace_sha256: str | None
    workspace_bytes: int | None
    files: list[UploadedFile]
    ending: CompletedBy | None
    created_at: datetime
    ended_at: datetime | None
    graded_at: datetime | None


class GradeAgain(StrictModel):
    """Grade a run again from what is kept of it. With ``judge_only``, the scorers' answers stay as they are."""

    judge_only: bool = False
