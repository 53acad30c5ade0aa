"""What pages read, wherever it is: a folder on this machine, or the store of a service."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from assay.engine.audit import Audit
from assay.engine.compare import Comparison
from assay.engine.job_view import JobView
from assay.engine.service.run_query import RunQuery
from assay.engine.trace import TracePart, TraceQuery
from assay.evidence.byte_source import ByteSource

if TYPE_CHECKING:
    # Importing pydantic takes longer than listing runs that have no such records.
    from assay.dialects.evaluation.grading import Grading
    from assay.dialects.evaluation.models import Annotation
    from assay.dialects.scorers.judge_record import JudgeVerdict
    from assay.dialects.scorers.report import ScorersReport


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run in a list. ``run_fields`` says what its fields mean."""

    id: str
    job: str
    name: str
    task: str
    agent: str
    model: str | None = None
    dataset: str = ""
    kind: str = "trial"
    status: str = ""
    verdict: str | None = None
    checks: str | None = None
    judge: str | None = None
    run_status: str | None = None
    run_metrics_passed: bool | None = None
    validity: str | None = None
    failure_mode: str | None = None
    reason_code: str | None = None
    exception_type: str | None = None
    score: float | None = None
    duration_sec: float | None = None
    cost_usd: float | None = None
    tokens: int | None = None
    began_at: datetime | None = None
    created_at: datetime | None = None
    reviewers: int = 0
    gates_disagree: bool = False
    reviewer_disagrees: bool = False
    measurement_broken: bool = False
    rewards: Mapping[str, float] | None = None
    axes: Mapping[str, float] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def state(self) -> str:
        """Which of the three it is: the agent was wrong, its output was unusable, or the measurement broke."""
        if self.measurement_broken or self.status in ("unscored", "unusable"):
            return "broken"
        if self.validity == "unparseable":
            return "unusable"
        return "passed" if self.verdict == "pass" else "failed"


@dataclass(frozen=True, slots=True)
class LinePage:
    """Some runs. ``total`` is None if nobody counted; ``at_least`` says that there are more than that."""

    lines: Sequence[RunLine]
    next: str | None
    prev: str | None
    total: int | None
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class JobLine:
    """A job in a list."""

    name: str
    runs: int
    scored: int
    mean: float | None
    passed: int


@dataclass(frozen=True, slots=True)
class RunDetail:
    """What the page of a run shows beside its large files. ``turns`` are names; "" is the run itself.

    ``reports`` are all scorings, the oldest first, each with its time; ``judged`` is what a judge said last, if
    that was after the last scoring.
    """

    line: RunLine
    reports: "Sequence[tuple[datetime | None, ScorersReport]]" = ()
    judged: "JudgeVerdict | None" = None
    gradings: "Sequence[Grading]" = ()
    annotations: "Sequence[Annotation]" = ()
    turns: Sequence[str] = ("",)
    responses: Sequence[str] = ()
    remarks: Sequence[str] = ()


class PageSource(Protocol):
    """Where pages read from. Whatever isn't there raises ``NotFoundError``."""

    @property
    def title(self) -> str: ...

    def lines(self, asked: RunQuery) -> LinePage:
        """Raises ``InputError`` for a question that can't be answered here."""
        ...

    def every_line(self, asked: RunQuery) -> Iterator[RunLine]: ...

    def groups(self, asked: RunQuery) -> Sequence[Mapping[str, Any]]:
        """For each value of the field: the runs, the scored ones, the mean of these, how many pass."""
        ...

    def choices(self, field: str) -> Sequence[str]:
        """Values of a field to choose from; few, or none if there are too many."""
        ...

    def neighbours(self, asked: RunQuery, identity: str) -> tuple[str | None, str | None]:
        """The runs before and after one in a list."""
        ...

    def run(self, identity: str) -> RunDetail: ...

    def trace(self, identity: str, turn: str, asked: TraceQuery) -> TracePart | None:
        """Some steps of what the agent did in a turn; None if there is no record of it."""
        ...

    def file(self, identity: str, name: str) -> ByteSource | None:
        """A file of a run by what it is, ``diff`` or ``verifier_output``; None if there is none."""
        ...

    def jobs(self) -> Sequence[JobLine]: ...

    def job(self, name: str) -> JobView: ...

    def run_ids(self, job: str) -> Mapping[str, str]:
        """The ids of the runs of a job, by their names."""
        ...

    def audits(self, name: str) -> Sequence[Audit] | None:
        """Whether the record of a job follows from its trials; None if the record isn't here."""
        ...

    def compare(self, names: Sequence[str]) -> Comparison:
        """Raises ``InputError`` for jobs that can't be compared."""
        ...
