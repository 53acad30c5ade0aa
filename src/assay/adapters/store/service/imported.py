"""Imported runs in the store, with their gradings and annotations, and questions about many of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from sqlalchemy import Connection, delete, func, insert, select
from sqlalchemy.engine import Row

from assay.adapters.store import limits
from assay.adapters.store.run_tables import annotations, gradings, runs
from assay.adapters.store.service.keyset import sorted_page
from assay.adapters.store.service.paging import PageRequest, Rows, page
from assay.adapters.store.service.run_search import filtered, order_of
from assay.adapters.store.service.run_values import insert_runs, run_of_row
from assay.adapters.store.store import Store
from assay.engine.service.errors import ConflictError, NotFoundError
from assay.engine.service.host import ServiceHost
from assay.engine.service.imported_runs import Imported, ImportedRun
from assay.engine.service.run_query import RunQuery
from assay.engine.service.run_totals import Totals

UNUSABLE: Final = "unusable"
MOST_GROUPS: Final = 1000


class StoredImports:
    """Fulfils ``ImportStore``."""

    def __init__(self, store: Store, host: ServiceHost) -> None:
        self._store = store
        self._host = host

    def add_runs(self, organisation: str, new: Iterable[ImportedRun]) -> Imported:
        counts = {"added": 0, "known": 0, "replaced": 0}
        with self._store.writing() as connection:
            for job, some in groupby(new, lambda run: run.job):
                for kind in self._add_job(connection, organisation, job, list(some)):
                    counts[kind] += 1
        return Imported(**counts)

    def _add_job(
        self, connection: Connection, organisation: str, job: str, new: Sequence[ImportedRun]
    ) -> Iterator[str]:
        """What became of each run. What is known of the job is read once, and what is new is added at once."""
        mine = (runs.c.organisation == organisation) & (runs.c.job == job)
        found = connection.execute(select(runs.c.name, runs.c.id, runs.c.digest, runs.c.status).where(mine))
        known = {row.name: row for row in found}
        rows, beside, now = [], [], self._host.now()
        for run in new:
            before = known.get(run.name)
            kind = _kind(run, before)
            identity = self._host.new_id("run") if before is None else before.id
            if kind == "replaced":
                connection.execute(delete(runs).where(runs.c.id == identity))
            if kind != "known":
                rows.append((identity, run))
            if run.gradings or run.annotations:
                beside.append((identity, run))
            yield kind
        insert_runs(connection, organisation, rows, now)
        for identity, run in beside:
            self._add_beside(connection, organisation, identity, run)

    def _add_beside(self, connection: Connection, organisation: str, identity: str, run: ImportedRun) -> None:
        """Gradings and annotations that are not there yet: both are only ever added."""
        known = set(connection.scalars(select(gradings.c.number).where(gradings.c.run == identity)))
        for record in run.gradings:
            if record["number"] not in known:
                values = {"run": identity, "number": record["number"], "record": dict(record)}
                self._insert(connection, gradings, "grad", organisation, values)
        there = [
            row.record for row in connection.execute(select(annotations).where(annotations.c.run == identity))
        ]
        for record in run.annotations:
            if dict(record) not in there:
                self._insert(
                    connection, annotations, "note", organisation, {"run": identity, "record": dict(record)}
                )

    def _insert(
        self, connection: Connection, table: Any, prefix: str, organisation: str, values: Mapping[str, object]
    ) -> str:
        identity, now = self._host.new_id(prefix), self._host.now()
        row = {"id": identity, "organisation": organisation, "created_at": now, **values}
        connection.execute(insert(table).values(row))
        return identity

    def run(self, organisation: str, identity: str) -> dict[str, Any]:
        """Raises ``NotFoundError``."""
        known = identity if limits.is_text(identity) else ""
        found = self._store.rows(select(runs).where((runs.c.organisation == organisation) & (runs.c.id == known)))
        if not found:
            raise NotFoundError("there is no such run")
        return run_of_row(found[0])

    def page(self, organisation: str, asked: RunQuery) -> Rows:
        """Raises ``InputError`` for a cursor of another list."""
        query = filtered(select(runs), organisation, asked, self._store.is_postgres)
        return sorted_page(self._store, query, order_of(asked), asked.page)

    def groups(self, organisation: str, asked: RunQuery) -> list[dict[str, Any]]:
        """For each value of a field: the runs, those with a score, the mean of these, and how many pass."""
        column = runs.c[asked.group or "task"]
        query = select(column, runs.c.score, runs.c.verdict, func.count()).group_by(
            column, runs.c.score, runs.c.verdict
        )
        found: dict[str | None, Totals] = {}
        for value, score, verdict, count in self._store.rows(
            filtered(query, organisation, asked, self._store.is_postgres)
        ):
            found.setdefault(value, Totals()).add(score, verdict, count)
        known = sorted(found.items(), key=lambda one: (one[0] is None, one[0] or ""))
        return [{"value": value, **totals.shown()} for value, totals in known[:MOST_GROUPS]]

    def gradings(self, organisation: str, run: str) -> list[dict[str, Any]]:
        """The oldest first."""
        self.run(organisation, run)
        query = select(gradings.c.record).where(gradings.c.run == run).order_by(gradings.c.number)
        return [row.record for row in self._store.rows(query)]

    def annotate(self, organisation: str, run: str, record: Mapping[str, Any]) -> dict[str, Any]:
        self.run(organisation, run)
        with self._store.writing() as connection:
            identity = self._insert(
                connection, annotations, "note", organisation, {"run": run, "record": dict(record)}
            )
        return {"id": identity, "run_id": run, **record}

    def annotations(self, organisation: str, run: str, asked: PageRequest) -> Rows:
        self.run(organisation, run)
        mine = (annotations.c.organisation == organisation) & (annotations.c.run == run)
        return page(self._store, select(annotations).where(mine), annotations.c.id, asked)


def _kind(run: ImportedRun, before: "Row[*tuple[Any, ...]] | None") -> str:
    """Raises ``ConflictError`` for a run that was imported with another result."""
    if before is None:
        return "added"
    if before.digest == run.digest:
        return "known"
    if before.status != UNUSABLE:
        raise ConflictError(f"the run {run.name} of the job {run.job} was imported with another result")
    return "replaced"
