"""How many runs there are for each value of a field, kept up to date beside the runs.

A run that was just added may not be counted yet (``runs.counted``): a task run ends without waiting for others
that end at the same time. Whoever reads totals adds those that are not counted, and counts them if they are many.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import groupby
from typing import Any, Final

from sqlalchemy import Connection, bindparam, false, select, true, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Row

from assay.adapters.store.run_tables import run_totals, runs
from assay.adapters.store.store import Store
from assay.engine.service.run_fields import GROUPED
from assay.engine.service.run_totals import Totals

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


class Changes:
    """What is to be added to totals, by field and value."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], Totals] = {}

    def add(self, values: Mapping[str, Any], sign: int = 1) -> None:
        """Count a run, or take it away."""
        score, verdict = values["score"], values["verdict"]
        for name in FIELDS:
            value = "" if name == ALL else values[name]
            key = (name, NOTHING if value is None else value)
            totals = self.found.get(key)
            if totals is None:
                totals = self.found[key] = Totals()
            totals.add(score, verdict, sign)


def apply(connection: Connection, organisation: str, changes: Changes) -> None:
    """Write changes, in the order of their keys, so that two who do so don't wait for each other in a ring."""
    keys = sorted(changes.found)
    if not keys:
        return
    made = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    empty = [{"organisation": organisation, "field": f, "value": v, **_columns(Totals())} for f, v in keys]
    connection.execute(made(run_totals).on_conflict_do_nothing(), empty)
    changed = []
    for name, of_field in groupby(keys, lambda key: key[0]):
        values = [value for _, value in of_field]
        for at in range(0, len(values), BATCH):
            for row in _locked(connection, organisation, name, values[at : at + BATCH]):
                both = _totals(row)
                both.include(changes.found[name, row.value])
                changed.append({"b_field": name, "b_value": row.value, **_columns(both)})
    mine = (run_totals.c.organisation == organisation) & (run_totals.c.field == bindparam("b_field"))
    connection.execute(update(run_totals).where(mine, run_totals.c.value == bindparam("b_value")), changed)


def _locked(connection: Connection, organisation: str, name: str, values: list[str]) -> Any:
    mine = (run_totals.c.organisation == organisation) & (run_totals.c.field == name)
    query = select(run_totals).where(mine, run_totals.c.value.in_(values)).order_by(run_totals.c.value)
    return connection.execute(query.with_for_update()).all()


def uncount(connection: Connection, organisation: str, identities: Iterable[str]) -> None:
    """Take runs out of the totals before they are changed. They are counted again later."""
    changes = Changes()
    for identity in identities:
        query = select(*_READ).where(runs.c.id == identity, runs.c.counted == true())
        row = connection.execute(query).first()
        if row is not None:
            changes.add(dict(row._mapping), -1)
            connection.execute(update(runs).where(runs.c.id == identity).values(counted=False))
    apply(connection, organisation, changes)


def totals_of(store: Store, organisation: str, name: str) -> dict[str | None, Totals]:
    """The totals of each value of a field, ``ALL`` for those of all runs."""
    with store.snapshot() as connection:
        found, waiting = _read(connection, organisation, name)
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
    """Whoever takes a run marks it in the same statement, so that two who count at once count each once."""
    some = select(runs.c.id).where(_uncounted(organisation)).limit(FOLDED_AT_ONCE)
    with store.writing(durable=False) as connection:
        if store.is_postgres:
            some = some.with_for_update(skip_locked=True)
        taken = update(runs).where(runs.c.id.in_(some)).values(counted=True).returning(*_READ)
        changes = Changes()
        rows = connection.execute(taken).all()
        for row in rows:
            changes.add(dict(row._mapping))
        apply(connection, organisation, changes)
    return len(rows)


def _read(connection: Connection, organisation: str, name: str) -> tuple[dict[str | None, Totals], int]:
    mine = (run_totals.c.organisation == organisation) & (run_totals.c.field == name)
    found: dict[str | None, Totals] = {}
    for row in connection.execute(select(run_totals).where(mine)):
        if row.runs:
            found[None if row.value == NOTHING else row.value] = _totals(row)
    column = runs.c.id if name == ALL else runs.c[name]
    query = select(column, runs.c.score, runs.c.verdict).where(_uncounted(organisation))
    waiting = 0
    for value, score, verdict in connection.execute(query):
        found.setdefault("" if name == ALL else value, Totals()).add(score, verdict)
        waiting += 1
    return found, waiting


def _uncounted(organisation: str) -> Any:
    return (runs.c.organisation == organisation) & (runs.c.counted == false())


def _totals(row: "Row[*tuple[Any, ...]]") -> Totals:
    return Totals(row.runs, row.scored, row.judged, row.passed, Fraction(row.total))


def _columns(totals: Totals) -> dict[str, object]:
    counts = {name: getattr(totals, name) for name in ("runs", "scored", "judged", "passed")}
    return {**counts, "total": str(totals.total)}
