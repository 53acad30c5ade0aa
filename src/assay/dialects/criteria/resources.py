"""The resources of the service: tasks, benchmarks, playgrounds and the runs of agents at them.

Fields that the criteria document leaves open are those of its users. What a caller may not see is left out when a
resource is shown, never when it is stored.
"""

from datetime import datetime
from enum import Enum
from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, ConfigDict, Field, FiniteFloat

from assay.dialects.criteria.models import AxisScore, Verdict
from assay.formats.strict_model import STORABLE, Name, StrictModel

LONGEST_TIME_OUT_SEC = 30 * 24 * 3600
MOST_CRITERIA = 1000
MOST_TASKS = 1000


Text = Annotated[str, Field(max_length=1_000_000), STORABLE]
Slug = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[a-z0-9]+(?:[-_.][a-z0-9]+)*$")]
TimeOut = Annotated[FiniteFloat, Field(gt=0, le=LONGEST_TIME_OUT_SEC)]
Written = dict[str, Any]


def _with_fields(criterion: Written) -> Written:
    if not criterion:
        raise ValueError("a criterion must have a label and an assertion, got {}")
    return criterion


# One that can't be used is kept and fails when it is graded. One without any field is a mistake of the sender.
NewCriterion = Annotated[Written, AfterValidator(_with_fields), Field(json_schema_extra={"minProperties": 1})]


class Status(Enum):
    """Where a run is: ``active`` until it ends in one of the other ways."""

    ACTIVE = "active"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"
    TIMED_OUT = "timed_out"


class Phase(Enum):
    """How far a task run got."""

    CREATED = "created"
    STARTED = "started"
    COMPLETED = "completed"


class NewTask(StrictModel):
    """A task to be added. A criterion is kept as it is written; one that can't be used fails when it is graded."""

    name: Name
    instruction: Text = ""
    data: Written = Field(default_factory=dict)
    timeout_s: TimeOut | None = None
    criteria: list[Written] = Field(default_factory=list, max_length=MOST_CRITERIA)


class Task(StrictModel):
    """A task: what the agent is asked, and the values that its criteria refer to."""

    id: str
    name: str
    instruction: str
    data: Written
    timeout_s: float | None
    created_at: datetime


class TaskCriterion(StrictModel):
    """A criterion of a task, as it was written: so its fields may be anything until it is graded."""

    model_config = ConfigDict(extra="allow")

    id: str
    task_id: str
    label: Any = None
    assertion: Any = None
    weight: Any = 1
    axis: Any = None


class Snapshot(StrictModel):
    """A task frozen with everything that decides its score. ``digest`` is the SHA-256 of the rest."""

    digest: str
    task_id: str
    name: str
    instruction: str
    data: Written
    timeout_s: float | None
    criteria: list[Written]


class NewBenchmark(StrictModel):
    """A benchmark to be added, without versions."""

    slug: Slug
    name: Name | None = None


class WholeBenchmark(NewBenchmark):
    """A benchmark with its tasks and their criteria, which become its first version."""

    tasks: list[NewTask] = Field(min_length=1, max_length=MOST_TASKS)


class Benchmark(StrictModel):
    """A benchmark. ``latest`` is its newest version, if it has one."""

    id: str
    slug: str
    name: str
    latest: int | None
    created_at: datetime


class NewVersion(StrictModel):
    """A version to be added: the tasks in their order, frozen as they are now."""

    tasks: list[Name] = Field(min_length=1, max_length=MOST_TASKS)


class VersionTask(StrictModel):
    """A task of a version, and the digest of its frozen copy."""

    task_id: str
    name: str
    digest: str


class Version(StrictModel):
    """A version of a benchmark. It never changes."""

    id: str
    benchmark: str
    version: int
    tasks: list[VersionTask]
    created_at: datetime


class NewBenchmarkRun(StrictModel):
    """``benchmark`` is ``slug@version``, or a slug for the newest. ``playgrounds`` maps tasks to existing ones.

    Tasks without one get a new, empty playground. ``token_s`` is for how long the run's token is valid.
    """

    benchmark: Annotated[str, Field(min_length=1, max_length=150)]
    scored: bool = False
    playgrounds: dict[Name, Name] = Field(default_factory=dict, max_length=MOST_TASKS)
    token_s: TimeOut = 24 * 3600


class NewTaskRun(StrictModel):
    """A run of one task, outside of a benchmark run."""

    task_id: Name
    playground_id: Name | None = None
    scored: bool = False


class TaskRun(StrictModel):
    """One attempt at one task. ``completion_requested_at`` is when its first completion was accepted, in time.

    From then on only the grading ends it, by the state of that moment, however late that is.
    """

    id: str
    benchmark_run_id: str | None
    task_id: str
    playground_id: str
    scored: bool
    status: Status
    phase: Phase
    verdict: Verdict | None
    score: float | None
    axes: dict[str, AxisScore] | None
    reason: str | None
    snapshot: str
    created_at: datetime
    started_at: datetime | None
    deadline_at: datetime | None
    completion_requested_at: datetime | None
    completed_at: datetime | None


class Counts(StrictModel):
    """How many task runs of a benchmark run ended in which way. Cancelled ones are not in its mean."""

    active: int = 0
    completed: int = 0
    cancelled: int = 0
    failed: int = 0
    timed_out: int = 0


class BenchmarkRun(StrictModel):
    """One attempt at all tasks of a version. Score and verdict are there once every task run has ended."""

    id: str
    benchmark: str
    scored: bool
    status: Status
    verdict: Verdict | None
    score: float | None
    counts: Counts
    created_at: datetime
    completed_at: datetime | None


class NewPlayground(StrictModel):
    """A playground to be added. ``data`` holds values that criteria can refer to."""

    name: Name | None = None
    run_start: AwareDatetime | None = None
    data: Written = Field(default_factory=dict)


class PlaygroundResource(StrictModel):
    """A playground: the systems that an agent works in, and what they recorded."""

    id: str
    run_start: datetime
    data: Written
    sources: list[str]
    created_at: datetime
