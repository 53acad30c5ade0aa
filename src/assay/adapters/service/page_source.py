"""Page data from a service's store: the runs of one organisation."""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import ValidationError
from sqlalchemy import func, select, union

from assay.adapters.service.uploaded_job import audit_archive
from assay.adapters.store.run_tables import run_totals, runs
from assay.adapters.store.runs.imported import StoredImports
from assay.adapters.store.runs.run_search import chosen_runs
from assay.adapters.store.runs.run_values import REPORTED, reported_runs
from assay.adapters.store.runs.totals import not_counted
from assay.adapters.store.service.keyset import beside, count_before, plus
from assay.adapters.store.service.storage import mine
from assay.adapters.store.service_tables import seeded_tasks, snapshots, task_runs
from assay.adapters.store.store import Store
from assay.dialects.evaluation.models import Annotation, Grading
from assay.dialects.scorers.report import ScorersReport
from assay.dialects.scorers.scored_run import Scoring
from assay.engine.explorer.blobs import (
    DIFF,
    FINAL_RESPONSE,
    INSTRUCTION,
    OUTPUT_KINDS,
    PART_BYTES,
    REPORT,
    TRAJECTORY,
    BlobStore,
    KeptFile,
)
from assay.engine.explorer.job_view import job_of_runs
from assay.engine.explorer.list_slices import SliceRequest
from assay.engine.explorer.page_source import LinePage, Neighbours, RunDetail, count_states
from assay.engine.explorer.run_query import RunQuery
from assay.engine.explorer.trace_page import TracePart, TraceQuery, trace_part
from assay.engine.jobs.job_runs import ReadJob
from assay.engine.report.audit import Audit
from assay.engine.report.report import JobReport, report_job
from assay.engine.service.errors import NotFoundError
from assay.engine.service.jobs import Jobs
from assay.evidence.files import ByteSource, tail
from assay.evidence.run import Run, State

COUNTED: Final = 10_000
"""More runs than these are not counted for a page."""
PLACED: Final = 2000
"""A run further down in its list has no number there."""
MOST_RUNS: Final = 20_000
"""How many runs of a job are looked at."""
RESPONSE: Final = 256 * 1024
REPORT_BYTES: Final = 64 * 2**20


class BlobBytes:
    """A file of a run, read in parts. The last part is kept. Fulfils ``ByteSource``."""

    def __init__(self, blobs: BlobStore, file: KeptFile) -> None:
        self._blobs = blobs
        self._digest = file.blob.digest
        self.size = file.blob.size
        self._held: tuple[int, bytes] = (-1, b"")

    def read(self, start: int, length: int) -> bytes:
        end = max(start, min(start + length, self.size))
        parts = []
        for number in range(start // PART_BYTES, -(-end // PART_BYTES)):
            at = number * PART_BYTES
            parts.append(self._part(number)[max(0, start - at) : max(0, end - at)])
        return b"".join(parts)

    def _part(self, number: int) -> bytes:
        if self._held[0] != number:
            self._held = number, b"".join(self._blobs.read(self._digest, number * PART_BYTES, PART_BYTES))
        return self._held[1]


@dataclass(frozen=True, slots=True)
class StorePages:
    """Fulfils ``PageSource`` for one organisation."""

    store: Store
    imports: StoredImports
    blobs: BlobStore
    jobs_sent: Jobs
    organisation: str
    _jobs: dict[str, ReadJob] = field(default_factory=dict)
    """Jobs that this page has looked at."""

    @property
    def lists(self) -> "StorePages":
        """Fulfils ``RunLists``, too."""
        return self

    def lines(self, asked: RunQuery) -> LinePage:
        rows = self.imports.slice(self.organisation, asked)
        total = self._count(asked)
        return LinePage(rows.rows, rows.next, rows.prev, total, at_least=bool(asked.filters) and total > COUNTED)

    def _count(self, asked: RunQuery) -> int:
        if not asked.filters:
            return self.imports.totals(self.organisation).runs
        some = chosen_runs(self.store, self.organisation, [runs.c.id], asked).query.limit(COUNTED + 1)
        return int(self.store.rows(select(func.count()).select_from(some.subquery()))[0][0])

    def every_line(self, asked: RunQuery) -> Iterator[Run]:
        return self.imports.every(self.organisation, asked)

    def groups(self, asked: RunQuery) -> Sequence[Mapping[str, Any]]:
        return self.imports.groups(self.organisation, asked)

    def newest_jobs(self, most: int) -> Mapping[str, int]:
        """Each job that has runs is looked up by an index: going through the newest runs would pass whole jobs."""
        of_jobs = (run_totals.c.organisation == self.organisation) & (run_totals.c.field == "job")
        counted = select(run_totals.c.value.label("job")).where(of_jobs, run_totals.c.runs > 0)
        waiting = select(runs.c.job).where(not_counted(self.organisation, self.store.is_postgres))
        jobs = union(counted, waiting).subquery()
        ours = runs.c.organisation == self.organisation
        last = select(func.max(runs.c.id)).where(ours, runs.c.job == jobs.c.job).scalar_subquery()
        query = select(jobs.c.job).where(jobs.c.job != "").order_by(last.desc()).limit(most)
        newest = [row.job for row in self.store.rows(query)]
        sizes = select(runs.c.job, func.count()).where(ours, runs.c.job.in_(newest)).group_by(runs.c.job)
        count = {job: int(size) for job, size in self.store.rows(sizes)}
        return {job: count[job] for job in newest if job in count}

    def task_states(self, jobs: Collection[str]) -> Mapping[str, Mapping[str, Counter[State]]]:
        ours = (runs.c.organisation == self.organisation) & runs.c.job.in_(jobs)
        columns = (runs.c.job, runs.c.task, runs.c.state)
        # SQLite would take an index that has tasks in order, and go through all runs.
        grouped = columns if self.store.is_postgres else map(plus, columns)
        rows = self.store.rows(select(*columns, func.count()).where(ours).group_by(*grouped))
        return count_states((job, task, State(state), int(count)) for job, task, state, count in rows)

    def neighbours(self, asked: RunQuery, identity: str) -> Neighbours:
        chosen = chosen_runs(self.store, self.organisation, runs.c, asked)
        here = self.store.rows(chosen.query.where(runs.c.id == identity))
        if not here:
            return Neighbours()
        before, after = beside(self.store, chosen.query, chosen.order, here[0])
        number = count_before(self.store, chosen.query, chosen.order, here[0], PLACED) + 1
        known, total = number <= PLACED, self._count(asked)
        return Neighbours(
            None if before is None else before.id,
            None if after is None else after.id,
            number if known else None,
            total if known and (not asked.filters or total <= COUNTED) else None,
        )

    def run(self, identity: str) -> RunDetail:
        line = self.imports.run(self.organisation, identity)
        files = self._files(identity)
        remarks: list[str] = []
        records = self.imports.gradings(self.organisation, identity)
        scorings = [Scoring.model_validate_json(json.dumps(one)) for one in records if line.kind == "coding"]
        report = None if scorings else self._report(files, remarks)
        reports = [(one.scored_at, one.report) for one in scorings]
        notes = self.imports.annotations(self.organisation, identity, SliceRequest(100))
        return RunDetail(
            line,
            reports=reports if report is None else [report],
            gradings=[Grading.model_validate_json(json.dumps(one)) for one in records if not scorings],
            annotations=[
                Annotation.model_validate_json(json.dumps({name: row[name] for name in Annotation.model_fields}))
                for row in notes.rows
            ],
            turns=_turns(files),
            responses=[self._text(files, turn, FINAL_RESPONSE) for turn in _turns(files)],
            remarks=remarks,
            instruction=self._text(files, "", INSTRUCTION) or self._frozen_instruction(line),
        )

    def _frozen_instruction(self, line: Run) -> str:
        """The instruction of a task of the service, for a run of one."""
        if line.kind == "task_run":
            frozen = (snapshots.c.organisation == self.organisation) & (task_runs.c.id == line.name)
            query = select(snapshots.c.content).join(task_runs, task_runs.c.snapshot == snapshots.c.digest)
        else:
            ours = seeded_tasks.c.organisation == self.organisation
            frozen = ours & (seeded_tasks.c.id == str(line.metadata.get("coding_task")))
            query = select(seeded_tasks.c.content)
        content: dict[str, Any] = next((row.content for row in self.store.rows(query.where(frozen))), {})
        return str(content.get("instruction") or content.get("user_instruction") or "")

    def trace(self, identity: str, turn: str, asked: TraceQuery) -> TracePart | None:
        files = self._files(identity)
        prefix = f"{turn}/" if turn else ""
        there = (files.get(f"{prefix}{kind}") for kind in (TRAJECTORY, *OUTPUT_KINDS))
        found = next((one for one in there if one is not None and one.blob.size), None)

        def beside(name: str) -> ByteSource | None:
            other = files.get(f"{prefix}{TRAJECTORY}/{name}")
            return None if other is None else BlobBytes(self.blobs, other)

        return None if found is None else trace_part(BlobBytes(self.blobs, found), found.name, beside, asked)

    def file(self, identity: str, name: str) -> ByteSource | None:
        found = self._files(identity).get(DIFF if name == "diff" else name)
        return None if found is None else BlobBytes(self.blobs, found)

    def _files(self, identity: str) -> dict[str, KeptFile]:
        return {one.name: one for one in self.imports.files(self.organisation, identity)}

    def _report(self, files: Mapping[str, KeptFile], remarks: list[str]) -> Any:
        """The newest scoring: a report by itself, or the record that holds one."""
        if REPORT not in files or files[REPORT].blob.size > REPORT_BYTES:
            return None
        data = BlobBytes(self.blobs, files[REPORT]).read(0, REPORT_BYTES)
        try:
            if b'"scored_at"' in data[:100_000] and b'"scenario"' in data:
                record = Scoring.model_validate_json(data)
                return record.scored_at, record.report
            return None, ScorersReport.model_validate_json(data)
        except ValidationError:
            remarks.append("the report of the scorers can't be read")
            return None

    def _text(self, files: Mapping[str, KeptFile], turn: str, name: str) -> str:
        found = files.get(f"{turn}/{name}" if turn else name)
        return (
            "" if found is None else tail(BlobBytes(self.blobs, found), RESPONSE).decode(errors="replace").strip()
        )

    def job(self, name: str) -> JobReport:
        found = self.read_job(name)
        return report_job(found.job, runs=found.runs)

    def read_job(self, name: str) -> ReadJob:
        if name not in self._jobs:
            self._jobs[name] = _job_in_store(self.store, self.organisation, name)
        return self._jobs[name]

    def audits(self, name: str) -> Sequence[Audit] | None:
        try:
            found = audit_archive(self.jobs_sent.archive(self.jobs_sent.get(self.organisation, name)), name)
        except NotFoundError:
            return None
        return None if found is None else [found]


def _job_in_store(store: Store, organisation: str, name: str) -> ReadJob:
    """The job of that name with its runs. Raises ``NotFoundError``."""
    query = mine(runs, organisation, job=name).with_only_columns(*REPORTED).order_by(runs.c.id)
    found = reported_runs(store.rows(query.limit(MOST_RUNS + 1)))
    if not found:
        raise NotFoundError("there is no such job")
    notes = [f"only the first {MOST_RUNS} runs are looked at"] if len(found) > MOST_RUNS else []
    return job_of_runs(name, found[:MOST_RUNS], notes)


_OF_TURNS = (TRAJECTORY, FINAL_RESPONSE, *OUTPUT_KINDS)


def _turns(files: Mapping[str, KeptFile]) -> list[str]:
    """The names of turns, in their order; "" alone for a run without turns."""
    named = {name.rpartition("/")[0] for name in files if name.rpartition("/")[2] in _OF_TURNS}
    return sorted(named, key=lambda one: (len(one), one)) or [""]
