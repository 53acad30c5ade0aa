"""What pages read, wherever it is: a folder on this machine, or the store of a service."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from assay.engine.audit import Audit
from assay.engine.compare import Comparison
from assay.engine.job_view import JobView
from assay.engine.service.run_query import RunQuery
from assay.engine.trace import TracePart, TraceQuery
from assay.evidence.byte_source import ByteSource
from assay.evidence.run import Run

if TYPE_CHECKING:
    # Importing pydantic takes longer than listing runs that have no such records.
    from assay.dialects.evaluation.grading import Grading
    from assay.dialects.evaluation.models import Annotation
    from assay.dialects.scorers.judge_record import JudgeVerdict
    from assay.dialects.scorers.report import ScorersReport


@dataclass(frozen=True, slots=True)
class LinePage:
    """Some runs. ``total`` is None if nobody counted; ``at_least`` says that there are more than that."""

    lines: Sequence[Run]
    next: str | None
    prev: str | None
    total: int | None
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class JobLine:
    """A job in a list. ``states`` is the partition of its runs."""

    name: str
    runs: int
    states: Mapping[str, int]
    scored: int
    mean: float | None
    passed: int


def job_line(group: Mapping[str, Any]) -> JobLine:
    """The line of a group of runs by job."""
    return JobLine(group["value"], group["runs"], group["states"], group["scored"], group["mean"], group["passed"])


@dataclass(frozen=True, slots=True)
class RunDetail:
    """What the page of a run shows beside its large files. ``turns`` are names; "" is the run itself.

    ``reports`` are all scorings, the oldest first, each with its time; ``judged`` is what a judge said last, if
    that was after the last scoring.
    """

    line: Run
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

    def every_line(self, asked: RunQuery) -> Iterator[Run]: ...

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
