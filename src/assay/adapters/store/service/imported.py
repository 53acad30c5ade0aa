"""Imported runs in the store, with their gradings and annotations, and questions about many of them."""

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

from sqlalchemy import Connection, delete, func, insert, select
from sqlalchemy.engine import Row

from assay.adapters.store import limits
from assay.adapters.store.service.paging import PageRequest, Rows, page
from assay.adapters.store.service_tables import annotations, gradings, runs
from assay.adapters.store.store import Store
from assay.core.errors import InputError
from assay.engine.service.errors import ConflictError, NotFoundError
from assay.engine.service.host import ServiceHost
from assay.engine.service.imported_runs import Imported, ImportedRun, mean_score

FILTERS: Final = ("job", "task", "agent", "model", "dataset", "status", "reason_code")
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
            for run in new:
                counts[self._add(connection, organisation, run)] += 1
        return Imported(**counts)

    def _add(self, connection: Connection, organisation: str, run: ImportedRun) -> str:
        same = (runs.c.organisation == organisation) & (runs.c.job == run.job) & (runs.c.name == run.name)
        found = connection.execute(select(runs.c.id, runs.c.digest, runs.c.status).where(same)).first()
        identity = self._host.new_id("run") if found is None else found.id
        if found is None:
            connection.execute(insert(runs).values(self._values(organisation, identity, run)))
        elif found.digest != run.digest and found.status == UNUSABLE:
            connection.execute(delete(runs).where(runs.c.id == identity))
            connection.execute(insert(runs).values(self._values(organisation, identity, run)))
        elif found.digest != run.digest:
            raise ConflictError(f"the run {run.name} of the job {run.job} was imported with another result")
        self._add_beside(connection, organisation, identity, run)
        return "added" if found is None else "known" if found.digest == run.digest else "replaced"

    def _values(self, organisation: str, identity: str, run: ImportedRun) -> dict[str, object]:
        names = ("job", "name", "task", "agent", "dataset", "model", "reason_code", "exception_type")
        texts = {name: getattr(run, name) for name in names}
        for name, text in texts.items():
            if text is not None:
                limits.checked_text(text, f"the {name} of a run")
        finite = run.score is not None and math.isfinite(run.score)
        return {
            "id": identity,
            "organisation": organisation,
            **texts,
            "status": run.status,
            "rewards": run.rewards,
            "score": run.score if finite else None,
            "cost_usd": run.cost_usd,
            "started_at": run.started_at,
            "finished_at": run.finished_at,
            "digest": run.digest,
            "created_at": self._host.now(),
        }

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

    def page(self, organisation: str, wanted: Mapping[str, str | None], asked: PageRequest) -> Rows:
        return page(self._store, _filtered(select(runs), organisation, wanted), runs.c.id, asked)

    def groups(self, organisation: str, by: str, wanted: Mapping[str, str | None]) -> list[dict[str, Any]]:
        """For each value of a field: how many runs, how many with a score, and the mean of these."""
        if by not in FILTERS:
            raise InputError(f"by must be one of {', '.join(FILTERS)}, got {by!r}")
        column = runs.c[by]
        counted = select(column, func.count(), func.count(runs.c.score)).group_by(column).order_by(column)
        rows = self._store.rows(_filtered(counted, organisation, wanted).limit(MOST_GROUPS))
        scores: dict[str | None, list[float]] = {}
        scored = select(column, runs.c.score).where(runs.c.score.is_not(None)).order_by(runs.c.id)
        for value, score in self._store.rows(_filtered(scored, organisation, wanted)):
            scores.setdefault(value, []).append(score)
        return [
            {"value": value, "runs": count, "scored": some, "mean": mean_score(scores.get(value, ()))}
            for value, count, some in rows
        ]

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


def _filtered(query: Any, organisation: str, wanted: Mapping[str, str | None]) -> Any:
    query = query.where(runs.c.organisation == organisation)
    for name, value in wanted.items():
        if value is not None:
            query = query.where(runs.c[name] == value)
    return query


def run_of_row(row: "Row[*tuple[Any, ...]]") -> dict[str, Any]:
    shown = {
        name: getattr(row, name)
        for name in ("id", "job", "name", "task", "agent", "model", "dataset", "status", "score", "reason_code")
    }
    more = {name: getattr(row, name) for name in ("exception_type", "cost_usd", "started_at", "finished_at")}
    rewards = None if row.rewards is None else json.loads(row.rewards)
    return {**shown, **more, "rewards": rewards, "created_at": row.created_at}
