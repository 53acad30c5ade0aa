"""Questions about runs, answered by the store."""

from typing import Any

from sqlalchemy import Select, and_, exists, false, func, literal_column, or_, select, text, true
from sqlalchemy.sql.elements import ColumnElement

from assay.adapters.store.limits import is_text
from assay.adapters.store.run_tables import run_axes, run_metadata, run_texts, runs
from assay.adapters.store.service.keyset import Order
from assay.adapters.store.service.run_values import words
from assay.core.errors import InputError
from assay.engine.service.run_fields import CREATED
from assay.engine.service.run_query import (
    AxisWithin,
    During,
    Filter,
    HasMetadata,
    Is,
    Mentions,
    NameBegins,
    OneOf,
    RunQuery,
    Within,
)
from assay.engine.service.run_ranges import Range

# A word that most trajectories have finds the newest of them.
MOST_MENTIONS = 5000
LAST_CHARACTER = "\U0010ffff"


def order_of(asked: RunQuery) -> Order:
    column = None if asked.sorted_by == CREATED else runs.c[asked.sorted_by]
    return Order(column, runs.c.id, asked.descending)


def filtered(
    query: "Select[*tuple[Any, ...]]", organisation: str, asked: RunQuery, postgres: bool
) -> "Select[*tuple[Any, ...]]":
    """The runs of an organisation that are asked for."""
    return query.where(
        runs.c.organisation == organisation, *(_condition(organisation, one, postgres) for one in asked.filters)
    )


def _condition(organisation: str, one: Filter, postgres: bool) -> ColumnElement[bool]:
    match one:
        case OneOf(name, values):
            return _one_of(runs.c[name], values)
        case Is(name, flag):
            return runs.c[name] == (true() if flag else false())
        case Within(name, span):
            return _within(runs.c[name], span)
        case During(name, times):
            return _within(runs.c[name], times)
        case AxisWithin(axis, span):
            of_axis = (run_axes.c.run == runs.c.id) & (run_axes.c.axis == axis)
            return exists().where(of_axis, _within(run_axes.c.score, span))
        case HasMetadata(key, value):
            same = (run_metadata.c.key == key) & (run_metadata.c.value == value)
            return exists().where(run_metadata.c.run == runs.c.id, same)
        case NameBegins(start):
            return _begins(start, postgres)
        case Mentions(said):
            return runs.c.id.in_(_mentioning(organisation, said, postgres))


def _one_of(column: Any, values: tuple[str, ...]) -> ColumnElement[bool]:
    known = [value for value in values if is_text(value) and (value or not column.nullable)]
    found: ColumnElement[bool] = column == known[0] if len(known) == 1 else column.in_(known)
    if not column.nullable or "" not in values:
        return found
    return or_(found, column.is_(None)) if known else column.is_(None)


def _within(column: Any, span: "Range[Any]") -> ColumnElement[bool]:
    ends = [column >= span.low] if span.low is not None else []
    if span.high is not None:
        ends.append(column <= span.high)
    return and_(*ends)


def _begins(start: str, postgres: bool) -> ColumnElement[bool]:
    if not is_text(start):
        raise InputError("name must be Unicode text")
    if postgres:
        found: ColumnElement[bool] = runs.c.name.startswith(start, autoescape=True)
        return found
    return and_(runs.c.name >= start, runs.c.name < start + LAST_CHARACTER)


def _mentioning(organisation: str, said: str, postgres: bool) -> Any:
    wanted = list(words(said))
    if not wanted or not is_text(said):
        raise InputError("text must have words of letters or digits")
    if postgres:
        document = func.to_tsvector(literal_column("'simple'::regconfig"), run_texts.c.text)
        asked = func.plainto_tsquery(literal_column("'simple'::regconfig"), " ".join(wanted))
        mine = run_texts.c.organisation == organisation
        return select(run_texts.c.run).where(mine, document.op("@@")(asked))
    quoted = " AND ".join(f'text : "{word}"' for word in wanted)
    mine_too = f'organisation : "{organisation.replace(chr(34), chr(34) * 2)}" AND {quoted}'
    return select(run_texts.c.run).where(_NEWEST_MENTIONS.bindparams(mentions=mine_too, most=MOST_MENTIONS))


_NEWEST_MENTIONS = text(
    "number IN (SELECT rowid FROM run_search WHERE run_search MATCH :mentions ORDER BY rowid DESC LIMIT :most)"
)
