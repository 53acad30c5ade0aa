"""Benchmarks, their versions, and runs of all tasks of a version."""

import re
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.engine import Row

from assay.adapters.store import limits
from assay.adapters.store.service.paging import PageRequest, Rows, page
from assay.adapters.store.service.tasks import freeze
from assay.adapters.store.service_tables import benchmark_runs, benchmarks, task_runs, versions
from assay.adapters.store.store import Store
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
from assay.engine.service.errors import ConflictError, NotFoundError
from assay.engine.service.host import ServiceHost

_WANTED: Final = re.compile(r"(?P<slug>[^@]+)(?:@(?P<version>[1-9][0-9]{0,8}))?")


class StoredBenchmarks:
    """Benchmarks of organisations. A version never changes."""

    def __init__(self, store: Store, host: ServiceHost) -> None:
        self._store = store
        self._host = host

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
        return benchmark_of_row(_found(self._store.rows(_benchmark(organisation, identity)), "benchmark"))

    def page(self, organisation: str, asked: PageRequest) -> Rows:
        query = select(benchmarks).where(benchmarks.c.organisation == organisation)
        return page(self._store, query, benchmarks.c.id, asked)

    def add_version(self, organisation: str, identity: str, new: NewVersion) -> Version:
        """Freeze tasks as the next version. Raises ``NotFoundError`` for a task that isn't there."""
        if len(set(new.tasks)) < len(new.tasks):
            raise InputError("tasks must name each task once")
        version = self._host.new_id("bver")
        with self._store.writing() as connection:
            query = _benchmark(organisation, identity)
            if connection.dialect.name == "postgresql":
                query = query.with_for_update()
            row = _found(connection.execute(query).all(), "benchmark")
            frozen = [freeze(connection, organisation, one) for one in new.tasks]
            number = (row.latest or 0) + 1
            values = {
                "id": version,
                "organisation": organisation,
                "benchmark": row.id,
                "version": number,
                "tasks": [{"task_id": one.task_id, "name": one.name, "digest": one.digest} for one in frozen],
                "created_at": self._host.now(),
            }
            connection.execute(insert(versions).values(values))
            connection.execute(update(benchmarks).where(benchmarks.c.id == row.id).values(latest=number))
        return self.version(organisation, f"{row.slug}@{number}")

    def version(self, organisation: str, written: str) -> Version:
        """By ``slug@version``; a slug alone means the newest. Raises ``NotFoundError``."""
        match = _WANTED.fullmatch(written)
        if match is None:
            raise InputError("benchmark must be like slug@1")
        benchmark = self.benchmark(organisation, match["slug"])
        number = int(match["version"] or benchmark.latest or 0)
        mine = (versions.c.benchmark == benchmark.id) & (versions.c.version == number)
        row = _found(self._store.rows(select(versions).where(mine)), "version of the benchmark")
        return version_of_row(row, benchmark.slug)

    def versions(self, organisation: str, identity: str, asked: PageRequest) -> tuple[str, Rows]:
        """The slug, and the versions."""
        benchmark = self.benchmark(organisation, identity)
        query = select(versions).where(versions.c.benchmark == benchmark.id)
        return benchmark.slug, page(self._store, query, versions.c.id, asked)

    def run(self, organisation: str, identity: str) -> BenchmarkRun:
        """Raises ``NotFoundError``."""
        mine = (benchmark_runs.c.organisation == organisation) & (benchmark_runs.c.id == identity)
        found = self._store.rows(select(benchmark_runs).where(mine)) if limits.is_text(identity) else ()
        row = _found(found, "benchmark run")
        return run_of_row(row, self._counts([row.id]).get(row.id, Counts()))

    def runs(self, organisation: str, asked: PageRequest) -> Rows:
        query = select(benchmark_runs).where(benchmark_runs.c.organisation == organisation)
        return page(self._store, query, benchmark_runs.c.id, asked)

    def shown(self, rows: Rows) -> list[BenchmarkRun]:
        counts = self._counts([row.id for row in rows.rows])
        return [run_of_row(row, counts.get(row.id, Counts())) for row in rows.rows]

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


def add_benchmark_run(
    connection: Connection, organisation: str, identity: str, version: Version, scored: bool, now: datetime
) -> None:
    values = {
        "id": identity,
        "organisation": organisation,
        "version": version.id,
        "benchmark": version.benchmark,
        "scored": scored,
        "status": Status.ACTIVE.value,
        "created_at": now,
    }
    connection.execute(insert(benchmark_runs).values(values))


def benchmark_of_row(row: "Row[*tuple[Any, ...]]") -> Benchmark:
    return Benchmark.model_construct(
        id=row.id, slug=row.slug, name=row.name, latest=row.latest, created_at=row.created_at
    )


def version_of_row(row: "Row[*tuple[Any, ...]]", slug: str) -> Version:
    return Version.model_construct(
        id=row.id,
        benchmark=f"{slug}@{row.version}",
        version=row.version,
        tasks=[VersionTask(**one) for one in row.tasks],
        created_at=row.created_at,
    )


def run_of_row(row: "Row[*tuple[Any, ...]]", counts: Counts) -> BenchmarkRun:
    return BenchmarkRun.model_construct(
        id=row.id,
        benchmark=row.benchmark,
        scored=row.scored,
        status=Status(row.status),
        verdict=None if row.verdict is None else Verdict(row.verdict),
        score=row.score,
        counts=counts,
        created_at=row.created_at,
        completed_at=row.completed_at,
    )


def _benchmark(organisation: str, identity: str) -> Any:
    known = identity if limits.is_text(identity) else ""
    named = (benchmarks.c.id == known) | (benchmarks.c.slug == known)
    return select(benchmarks).where((benchmarks.c.organisation == organisation) & named)


def _found(rows: Any, what: str) -> Any:
    if not rows:
        raise NotFoundError(f"there is no such {what}")
    return rows[0]
