"""Questions about runs, answered by the store in one of two ways.

If one of the filters leaves few runs, these are found by its index and then sorted. Otherwise the list is walked
in its order, and runs that don't fit are passed by. Databases guess which is better, and are badly wrong at times;
so each filter is tried first, up to a bound, which takes a millisecond. SQLite is held to the choice by a + before
a column, which keeps it from using an index of that column.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any, Final, cast

from sqlalchemy import (
    Integer,
    Select,
    and_,
    any_,
    exists,
    false,
    func,
    literal_column,
    not_,
    or_,
    select,
    text,
    true,
)
from sqlalchemy.sql.elements import ColumnElement

from assay.adapters.store.errors import StoreRefusalError
from assay.adapters.store.run_tables import run_axes, run_metadata, run_texts, runs
from assay.adapters.store.runs.run_values import MOST_TOKENS, words
from assay.adapters.store.service.keyset import Order, plus
from assay.adapters.store.store import Store
from assay.engine.criteria.stored_limits import is_text
from assay.engine.explorer.run_fields import CREATED
from assay.engine.explorer.run_filters import (
    AllOf,
    AnyOf,
    AxisWithin,
    Filter,
    HasMetadata,
    Is,
    Mentions,
    NameBegins,
    Not,
    OneOf,
    Range,
    Within,
)
from assay.engine.explorer.run_query import RunQuery

# So many runs are sorted faster than a list is walked until a page of them is found.
FEW: Final = 5000
# So many ids are sorted fast enough, if nothing but an index is read for them.
MANY: Final = 200_000
# A word that most trajectories have finds the newest of them.
MOST_MENTIONS: Final = 5000
LAST_CHARACTER: Final = "\U0010ffff"
_WORDS: Final[ColumnElement[Any]] = literal_column("run_texts.search_words")
_NEWEST_MENTIONS: Final = text(
    "number IN (SELECT rowid FROM run_search WHERE run_search MATCH :mentions ORDER BY rowid DESC LIMIT :most)"
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The runs that are asked for, and how they are to be sorted."""

    query: "Select[*tuple[Any, ...]]"
    order: Order


def chosen_runs(
    store: Store, organisation: str, columns: "Iterable[ColumnElement[Any]]", asked: RunQuery
) -> Chosen:
    """A query of the runs of an organisation. Raises ``InputError`` for words that can't be looked for."""
    search = _RunSearch(organisation, store.is_postgres)
    column = None if asked.sorted_by == CREATED else runs.c[asked.sorted_by]
    fewest = _fewest(store, search, asked.conditions)
    walked = fewest is not None and _in_order(fewest, column)
    late = column is None and _is_found_late(store, search, asked.conditions, fewest is not None)
    few = None if walked or late else fewest
    apart = (few is not None or late) and not store.is_postgres
    order = Order(column, runs.c.id, asked.descending, apart, late)
    mine = plus(runs.c.organisation) if apart and not late else runs.c.organisation
    query = select(*columns).where(mine == organisation)
    if few is not None:
        ids = search.ids(few)
        query = query.where(
            runs.c.id == any_(func.array(ids.scalar_subquery())) if store.is_postgres else runs.c.id.in_(ids)
        )
    for one in asked.conditions:
        if one is not few:
            used = late or store.is_postgres or (one is fewest if walked else not apart and _in_order(one, column))
            query = query.where(search.condition(one, free=not used))
    return Chosen(query, order)


def _fewest(store: Store, search: "_RunSearch", filters: Sequence[Filter]) -> Filter | None:
    """The filter that leaves the fewest runs, if these are few."""
    found: list[tuple[int, int]] = []
    for at, one in enumerate(filters):
        # Those that mention a word are bounded already.
        bounded = search.ids(one) if isinstance(one, Mentions) else search.ids(one).limit(FEW + 1)
        [[count]] = store.rows(select(func.count()).select_from(bounded.subquery()))
        if count <= FEW:
            found.append((count, at))
        if count == 0:
            break
    return filters[min(found)[1]] if found else None


def _is_found_late(store: Store, search: "_RunSearch", filters: Sequence[Filter], few: bool) -> bool:
    """Whether the ids that a single range leaves are sorted: the index has them, and no more is read.

    Walking a list from its newest end would pass all that came after a range of times.
    """
    if len(filters) != 1 or not isinstance(filters[0], Within | NameBegins):
        return False
    if few:
        return True
    bounded = search.ids(filters[0]).limit(MANY + 1).subquery()
    [[count]] = store.rows(select(func.count()).select_from(bounded))
    return bool(count <= MANY)


def _in_order(one: Filter, sorted_by: Any) -> bool:
    """Whether the index that a filter is found by has the order of the list."""
    match one:
        case OneOf(name, values):
            return len(values) == 1 and (sorted_by is None or sorted_by.name == name)
        case Is(name, _):
            return sorted_by is None
        case Within(name, _):
            return sorted_by is not None and sorted_by.name == name
        case NameBegins():
            return sorted_by is not None and sorted_by.name == "name"
    return False


class _RunSearch:
    """Filters as conditions on runs, and as the ids that an index finds."""

    def __init__(self, organisation: str, postgres: bool) -> None:
        self._organisation = organisation
        self._postgres = postgres

    def ids(self, one: Filter) -> "Select[*tuple[Any, ...]]":
        match one:
            case AxisWithin(axis, span):
                mine = (run_axes.c.organisation == self._organisation) & (run_axes.c.axis == axis)
                return select(run_axes.c.run).where(mine, _within(run_axes.c.score, span))
            case HasMetadata(key, value):
                mine = (run_metadata.c.organisation == self._organisation) & (run_metadata.c.key == key)
                return select(run_metadata.c.run).where(mine, run_metadata.c.value == value)
            case Mentions(said):
                return self._mentioning(said)
        own = runs.c.organisation == self._organisation
        return select(runs.c.id).where(own, self.condition(one, free=False))

    def condition(self, one: Filter, free: bool) -> ColumnElement[bool]:
        """``free`` keeps the database from using the index of the column."""
        match one:
            case OneOf(name, values):
                return _one_of(runs.c[name], values, free)
            case Is(name, flag):
                return and_(_column(name, free) == (true() if flag else false()))
            case Within(name, span):
                return _within(_column(name, free), span)
            case AxisWithin(axis, span):
                of_axis = (run_axes.c.run == runs.c.id) & (run_axes.c.axis == axis)
                return exists().where(of_axis, _within(plus(run_axes.c.score), span))
            case HasMetadata(key, value):
                same = (run_metadata.c.key == key) & (run_metadata.c.value == value)
                return exists().where(run_metadata.c.run == runs.c.id, same)
            case NameBegins(start):
                return _begins(_column("name", free), start)
            case Mentions(said):
                return runs.c.id.in_(self._mentioning(said))
            case Not(other):
                return not_(func.coalesce(self.condition(other, free), false()))
            case AnyOf(some):
                return or_(*(self.condition(other, free) for other in some))
            case AllOf(some):
                return and_(*(self.condition(other, free) for other in some))

    def _mentioning(self, said: str) -> "Select[*tuple[Any, ...]]":
        wanted = list(words(said))
        if not wanted or not is_text(said):
            raise StoreRefusalError("text must have words of letters or digits")
        if self._postgres:
            asked = func.plainto_tsquery(literal_column("'simple'::regconfig"), " ".join(wanted))
            mine = run_texts.c.organisation == self._organisation
            found = select(run_texts.c.run).where(mine, _WORDS.op("@@")(asked))
            return found.order_by(run_texts.c.number.desc()).limit(MOST_MENTIONS)
        quoted = " AND ".join(f'text : "{word}"' for word in wanted)
        own = self._organisation.replace('"', '""')
        words_of = {"mentions": f'organisation : "{own}" AND {quoted}', "most": MOST_MENTIONS}
        return select(run_texts.c.run).where(_NEWEST_MENTIONS.bindparams(**words_of))


def _column(name: str, free: bool) -> Any:
    return plus(runs.c[name]) if free else runs.c[name]


def _one_of(column: Any, values: tuple[str, ...], free: bool) -> ColumnElement[bool]:
    known = [value for value in values if is_text(value) and (value or not column.nullable)]
    named = plus(column) if free else column
    found: ColumnElement[bool] = named == known[0] if len(known) == 1 else named.in_(known)
    if not column.nullable or "" not in values:
        return found
    return or_(found, named.is_(None)) if known else named.is_(None)


def _within(column: Any, span: "Range[Any]") -> ColumnElement[bool]:
    """Ends for whole numbers are whole: a database compares others by a type that no index has."""
    low, high = span.low, span.high
    if low is None and high is None:
        return cast("ColumnElement[bool]", column.is_not(None))
    if isinstance(column.type, Integer):
        low = None if low is None else ceil(min(max(low, -MOST_TOKENS), MOST_TOKENS))
        high = None if high is None else floor(min(max(high, -MOST_TOKENS), MOST_TOKENS))
    ends = [column >= low] if low is not None else []
    if high is not None:
        ends.append(column <= high)
    return and_(*ends)


def _begins(column: Any, start: str) -> ColumnElement[bool]:
    """Names are compared by their code points on both databases."""
    if not is_text(start):
        raise StoreRefusalError("name must be Unicode text")
    return and_(column >= start, column < start + LAST_CHARACTER)
