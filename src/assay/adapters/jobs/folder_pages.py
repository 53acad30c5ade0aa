"""Page data from folders on this machine: jobs, and coding runs that were kept."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import msgspec

from assay.adapters.jobs.job_folder import DiskJobFolder
from assay.adapters.jobs.run_places import JobPlace, KeptPlace, WorkPlace, read_report
from assay.adapters.jobs.run_store import kept_record
from assay.adapters.jobs.trial_evidence import read_judgement, with_verdict
from assay.adapters.machine.safe_read import names_in, open_below
from assay.core.errors import InputError
from assay.engine.explorer.job_view import job_of_runs
from assay.engine.explorer.page_source import Lines, RunDetail
from assay.engine.explorer.trace_page import TracePart, TraceQuery
from assay.engine.jobs.job import Job
from assay.engine.jobs.job_runs import USUAL, ReadJob, runs_of
from assay.engine.jobs.trial_additions import History, Regrade, gates_of
from assay.engine.report.audit import Audit, audit_job
from assay.engine.report.report import JobReport, report_job
from assay.engine.service.coding_rows import run_of_report
from assay.engine.service.errors import NotFoundError
from assay.evidence.files import ByteSource
from assay.evidence.run import Run

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
    _reports: dict[str, JobReport] = field(default_factory=dict)

    @property
    def title(self) -> str:
        kept = (os.path.basename(os.path.dirname(os.path.abspath(path))) for path in self.kept)
        names = list(dict.fromkeys([*self._jobs, *kept]))
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
    def _places(self) -> dict[str, tuple[Run, WorkPlace | None]]:
        found: dict[str, tuple[Run, WorkPlace | None]] = {}
        for name, one in self._jobs.items():
            beside = {history.trial: history for history in one.histories}
            for line in self._runs[name]:
                path = os.path.join(one.path, line.name)
                inside = os.path.dirname(os.path.abspath(path)) == os.path.abspath(one.path)
                found[line.id] = line, JobPlace(path, beside.get(line.name)) if inside else None
        for path in self.kept:
            line = _kept_line(path)
            found[line.id] = line, KeptPlace(path)
        return found

    @cached_property
    def _runs(self) -> dict[str, Sequence[Run]]:
        """The runs of each job."""
        return {
            name: runs_of(one.job, one.histories, name=name, prefix=self._prefix(name))
            for name, one in self._jobs.items()
        }

    @cached_property
    def lists(self) -> Lines:
        return Lines([line for line, _ in self._places.values()], self._mentions)

    def _mentions(self, identity: str, text: str) -> bool:
        """Whether the files of an agent have all the words, as far as they are read."""
        _, place = self._places[identity]
        words = text.casefold().split()
        if not isinstance(place, JobPlace):
            found = None if place is None else place.trace("", TraceQuery(text=words[0] if words else ""))
            return found is not None and bool(found.steps)
        return any(all(word in said for word in words) for said in _agent_texts(f"{place.path}/agent"))

    def run(self, identity: str) -> RunDetail:
        line, place = self._find_run(identity)
        return RunDetail(line) if place is None else place.detail(line)

    def trace(self, identity: str, turn: str, asked: TraceQuery) -> TracePart | None:
        _, place = self._find_run(identity)
        return None if place is None else place.trace(turn, asked)

    def file(self, identity: str, name: str) -> ByteSource | None:
        _, place = self._find_run(identity)
        return None if place is None else place.file(name)

    def _find_run(self, identity: str) -> tuple[Run, WorkPlace | None]:
        if identity not in self._places:
            raise NotFoundError("there is no such run")
        return self._places[identity]

    def job(self, name: str) -> JobReport:
        if name not in self._reports:
            read = self.read_job(name)
            regrades = self._jobs[name].regrades if name in self._jobs else ()
            self._reports[name] = report_job(read.job, USUAL, read.histories, regrades, read.runs)
        return self._reports[name]

    def read_job(self, name: str) -> ReadJob:
        """A job, or the runs that were kept in one folder."""
        if name in self._jobs:
            one = self._jobs[name]
            return ReadJob(name, one.job, one.histories, self._runs[name])
        kept = [line for line, _ in self._places.values() if line.job == name]
        if not kept:
            raise NotFoundError(f"there is no job {name!r}")
        return job_of_runs(name, kept)

    def _prefix(self, job: str) -> str:
        """The prefix of run names in their ids: empty if there is only one job."""
        return "" if len(self._jobs) == 1 and not self.kept else f"{job}:"

    def audits(self, name: str) -> Sequence[Audit] | None:
        one = self._jobs.get(name)
        if one is None or not one.audited or one.job.recorded is None:
            return None
        try:
            return [audit_job(DiskJobFolder(one.path), one.job)]
        except InputError:
            return None


def _kept_line(path: str) -> Run:
    """A run that was kept, or a report. Raises ``InputError`` for one that can't be read."""
    name, job = os.path.basename(os.path.abspath(path)), os.path.basename(os.path.dirname(os.path.abspath(path)))
    report = read_report(path)
    judgement = read_judgement(path) if os.path.isdir(path) else None
    gates = gates_of(report) if judgement is None else with_verdict(gates_of(report), judgement)
    run = run_of_report(report, job, name, gates, record=kept_record(path)).run
    return msgspec.structs.replace(run, id=f"{job}:{name}")


def _agent_texts(folder: str) -> Iterator[str]:
    """The text of an agent's files, in lower case. JSON escapes stay as they are."""
    for name in names_in(folder, ""):
        found = open_below(folder, (name,))
        if found is not None:
            yield found.read(0, SEARCHED).decode(errors="replace").casefold()
