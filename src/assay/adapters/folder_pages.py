"""What pages read, from folders on this machine: jobs, and coding runs that were kept."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from assay.adapters.gate_peek import gates_of_trial
from assay.adapters.job_folder import DiskJobFolder
from assay.adapters.records import parse_record
from assay.adapters.run_places import KeptPlace, ReportPlace, RunPlace, TrialPlace
from assay.adapters.run_store import REPORT
from assay.adapters.safe_read import open_below, read_file
from assay.core.errors import InputError
from assay.dialects.scorers.report import ScorersReport
from assay.engine.audit import Audit, audit_job
from assay.engine.compare import Comparison, compare
from assay.engine.compare_arms import ReadJob, arms_of
from assay.engine.history import History
from assay.engine.job import Job
from assay.engine.job_view import JobView, view_job
from assay.engine.page_source import JobLine, LinePage, RunDetail, RunLine
from assay.engine.regrades import Regrade
from assay.engine.report import Question, report_job
from assay.engine.run_lines import Lines
from assay.engine.service.coding_runs import run_of_report
from assay.engine.service.errors import NotFoundError
from assay.engine.service.run_evidence import Gates
from assay.engine.service.run_query import RunQuery
from assay.engine.trace import TracePart, TraceQuery
from assay.engine.trial_lines import line_of, trial_lines
from assay.evidence.byte_source import ByteSource
from assay.evidence.files import Content

SEARCHED = 64 * 2**20


@dataclass(frozen=True, slots=True)
class ViewedJob:
    """A job that was read, and its folder. ``audited`` is None for what has no result.json to be audited."""

    path: str
    job: Job
    histories: Sequence[History] = ()
    regrades: Sequence[Regrade] = ()
    audited: bool = True


@dataclass
class FolderPages:
    """Fulfils ``PageSource``."""

    viewed: Sequence[ViewedJob]
    kept: Sequence[str] = ()
    _views: dict[str, JobView] = field(default_factory=dict)

    @property
    def title(self) -> str:
        names = [
            *self._jobs,
            *([os.path.basename(os.path.dirname(os.path.abspath(self.kept[0])))] if self.kept else []),
        ]
        return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"

    @property
    def job_names(self) -> list[str]:
        """The names of the jobs; no two are the same."""
        return list(self._jobs)

    @cached_property
    def _jobs(self) -> dict[str, ViewedJob]:
        """Jobs by names of which no two are the same."""
        found: dict[str, ViewedJob] = {}
        for one in self.viewed:
            name = one.job.name
            found[name if name not in found else f"{name} ({len(found) + 1})"] = one
        return found

    @cached_property
    def _places(self) -> dict[str, tuple[RunLine, RunPlace | None, History | None]]:
        found: dict[str, tuple[RunLine, RunPlace | None, History | None]] = {}
        for name, one in self._jobs.items():
            gates = self._gates(one)
            beside = {history.trial: history for history in one.histories}
            for line in trial_lines(one.job, one.histories, self._prefix(name), gates, name):
                path = os.path.join(one.path, line.name)
                inside = os.path.dirname(os.path.abspath(path)) == os.path.abspath(one.path)
                found[line.id] = line, TrialPlace(path) if inside else None, beside.get(line.name)
        for path in self.kept:
            line = _kept_line(path)
            found[line.id] = line, KeptPlace(path) if os.path.isdir(path) else ReportPlace(path), None
        return found

    def _gates(self, one: ViewedJob) -> dict[str, Gates]:
        """Only jobs with records can have scorings, and their folder says so."""
        known = ((trial.name, gates_of_trial(os.path.join(one.path, trial.name))) for trial in one.job.trials)
        return {name: gates for name, gates in known if gates is not None} if one.histories else {}

    @cached_property
    def _lines(self) -> Lines:
        return Lines([line for line, _, _ in self._places.values()], self._mentions)

    def _mentions(self, identity: str, text: str) -> bool:
        """Whether the files of an agent have all the words, as far as they are read."""
        _, place, _ = self._places[identity]
        words = text.casefold().split()
        if not isinstance(place, TrialPlace):
            found = None if place is None else place.trace("", TraceQuery(text=words[0] if words else ""))
            return found is not None and bool(found.steps)
        return any(all(word in said for word in words) for said in _said(f"{place.path}/agent"))

    def lines(self, asked: RunQuery) -> LinePage:
        return self._lines.page(asked)

    def every_line(self, asked: RunQuery) -> Iterator[RunLine]:
        return iter(self._lines.asked(asked))

    def groups(self, asked: RunQuery) -> Sequence[Mapping[str, Any]]:
        return self._lines.groups(asked)

    def choices(self, field: str) -> Sequence[str]:
        return self._lines.choices(field)

    def neighbours(self, asked: RunQuery, identity: str) -> tuple[str | None, str | None]:
        return self._lines.neighbours(asked, identity)

    def run(self, identity: str) -> RunDetail:
        line, place, history = self._found(identity)
        return RunDetail(line) if place is None else place.detail(line, history)

    def trace(self, identity: str, turn: str, asked: TraceQuery) -> TracePart | None:
        _, place, _ = self._found(identity)
        return None if place is None else place.trace(turn, asked)

    def file(self, identity: str, name: str) -> ByteSource | None:
        _, place, _ = self._found(identity)
        return None if place is None else place.file(name)

    def _found(self, identity: str) -> tuple[RunLine, RunPlace | None, History | None]:
        if identity not in self._places:
            raise NotFoundError("there is no such run")
        return self._places[identity]

    def jobs(self) -> Sequence[JobLine]:
        grouped = self._lines.groups(RunQuery(group="job"))
        return [JobLine(one["value"], one["runs"], one["scored"], one["mean"], one["passed"]) for one in grouped]

    def job(self, name: str) -> JobView:
        if name not in self._jobs:
            raise NotFoundError("there is no such job")
        if name not in self._views:
            one = self._jobs[name]
            report = report_job(one.job, Question(by="trial"), one.histories, one.regrades)
            unusable = [
                history.trial
                for history in one.histories
                if any(not grading.result.validity.output_parseable for grading in history.first())
            ]
            self._views[name] = view_job(report, frozenset(unusable))
        return self._views[name]

    def run_ids(self, job: str) -> Mapping[str, str]:
        one = self._jobs.get(job)
        return {} if one is None else {trial.name: f"{self._prefix(job)}{trial.name}" for trial in one.job.trials}

    def _prefix(self, job: str) -> str:
        """What stands before the names of runs in their ids: nothing if there is only one job."""
        return "" if len(self._jobs) == 1 and not self.kept else f"{job}:"

    def audits(self, name: str) -> Sequence[Audit] | None:
        one = self._jobs.get(name)
        if one is None or not one.audited or one.job.recorded is None:
            return None
        try:
            return [audit_job(DiskJobFolder(one.path), one.job)]
        except InputError:
            return None

    def compare(self, names: Sequence[str]) -> Comparison:
        missing = [name for name in names if name not in self._jobs]
        if missing:
            raise NotFoundError(f"there is no job {missing[0]!r}")
        read = [ReadJob(name, self._jobs[name].job, self._jobs[name].histories) for name in names]
        return compare(arms_of(read, Question(), (), successes=False), anyway=True)


def _kept_line(path: str) -> RunLine:
    """A run that was kept, or a report. One that can't be read is a line that says so."""
    name, job = os.path.basename(os.path.abspath(path)), os.path.basename(os.path.dirname(os.path.abspath(path)))
    where = f"{path}/{REPORT}" if os.path.isdir(path) else path
    found = read_file(where, SEARCHED)
    if not isinstance(found, Content):
        raise InputError(f"{where} can't be read")
    report = parse_record(found.data, ScorersReport, where)
    run = run_of_report(report, job, name, name)
    return line_of(run, f"{job}:{name}", gates_disagree=report.disagreement is not None)


def _said(folder: str) -> Iterator[str]:
    """What is in the files of an agent, in small letters. Escapes of JSON stay as they are."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        found = open_below(folder, (name,))
        if found is not None:
            yield found.read(0, SEARCHED).decode(errors="replace").casefold()
