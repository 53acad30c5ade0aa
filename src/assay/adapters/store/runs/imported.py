"""Runs in the store, with their gradings, annotations and files, and questions about many of them."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, Final

from sqlalchemy import Connection, delete, func, select

from assay.adapters.store.bulk import one_of
from assay.adapters.store.run_tables import annotations, gradings, run_files, runs
from assay.adapters.store.runs.listed_runs import list_run, note_reviews
from assay.adapters.store.runs.run_search import chosen_runs
from assay.adapters.store.runs.run_values import insert_runs, run_of_row, shown_digest, storable
from assay.adapters.store.runs.totals import ALL, Changes, apply, totals_of, uncount
from assay.adapters.store.service.keyset import plus, sorted_slice
from assay.adapters.store.service.storage import StoredStorage, StoredTransaction, mine
from assay.adapters.store.store import Store
from assay.engine.explorer.blobs import Blob, KeptFile
from assay.engine.explorer.imported_runs import AT_ONCE, RESULTLESS, Imported, Kept
from assay.engine.explorer.list_slices import Slice, SliceRequest
from assay.engine.explorer.run_filters import OneOf
from assay.engine.explorer.run_query import RunQuery
from assay.engine.explorer.run_totals import Totals
from assay.engine.service.host import ServiceHost
from assay.engine.service.jobs import kind_of_import
from assay.engine.service.storage import require
from assay.evidence.run import Run, State

MOST_GROUPS: Final = 1000


class StoredImports:
    """Fulfils ``ImportStore``."""

    def __init__(self, store: Store, host: ServiceHost) -> None:
        self._store = store
        self._storage = StoredStorage(store)
        self._host = host

    def _insert(self, connection: Connection, table: str, prefix: str, organisation: str, **values: object) -> str:
        identity, now = self._host.new_id(prefix), self._host.now()
        row = {"id": identity, "organisation": organisation, "created_at": now, **values}
        StoredTransaction(connection).insert(table, [row])
        return identity

    def add_runs(self, organisation: str, new: Iterable[Kept]) -> Imported:
        counts = {"added": 0, "known": 0, "replaced": 0}
        listed = [storable(kept) for kept in new]
        if not listed:
            return Imported(**counts)
        with self._store.writing() as connection:
            for job, some in groupby(listed, lambda kept: kept.run.job):
                for kind in self._add_job(connection, organisation, job, list(some)):
                    counts[kind] += 1
        return Imported(**counts)

    def has_job(self, organisation: str, job: str) -> bool:
        query = select(runs.c.id).where(_of_job(organisation, job)).limit(1)
        return bool(self._store.rows(query))

    def remove_waiting(self, organisation: str, job: str, kept: Container[str]) -> None:
        waiting = runs.c.reason.in_(RESULTLESS) & (runs.c.reviewers == 0)
        query = select(runs.c.id, runs.c.name).where(_of_job(organisation, job), waiting)
        gone = [row.id for row in self._store.rows(query) if row.name not in kept]
        if gone:
            with self._store.writing() as connection:
                uncount(connection, organisation, gone)
                connection.execute(delete(runs).where(one_of(runs.c.id, gone, connection.dialect)))

    def refuse_changed(self, organisation: str, job: str, new: Iterable[Kept]) -> None:
        query = select(runs.c.name, runs.c.digest, runs.c.reason).where(_of_job(organisation, job))
        known = {row.name: row._mapping for row in self._store.rows(query)}
        for kept in map(storable, new):
            kind_of_import(kept, known.get(kept.run.name))

    def _add_job(self, connection: Connection, organisation: str, job: str, new: Sequence[Kept]) -> Iterator[str]:
        """Yield the fate of each run. Known ones are read once, and new ones are added together."""
        columns = (runs.c.name, runs.c.id, runs.c.digest, runs.c.reason, runs.c.shown_digest)
        these = one_of(runs.c.name, [kept.run.name for kept in new], connection.dialect)
        found = select(*columns).where(_of_job(organisation, job), these)
        known = {row.name: row._mapping for row in connection.execute(found)}
        rows: list[tuple[str, Kept]] = []
        beside, now, changes = [], self._host.now(), Changes()
        for kept in new:
            before = known.get(kept.run.name)
            kind = kind_of_import(kept, before)
            identity = self._host.new_id("run") if before is None else before["id"]
            if before is None:
                rows.append((identity, kept))
            elif kind == "replaced" or before["shown_digest"] != shown_digest(kept):
                list_run(connection, organisation, identity, kept, now)
            if kept.gradings or kept.annotations:
                beside.append((identity, kept))
            yield kind
        insert_runs(connection, organisation, rows, now, changes)
        apply(connection, organisation, changes)
        for identity, kept in beside:
            self._add_beside(connection, organisation, identity, kept)

    def _add_beside(self, connection: Connection, organisation: str, identity: str, run: Kept) -> None:
        """Gradings and annotations that are not there yet: both are only ever added."""
        known = set(connection.scalars(select(gradings.c.number).where(gradings.c.run == identity)))
        for record in run.gradings:
            if record["number"] not in known:
                values = {"run": identity, "number": record["number"], "record": dict(record)}
                self._insert(connection, "gradings", "grad", organisation, **values)
                if record["step"] is None:
                    result = {"result": record["result"], "reason_code": record["reason_code"]}
                    values = {"run": identity, "origin": "grading", **result}
                    self._insert(connection, "evaluation_results", "eval", organisation, **values)
        there = [row.record for row in connection.execute(mine(annotations, organisation, run=identity))]
        new = [dict(record) for record in run.annotations if dict(record) not in there]
        for one in new:
            self._insert(connection, "annotations", "note", organisation, run=identity, record=one)
        if new:
            note_reviews(connection, identity)

    def run(self, organisation: str, identity: str) -> Run:
        """Raises ``NotFoundError``."""
        row = require(self._storage.find("runs", organisation=organisation, id=identity), "run")
        return run_of_row(row)

    def files(self, organisation: str, run: str) -> list[KeptFile]:
        """The files of a run. Raises ``NotFoundError``."""
        self.run(organisation, run)
        query = mine(run_files, organisation, run=run).order_by(run_files.c.name)
        return [KeptFile(row.name, Blob(row.blob, row.size)) for row in self._store.rows(query)]

    def slice(self, organisation: str, asked: RunQuery) -> Slice[Run]:
        """Raises ``InputError`` for a cursor of another list."""
        chosen = chosen_runs(self._store, organisation, runs.c, asked)
        rows = sorted_slice(self._store, chosen.query, chosen.order, asked.page)
        return rows.each(lambda row: run_of_row(row._mapping))

    def every(self, organisation: str, asked: RunQuery) -> Iterator[Run]:
        """All runs that are asked for, however many, some at a time."""
        cursor = None
        while True:
            some = replace(asked, page=SliceRequest(AT_ONCE, cursor))
            rows = self.slice(organisation, some)
            yield from rows.rows
            cursor = rows.next
            if cursor is None:
                return

    def totals(self, organisation: str) -> Totals:
        """Of all runs, without going through them."""
        return totals_of(self._store, organisation, ALL).get("") or Totals()

    def groups(self, organisation: str, asked: RunQuery) -> list[dict[str, Any]]:
        """For each value of a field: the runs, those with a score, the mean of these, and how many pass."""
        name = asked.group or "task"
        found = self._from_totals(organisation, name, asked)
        if found is None:
            found = self._group_runs(organisation, name, asked)
        known = sorted(found.items(), key=lambda one: (one[0] is None, one[0] or ""))
        return [{"value": value, **totals.shown()} for value, totals in known[:MOST_GROUPS]]

    def _from_totals(self, organisation: str, name: str, asked: RunQuery) -> dict[str | None, Totals] | None:
        """Groups without going through runs, if they are narrowed down by kind and by their own values only."""
        kinds = None
        wanted: Container[str | None] | None = None
        for one in asked.conditions:
            match one:
                case OneOf("kind", values):
                    kinds = values
                case OneOf(field, values) if field == name:
                    wanted = {value if value or not runs.c[name].nullable else None for value in values}
                case _:
                    return None
        found = totals_of(self._store, organisation, name, kinds)
        return {value: totals for value, totals in found.items() if wanted is None or value in wanted}

    def _group_runs(self, organisation: str, name: str, asked: RunQuery) -> dict[str | None, Totals]:
        columns = (runs.c[name], runs.c.state, runs.c.score)
        chosen = chosen_runs(self._store, organisation, [*columns, func.count()], asked)
        found: dict[str | None, Totals] = {}
        grouped = chosen.query.group_by(*(columns if self._store.is_postgres else map(plus, columns)))
        for value, state, score, count in self._store.rows(grouped):
            found.setdefault(value, Totals()).add(State(state), score, count)
        return found

    def gradings(self, organisation: str, run: str) -> list[dict[str, Any]]:
        """The oldest first."""
        self.run(organisation, run)
        query = select(gradings.c.record).where(gradings.c.run == run).order_by(gradings.c.number)
        return [row.record for row in self._store.rows(query)]

    def annotate(self, organisation: str, run: str, record: Mapping[str, Any]) -> dict[str, Any]:
        self.run(organisation, run)
        with self._store.writing() as connection:
            values = {"run": run, "record": dict(record)}
            identity = self._insert(connection, "annotations", "note", organisation, **values)
            note_reviews(connection, run)
        return {"id": identity, "run_id": run, **record}

    def annotations(self, organisation: str, run: str, asked: SliceRequest) -> Slice[dict[str, Any]]:
        """The annotations of a run, the newest first. Raises ``NotFoundError``."""
        self.run(organisation, run)
        rows = self._storage.slice("annotations", asked, organisation=organisation, run=run)
        return rows.each(lambda row: {"id": row["id"], "run_id": row["run"], **row["record"]})


def _of_job(organisation: str, job: str) -> Any:
    return (runs.c.organisation == organisation) & (runs.c.job == job)
