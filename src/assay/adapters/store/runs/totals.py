"""How many runs of each kind there are for each value of a field, kept up to date beside the runs.

A run that was just added may not be counted yet (``runs.counted``): a task run ends without waiting for others
that end at the same time. Whoever reads totals adds those that are not counted, and counts them if they are many.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from sqlalchemy import Connection, false, select, true, update
from sqlalchemy.dialects import postgresql
from sqlalchemy.engine import Row

from assay.adapters.store.bulk import one_of, upsert_many
from assay.adapters.store.run_tables import run_totals, runs
from assay.adapters.store.service.keyset import plus
from assay.adapters.store.store import Store
from assay.engine.explorer.run_fields import GROUPED
from assay.engine.explorer.run_totals import Totals, fraction_of
from assay.evidence.run import State

# The totals of all runs.
ALL: Final = ""
FIELDS: Final = (ALL, *GROUPED)
_READ: Final = [runs.c.id, runs.c.score, *(runs.c[name] for name in GROUPED)]
# As many runs may wait to be counted.
MOST_UNCOUNTED: Final = 500
FOLDED_AT_ONCE: Final = 5000
BATCH: Final = 1000
# No value, as the key of a row has it. No value of a run has this character.
NOTHING: Final = "\x01"
_COUNTS: Final = ("runs", "total")


class Changes:
    """Pending additions to totals, by field, kind of run and value."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str, str], Totals] = {}

    def add_all(self, rows: Iterable[Mapping[str, Any]], sign: int = 1) -> None:
        """Count runs, or take them away. Runs that are alike are added up once."""
        of_kind: dict[str, list[Mapping[str, Any]]] = {}
        for row in rows:
            of_kind.setdefault(row["kind"], []).append(row)
        for kind, some in of_kind.items():
            self._add(kind, some, sign)

    def _add(self, kind: str, rows: Sequence[Mapping[str, Any]], sign: int) -> None:
        results = [(State(row["state"]), row["score"]) for row in rows]
        alike = Counter(results).items()
        for name in FIELDS:
            values = [""] if name == ALL else [row[name] for row in rows]
            one, *more = set(values)
            if more:
                for (value, (state, score)), count in Counter(zip(values, results, strict=True)).items():
                    self._of(name, kind, value).add(state, score, sign * count)
                continue
            # Most fields are the same in all runs of a job.
            totals = self._of(name, kind, one)
            for (state, score), count in alike:
                totals.add(state, score, sign * count)

    def _of(self, name: str, kind: str, value: str | None) -> Totals:
        key = (name, kind, NOTHING if value is None else value)
        totals = self.found.get(key)
        if totals is None:
            totals = self.found[key] = Totals()
        return totals


def apply(connection: Connection, organisation: str, changes: Changes) -> None:
    """Write changes, in the order of their keys, so that two who do so don't wait for each other in a ring.

    They hold the new totals afterwards.
    """
    keys = sorted(changes.found)
    if connection.dialect.name == "postgresql" and keys:
        # Rows that aren't there can't be locked. On SQLite, there is nobody else who writes.
        empty = [{**row, "runs": 0, "total": "0"} for key in keys for row in _rows(organisation, key, changes)]
        connection.execute(postgresql.insert(run_totals).on_conflict_do_nothing(), empty)
    for (name, kind), some in groupby(keys, lambda key: key[:2]):
        values = [value for _, _, value in some]
        for at in range(0, len(values), BATCH):
            for row in _lock_totals(connection, organisation, name, kind, values[at : at + BATCH]):
                _include(changes.found[name, kind, row.value], row)
    rows = [row for key in keys for row in _rows(organisation, key, changes)]
    upsert_many(connection, run_totals, rows, _COUNTS)


def _lock_totals(connection: Connection, organisation: str, name: str, kind: str, values: list[str]) -> Any:
    mine = _of_field(organisation, name) & (run_totals.c.kind == kind)
    these = one_of(run_totals.c.value, values, connection.dialect)
    query = select(run_totals).where(mine, these).order_by(run_totals.c.value, run_totals.c.state)
    return connection.execute(query.with_for_update()).all()


def uncount(connection: Connection, organisation: str, identities: Iterable[str]) -> None:
    """Take runs out of the totals before they are changed. They are counted again later."""
    changes = Changes()
    for identity in identities:
        query = select(*_READ).where(runs.c.id == identity, runs.c.counted == true())
        row = connection.execute(query).first()
        if row is not None:
            changes.add_all([dict(row._mapping)], -1)
            connection.execute(update(runs).where(runs.c.id == identity).values(counted=False))
    apply(connection, organisation, changes)


def totals_of(
    store: Store, organisation: str, name: str, kinds: Sequence[str] | None = None
) -> dict[str | None, Totals]:
    """The totals of each value of a field, ``ALL`` for those of all runs. ``kinds`` leaves out others."""
    with store.snapshot() as connection:
        uncounted = not_counted(organisation, store.is_postgres)
        found, waiting = _read(connection, organisation, name, kinds, uncounted)
    if waiting > MOST_UNCOUNTED:
        fold(store, organisation)
    return found


def fold(store: Store, organisation: str) -> int:
    """Count all runs that are not counted, some at a time; returns how many."""
    done = 0
    while count := _fold_some(store, organisation):
        done += count
    return done


def _fold_some(store: Store, organisation: str) -> int:
    """A run is marked by the statement that takes it, so two concurrent counts count it only once."""
    some = select(runs.c.id).limit(FOLDED_AT_ONCE)
    with store.writing(durable=False) as connection:
        some = some.where(not_counted(organisation, store.is_postgres))
        if store.is_postgres:
            some = some.with_for_update(skip_locked=True)
        taken = update(runs).where(runs.c.id.in_(some)).values(counted=True).returning(*_READ)
        changes = Changes()
        rows = connection.execute(taken).all()
        changes.add_all([dict(row._mapping) for row in rows])
        apply(connection, organisation, changes)
    return len(rows)


def _read(
    connection: Connection, organisation: str, name: str, kinds: Sequence[str] | None, uncounted: Any
) -> tuple[dict[str | None, Totals], int]:
    found: dict[str | None, Totals] = {}
    for row in connection.execute(select(run_totals).where(_of_field(organisation, name))):
        if row.runs and (kinds is None or row.kind in kinds):
            _include(found.setdefault(None if row.value == NOTHING else row.value, Totals()), row)
    column = runs.c.id if name == ALL else runs.c[name]
    query = select(column, runs.c.kind, runs.c.score, runs.c.state).where(uncounted)
    waiting = 0
    for value, kind, score, state in connection.execute(query):
        if kinds is None or kind in kinds:
            found.setdefault("" if name == ALL else value, Totals()).add(State(state), score)
        waiting += 1
    return found, waiting


def _of_field(organisation: str, name: str) -> Any:
    return (run_totals.c.organisation == organisation) & (run_totals.c.field == name)


def not_counted(organisation: str, postgres: bool) -> Any:
    """Which runs of an organisation the totals don't have yet."""
    # SQLite, which has no statistics, would take another index of the organisation's runs: all of them.
    mine = runs.c.organisation if postgres else plus(runs.c.organisation)
    return (mine == organisation) & (runs.c.counted == false())


def _include(totals: Totals, row: "Row[*tuple[Any, ...]]") -> None:
    totals.add_sum(State(row.state), row.runs, *fraction_of(row.total))


def _rows(organisation: str, key: tuple[str, str, str], changes: Changes) -> Iterator[dict[str, object]]:
    """One row for each state, in order."""
    name, kind, value = key
    for state, (count, total) in sorted(changes.found[key].cells().items()):
        mine = {"organisation": organisation, "field": name, "kind": kind, "value": value, "state": state.value}
        yield {**mine, "runs": count, "total": total}
