"""The pages' data, wherever it is: a folder on this machine, or the store of a service."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Protocol

from assay.core.errors import InputError
from assay.engine.explorer.run_filters import takes
from assay.engine.explorer.run_query import RunQuery
from assay.engine.explorer.run_totals import Totals
from assay.engine.explorer.trace_page import TracePart, TraceQuery
from assay.engine.jobs.job_runs import USUAL, ReadJob
from assay.engine.report.audit import Audit
from assay.engine.report.compare import ArmComparison, compare
from assay.engine.report.compare_arms import arms_of
from assay.engine.report.report import JobReport
from assay.evidence.files import ByteSource
from assay.evidence.run import Run, State

NEWEST_JOBS: Final = 8
TOGETHER: Final = 3
MOST_COMPARED: Final = 2000
"""A job of more runs isn't compared unless somebody asks for it."""

if TYPE_CHECKING:
    # Importing pydantic takes longer than listing runs that have no such records.
    from assay.dialects.evaluation.models import Annotation, Grading
    from assay.dialects.scorers.report import JudgeVerdict, ScorersReport


@dataclass(frozen=True, slots=True)
class LinePage:
    """Some runs. ``total`` is None if nobody counted; ``at_least`` says that there are more than that."""

    lines: Sequence[Run]
    next: str | None
    prev: str | None
    total: int | None
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class RunDetail:
    """The page of a run, without its large files. ``turns`` are names; "" is the run itself.

    ``reports`` are all scorings, the oldest first, each with its time; ``judged`` is what a judge said last, if
    that was after the last scoring. ``instruction`` is empty if it wasn't kept apart from the trace.
    """

    line: Run
    reports: "Sequence[tuple[datetime | None, ScorersReport]]" = ()
    judged: "JudgeVerdict | None" = None
    gradings: "Sequence[Grading]" = ()
    annotations: "Sequence[Annotation]" = ()
    turns: Sequence[str] = ("",)
    responses: Sequence[str] = ()
    remarks: Sequence[str] = ()
    instruction: str = ""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The runs before and after one in a list, and its number of how many; None where nobody counted so far."""

    before: str | None = None
    after: str | None = None
    number: int | None = None
    total: int | None = None


class RunLists(Protocol):
    """Questions about all runs."""

    def lines(self, asked: RunQuery) -> LinePage:
        """Raises ``InputError`` for a question that can't be answered here."""

    def every_line(self, asked: RunQuery) -> Iterable[Run]: ...

    def groups(self, asked: RunQuery) -> Sequence[Mapping[str, Any]]:
        """For each value of the field: the runs, the scored ones, the mean of these, how many pass."""

    def newest_jobs(self, most: int) -> Mapping[str, int]:
        """The jobs whose runs were added last, the newest first, each with its number of runs.

        Runs that belong to no job are left out.
        """

    def task_states(self, jobs: Collection[str]) -> Mapping[str, Mapping[str, Counter[State]]]:
        """How many runs of each state each task of some jobs has."""

    def neighbours(self, asked: RunQuery, identity: str) -> Neighbours: ...


class PageSource(Protocol):
    """Where pages read from. Whatever isn't there raises ``NotFoundError``."""

    @property
    def lists(self) -> RunLists: ...

    def run(self, identity: str) -> RunDetail: ...

    def trace(self, identity: str, turn: str, asked: TraceQuery) -> TracePart | None:
        """Some steps of what the agent did in a turn; None if there is no record of it."""

    def file(self, identity: str, name: str) -> ByteSource | None:
        """A file of a run by what it is, such as ``diff`` or ``turn-1/stdout``; None if there is none."""

    def job(self, name: str) -> JobReport: ...

    def audits(self, name: str) -> Sequence[Audit] | None:
        """Whether the record of a job follows from its trials; None if the record isn't here."""

    def read_job(self, name: str) -> ReadJob:
        """The runs of a job with what reports on it count, to be compared with those of another one."""


def job_comparison(source: PageSource, names: Sequence[str]) -> ArmComparison:
    """Raises ``InputError`` for jobs that can't be compared."""
    return compare(arms_of([source.read_job(name) for name in names], USUAL, (), successes=False), anyway=True)


def newest_comparisons(
    source: PageSource, most: int = MOST_COMPARED, together: int = TOGETHER
) -> Iterator[ArmComparison]:
    """The newest jobs of at most so many runs, some together as far as they have tasks in common."""
    newest = [name for name, runs in source.lists.newest_jobs(NEWEST_JOBS).items() if runs <= most]
    tasks = {name: set(of) for name, of in source.lists.task_states(newest).items()}
    names = [name for name in newest if name in tasks]
    known: list[set[str]] = []
    for at, name in enumerate(names):
        if not any(tasks[name] & one for one in known):
            known.append(tasks[name])
            alike = list(islice((other for other in names[at:] if tasks[other] & tasks[name]), together))
            with suppress(InputError):
                if len(alike) > 1:
                    yield job_comparison(source, alike[::-1])


def groups_by(source: PageSource, field: str) -> list[Mapping[str, Any]]:
    """All runs by the values of a field; those that have no value of it are left out."""
    return [one for one in source.lists.groups(RunQuery(group=field)) if one["value"]]


def count_states(rows: Iterable[tuple[str, str, State, int]]) -> dict[str, dict[str, Counter[State]]]:
    """Numbers of runs by job, task and state."""
    found: dict[str, dict[str, Counter[State]]] = defaultdict(lambda: defaultdict(Counter))
    for job, task, state, runs in rows:
        found[job][task][state] += runs
    return found


@dataclass(frozen=True, slots=True)
class Lines:
    """Runs in the order in which they were added. Fulfils ``RunLists``.

    ``mentions`` tells whether the trace of a run has some words.
    """

    all: Sequence[Run]
    mentions: Callable[[str, str], bool]

    def every_line(self, asked: RunQuery) -> list[Run]:
        """All runs that are asked for, in order. Runs without a value come last, whichever way they are sorted."""
        found = [line for line in self.all if all(takes(one, line, self.mentions) for one in asked.conditions)]
        if asked.sorted_by == "created_at":
            return found[::-1] if asked.descending else found
        valued = [line for line in found if getattr(line, asked.sorted_by) is not None]
        rest = [line for line in found if getattr(line, asked.sorted_by) is None]
        valued.sort(key=lambda line: getattr(line, asked.sorted_by), reverse=asked.descending)
        return valued + rest

    def lines(self, asked: RunQuery) -> LinePage:
        """A part of them. A cursor is the number of the first run."""
        found = self.every_line(asked)
        written, size = asked.page.cursor or "0", asked.page.limit
        if not (written.isascii() and written.isdecimal() and len(written) < 10):
            raise InputError("cursor must be next or prev of an earlier page of the same list")
        start = int(written)
        after = str(start + size) if start + size < len(found) else None
        before = str(max(0, start - size)) if start else None
        return LinePage(found[start : start + size], after, before, len(found))

    def neighbours(self, asked: RunQuery, identity: str) -> Neighbours:
        ids = [line.id for line in self.every_line(asked)]
        if identity not in ids:
            return Neighbours()
        at = ids.index(identity)
        before, after = ids[at - 1] if at else None, ids[at + 1] if at + 1 < len(ids) else None
        return Neighbours(before, after, at + 1, len(ids))

    def groups(self, asked: RunQuery) -> list[Mapping[str, Any]]:
        field = asked.group or "task"
        found: dict[str | None, Totals] = {}
        for line in self.every_line(asked):
            found.setdefault(getattr(line, field), Totals()).add(line.state, line.score)
        known = sorted(found.items(), key=lambda one: (one[0] is None, one[0] or ""))
        return [{"value": value, **totals.shown()} for value, totals in known]

    def newest_jobs(self, most: int) -> dict[str, int]:
        runs = Counter(line.job for line in reversed(self.all) if line.job)
        return dict(islice(runs.items(), most))

    def task_states(self, jobs: Collection[str]) -> dict[str, dict[str, Counter[State]]]:
        return count_states((line.job, line.task, line.state, 1) for line in self.all if line.job in jobs)
