"""Benchmarks, their versions, and runs of all tasks of a version."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from sqlalchemy import func, select, update

from assay.adapters.store import limits
from assay.adapters.store.service.paging import AddedRows, PageRequest, Rows, mine, of_row, one
from assay.adapters.store.service.tasks import freeze
from assay.adapters.store.service_tables import benchmark_runs, benchmarks, task_runs, versions
from assay.adapters.store.writing import added
from assay.core.errors import InputError
from assay.dialects.criteria.models import Verdict
from assay.dialects.criteria.resources import (
    Benchmark,
    BenchmarkRun,
    Counts,
    NewBenchmark,
    NewVersion,
    Status,
    Version,
    VersionTask,
)
from assay.engine.service.errors import ConflictError

_WANTED: Final = re.compile(r"(?P<slug>[^@]+)(?:@(?P<version>[1-9][0-9]{0,8}))?")


class StoredBenchmarks(AddedRows):
    """Benchmarks of organisations. A version never changes."""

    def add(self, organisation: str, new: NewBenchmark) -> Benchmark:
        """Raises ``ConflictError`` if the organisation has one with that slug."""
        values = {
            "id": self._host.new_id("bench"),
            "organisation": organisation,
            "slug": new.slug,
            "name": new.name or new.slug,
            "created_at": self._host.now(),
        }
        with self._store.writing() as connection:
            if not added(connection, benchmarks, values):
                raise ConflictError(f"there is a benchmark {new.slug!r} already")
        return self.benchmark(organisation, str(values["id"]))

    def benchmark(self, organisation: str, identity: str) -> Benchmark:
        """By its id or its slug. Raises ``NotFoundError``."""
        return of_row(Benchmark, one(self._store.rows(_benchmark(organisation, identity)), "benchmark"))

    def page(self, organisation: str, asked: PageRequest) -> Rows[Benchmark]:
        return self._page(benchmarks, organisation, asked).each(partial(of_row, Benchmark))

    def add_version(self, organisation: str, identity: str, new: NewVersion) -> Version:
        """Freeze tasks as the next version. Raises ``NotFoundError`` for a task that isn't there."""
        if len(set(new.tasks)) < len(new.tasks):
            raise InputError("tasks must name each task once")
        with self._store.writing() as connection:
            query = _benchmark(organisation, identity)
            if connection.dialect.name == "postgresql":
                query = query.with_for_update()
            row = one(connection.execute(query).all(), "benchmark")
            frozen = [freeze(connection, organisation, task) for task in new.tasks]
            number = (row.latest or 0) + 1
            tasks = [task.model_dump(include={"task_id", "name", "digest"}) for task in frozen]
            numbered = {"benchmark": row.id, "version": number, "tasks": tasks}
            self._insert(connection, versions, "bver", organisation, **numbered)
            connection.execute(update(benchmarks).where(benchmarks.c.id == row.id).values(latest=number))
        return self.version(organisation, f"{row.slug}@{number}")

    def version(self, organisation: str, written: str) -> Version:
        """By ``slug@version``; a slug alone means the newest. Raises ``NotFoundError``."""
        match = _WANTED.fullmatch(written)
        if match is None:
            raise InputError("benchmark must be like slug@1")
        benchmark = self.benchmark(organisation, match["slug"])
        number = int(match["version"] or benchmark.latest or 0)
        query = mine(versions, organisation, benchmark=benchmark.id).where(versions.c.version == number)
        return _version(one(self._store.rows(query), "version of the benchmark"), benchmark.slug)

    def versions(self, organisation: str, identity: str, asked: PageRequest) -> Rows[Version]:
        benchmark = self.benchmark(organisation, identity)
        rows = self._page(versions, organisation, asked, benchmark=benchmark.id)
        return rows.each(lambda row: _version(row, benchmark.slug))

    def run(self, organisation: str, identity: str) -> BenchmarkRun:
        """Raises ``NotFoundError``."""
        row = self._one(benchmark_runs, organisation, identity, "benchmark run")
        return _run(row, self._counts([row.id]))

    def runs(self, organisation: str, asked: PageRequest) -> Rows[BenchmarkRun]:
        rows = self._page(benchmark_runs, organisation, asked)
        counts = self._counts([row.id for row in rows.rows])
        return rows.each(lambda row: _run(row, counts))

    def _counts(self, runs: list[str]) -> dict[str, Counts]:
        query = (
            select(task_runs.c.benchmark_run, task_runs.c.status, func.count())
            .where(task_runs.c.benchmark_run.in_(runs))
            .group_by(task_runs.c.benchmark_run, task_runs.c.status)
        )
        found: dict[str, dict[str, int]] = {}
        for run, status, count in self._store.rows(query) if runs else ():
            found.setdefault(run, {})[status] = count
        return {run: Counts(**counts) for run, counts in found.items()}


def _version(row: Any, slug: str) -> Version:
    tasks = [VersionTask(**task) for task in row.tasks]
    return of_row(Version, row, benchmark=f"{slug}@{row.version}", tasks=tasks)


def _run(row: Any, counts: Mapping[str, Counts]) -> BenchmarkRun:
    verdict = None if row.verdict is None else Verdict(row.verdict)
    known = counts.get(row.id, Counts())
    return of_row(BenchmarkRun, row, status=Status(row.status), verdict=verdict, counts=known)


def _benchmark(organisation: str, identity: str) -> Any:
    known = identity if limits.is_text(identity) else ""
    return mine(benchmarks, organisation).where((benchmarks.c.id == known) | (benchmarks.c.slug == known))
