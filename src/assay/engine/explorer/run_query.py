"""A question about runs: which ones, in which order, in which groups. One value, and one way to write it.

As parameters of an address: ``task=a&task=b`` are runs of either task, ``model=`` those without a model;
``score=0.5..1``, ``cost_usd=..2`` and ``began_at=2026-01-01..`` are ranges with both ends included;
``axis=safety=0.5..`` is a range of one axis, ``metadata=seed=3`` a value in the metadata; ``name=`` is how
names begin, ``text=`` has words of the trajectory; ``where=`` is an expression such as ``state = failed and
cost > 0.1``; ``sort=-score`` begins with the highest.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from assay.core.errors import InputError
from assay.engine.explorer.list_slices import DEFAULT_LIMIT, MOST, SliceRequest, slice_request
from assay.engine.explorer.run_expression import parse_expression
from assay.engine.explorer.run_fields import BY_NAME, CREATED, FIELDS, GROUPED, Holds
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
    Within,
    number_range,
    time_range,
)

NEWEST: Final = f"-{CREATED}"
MOST_FILTERS: Final = 50


@dataclass(frozen=True, slots=True)
class RunQuery:
    """``sort`` is a field, with - in front for the highest first. ``columns`` are those that a page shows."""

    filters: tuple[Filter, ...] = ()
    sort: str = NEWEST
    group: str | None = None
    columns: tuple[str, ...] = ()
    page: SliceRequest = field(default_factory=SliceRequest)

    @property
    def conditions(self) -> tuple[Filter, ...]:
        """All that must hold, each for itself: an expression of several parts is several conditions."""
        return tuple(part for one in self.filters for part in (one.filters if isinstance(one, AllOf) else [one]))

    @property
    def sorted_by(self) -> str:
        return self.sort.removeprefix("-")

    @property
    def descending(self) -> bool:
        return self.sort.startswith("-")

    def at(self, cursor: str | None) -> "RunQuery":
        """The same question, from another place in the list on."""
        return replace(self, page=SliceRequest(self.page.limit, cursor))


# What may be asked, with its meaning: one entry for each parameter of an address.
_RANGED: Final = {Holds.NUMBER: "a range such as 0.5..1, ..1 or 0.5..", Holds.TIME: "a range such as 2026-01-01.."}


def _meaning(name: str, holds: Holds, said: str) -> str:
    if name == "name":
        return "how the name begins"
    if holds is Holds.FLAG:
        return f"true or false: {said}"
    how = _RANGED.get(holds, "several are alternatives, an empty one is no value")
    return f"{said}; {how}"


FILTERS: Final = {one.name: _meaning(one.name, one.holds, one.meaning) for one in FIELDS} | {
    "axis": "an axis and a range of its score, such as safety=0.5..",
    "metadata": "a value in the metadata, such as seed=3",
    "text": "words of the trajectory",
    "where": "an expression, such as state = failed and cost > 0.1",
}
COLUMNS: Final = (CREATED, *BY_NAME)
SORTS: Final = (CREATED, *(one.name for one in FIELDS if one.holds is not Holds.FLAG))
SHAPES: Final = {
    "sort": f"the field to sort by, with - in front for the highest first: {', '.join(SORTS)} (default: {NEWEST})",
    "by": f"the field to group by: {', '.join(GROUPED)}",
    "columns": "the columns to show, separated by commas",
    "limit": f"how many, from 1 to {MOST} (default: {DEFAULT_LIMIT})",
    "cursor": "next or prev of an earlier page",
}


def parse_run_query(pairs: Iterable[tuple[str, str]]) -> RunQuery:
    """The question that parameters ask. Raises ``InputError`` for one that isn't known or can't be understood."""
    given: dict[str, list[str]] = {}
    for name, value in pairs:
        if name not in FILTERS and name not in SHAPES:
            raise InputError(f"there is no filter {name!r}; there are {', '.join((*FILTERS, *SHAPES))}")
        if "\0" in value:
            raise InputError(f"{name} must not contain a NUL character")
        given.setdefault(name, []).append(value)
    if sum(map(len, given.values())) > MOST_FILTERS:
        raise InputError(f"there must be at most {MOST_FILTERS} filters, got {sum(map(len, given.values()))}")
    shapes = {name: _single(name, given[name]) for name in SHAPES if name in given}
    filters = tuple(one for name in FILTERS if name in given for one in _filters(name, given[name]))
    return RunQuery(
        filters,
        _sort(shapes.get("sort", NEWEST)),
        _choice("by", shapes["by"], GROUPED) if "by" in shapes else None,
        tuple(_choice("columns", one, COLUMNS) for one in shapes.get("columns", "").split(",") if one),
        slice_request(shapes.get("limit"), shapes.get("cursor")),
    )


def pairs_of(query: RunQuery) -> list[tuple[str, str]]:
    """The parameters that ask a question. What is as usual isn't written."""
    pairs = [pair for one in query.filters for pair in _pairs(one)]
    if query.sort != NEWEST:
        pairs.append(("sort", query.sort))
    if query.group is not None:
        pairs.append(("by", query.group))
    if query.columns:
        pairs.append(("columns", ",".join(query.columns)))
    if query.page.limit != DEFAULT_LIMIT:
        pairs.append(("limit", str(query.page.limit)))
    return pairs if query.page.cursor is None else [*pairs, ("cursor", query.page.cursor)]


def _filters(name: str, values: Sequence[str]) -> Iterator[Filter]:
    match name:
        case "axis":
            yield from (_axis(one) for one in values)
        case "metadata":
            yield from (_metadata(one) for one in values)
        case "text":
            yield Mentions(" ".join(values))
        case "name":
            yield NameBegins(_single(name, values))
        case "where":
            yield AllOf(parse_expression(_single(name, values)), _single(name, values))
        case _:
            yield _of_field(name, values)


def _of_field(name: str, values: Sequence[str]) -> Filter:
    match BY_NAME[name].holds:
        case Holds.TEXT:
            return OneOf(name, tuple(dict.fromkeys(values)))
        case Holds.FLAG:
            return Is(name, _choice(name, _single(name, values), ("true", "false")) == "true")
        case Holds.NUMBER:
            return Within(name, number_range(name, _single(name, values)))
        case Holds.TIME:
            return Within(name, time_range(name, _single(name, values)))


def _axis(written: str) -> AxisWithin:
    axis, equals, span = written.rpartition("=")
    if not equals or not axis:
        raise InputError(f"axis must be a name and a range, such as safety=0.5.., got {written!r}")
    return AxisWithin(axis, number_range(f"axis {axis}", span))


def _metadata(written: str) -> HasMetadata:
    key, equals, value = written.partition("=")
    if not equals or not key:
        raise InputError(f"metadata must be a key and a value, such as seed=3, got {written!r}")
    return HasMetadata(key, value)


def _pairs(one: Filter) -> list[tuple[str, str]]:
    match one:
        case OneOf(name, values):
            return [(name, value) for value in values]
        case Is(name, flag):
            return [(name, str(flag).lower())]
        case Within(name, span):
            return [(name, span.written())]
        case AxisWithin(axis, numbers):
            return [("axis", f"{axis}={numbers.written()}")]
        case HasMetadata(key, value):
            return [("metadata", f"{key}={value}")]
        case NameBegins(text):
            return [("name", text)]
        case Mentions(text):
            return [("text", text)]
        case AllOf(_, text):
            return [("where", text)]
        case Not() | AnyOf():
            raise TypeError("only an expression as a whole can be written")


def _sort(written: str) -> str:
    _choice("sort", written.removeprefix("-"), SORTS)
    return written


def _choice(name: str, value: str, allowed: Sequence[str]) -> str:
    if value not in allowed:
        raise InputError(f"{name} must be one of {', '.join(allowed)}, got {value!r}")
    return value


def _single(name: str, values: Sequence[str]) -> str:
    if len(values) > 1:
        raise InputError(f"{name} must be given once, got {len(values)} values")
    return values[0]
