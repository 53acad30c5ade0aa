"""Benchmarks, their versions, and runs of all tasks of a version."""

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

from assay.core.errors import InputError
from assay.dialects.criteria.resources import (
    Benchmark,
    BenchmarkRun,
    Counts,
    NewBenchmark,
    NewBenchmarkRun,
    NewVersion,
    Version,
    WholeBenchmark,
)
from assay.engine.explorer.list_slices import Slice, SliceRequest
from assay.engine.service.errors import ConflictError
from assay.engine.service.keys import Keys, Owner, Scope, issue_key
from assay.engine.service.runs import TaskRuns
from assay.engine.service.storage import Resources, Row, Transaction, require
from assay.engine.service.tasks import Tasks, freeze

_WANTED: Final = re.compile(r"(?P<slug>[^@]+)(?:@(?P<version>[1-9][0-9]{0,8}))?")


class Benchmarks(Resources[Benchmark]):
    """Benchmarks of organisations, by their ids or slugs."""

    table, prefix, word, model = "benchmarks", "bench", "benchmark", Benchmark
    other_key = "slug"

    def add(self, organisation: str, new: NewBenchmark) -> Benchmark:
        """Raises ``ConflictError`` if the organisation has one with that slug."""
        with self.storage.transaction() as rows:
            identity = self.add_within(rows, organisation, new)
        return self.get(organisation, identity)

    def add_within(self, rows: Transaction, organisation: str, new: NewBenchmark) -> str:
        """The same within a transaction; returns its id."""
        values = {"id": self.host.new_id(self.prefix), "slug": new.slug, "name": new.name or new.slug}
        if not rows.add(self.table, organisation=organisation, created_at=self.host.now(), **values):
            raise ConflictError(f"there is a benchmark {new.slug!r} already")
        return values["id"]


class BenchmarkVersions(Resources[Version]):
    """Versions of benchmarks. A version never changes."""

    table, prefix, word, model = "benchmark_versions", "bver", "version of the benchmark", Version

    def __init__(self, benchmarks: Benchmarks) -> None:
        super().__init__(benchmarks.storage, benchmarks.host)
        self._benchmarks = benchmarks

    def add(self, organisation: str, identity: str, new: NewVersion) -> Version:
        """Freeze tasks as the next version. Raises ``NotFoundError`` for a task that isn't there."""
        if len(set(new.tasks)) < len(new.tasks):
            raise InputError("tasks must name each task once")
        with self.storage.transaction() as rows:
            row = self._benchmarks.lock_row(rows, organisation, identity)
            number = self._freeze(rows, organisation, row, new.tasks)
        return self.named(organisation, f"{row['slug']}@{number}")

    def add_whole(self, organisation: str, new: WholeBenchmark, tasks: Tasks) -> Version:
        """A benchmark with its tasks and their criteria, and the first version of it: all, or nothing."""
        with self.storage.transaction() as rows:
            identity = self._benchmarks.add_within(rows, organisation, new)
            added = [tasks.add_within(rows, organisation, one) for one in new.tasks]
            self._freeze(rows, organisation, self._benchmarks.lock_row(rows, organisation, identity), added)
        return self.named(organisation, f"{new.slug}@1")

    def _freeze(self, rows: Transaction, organisation: str, benchmark: Row, tasks: Sequence[str]) -> int:
        frozen = [freeze(rows, organisation, task) for task in tasks]
        number = int(benchmark["latest"] or 0) + 1
        named = [task.model_dump(include={"task_id", "name", "digest"}) for task in frozen]
        self._insert(rows, organisation, benchmark=benchmark["id"], version=number, tasks=named)
        rows.change("benchmarks", {"latest": number}, id=benchmark["id"])
        return number

    def named(self, organisation: str, written: str) -> Version:
        """By ``slug@version``; a slug alone means the newest. Raises ``NotFoundError``."""
        match = _WANTED.fullmatch(written)
        if match is None:
            raise InputError("benchmark must be like slug@1")
        benchmark = self._benchmarks.get(organisation, match["slug"])
        wanted: dict[str, Any] = {
            "benchmark": benchmark.id,
            "version": int(match["version"] or benchmark.latest or 0),
        }
        row = require(self.storage.find(self.table, organisation=organisation, **wanted), self.word)
        return self._version(row, benchmark.slug)

    def within(self, organisation: str, identity: str, asked: SliceRequest) -> Slice[Version]:
        """Raises ``NotFoundError``."""
        benchmark = self._benchmarks.get(organisation, identity)
        rows = self.storage.slice(self.table, asked, organisation=organisation, benchmark=benchmark.id)
        return rows.each(lambda row: self._version(row, benchmark.slug))

    def _version(self, row: Row, slug: str) -> Version:
        return self._resource(row, benchmark=f"{slug}@{row['version']}")


class BenchmarkRuns(Resources[BenchmarkRun]):
    """Runs of all tasks of a version."""

    table, prefix, word, model = "benchmark_runs", "brun", "benchmark run", BenchmarkRun

    def __init__(self, versions: BenchmarkVersions, task_runs: TaskRuns, keys: Keys) -> None:
        super().__init__(versions.storage, versions.host)
        self._versions = versions
        self._task_runs = task_runs
        self._keys = keys

    def to_resources(self, rows: Sequence[Row]) -> list[BenchmarkRun]:
        counts: dict[str, dict[str, Any]] = {row["id"]: {} for row in rows}
        for (run, status), count in self.storage.count(
            "task_runs", ["benchmark_run", "status"], benchmark_run=list(counts)
        ).items():
            counts[run][status] = count
        return [self._resource(row, counts=Counts(**counts[row["id"]])) for row in rows]

    def begin(self, organisation: str, new: NewBenchmarkRun) -> tuple[str, str]:
        """The id of a new run of a version, and the token for its agent. Raises ``NotFoundError``."""
        version = self._versions.named(organisation, new.benchmark)
        unknown = sorted(set(new.playgrounds) - {task.task_id for task in version.tasks})
        if unknown:
            raise InputError(f"playgrounds must name tasks of the benchmark, got {unknown[0]!r}")
        run = self._task_runs.add_benchmark_run(organisation, version, new)
        ends = self.host.now() + timedelta(seconds=new.token_s)
        return run, issue_key(self._keys, Owner(organisation, run), Scope.RUN, f"run {run}", ends).secret
