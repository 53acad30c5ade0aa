"""A question about runs is written in one way, and read back as it was."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import InputError
from assay.engine.explorer.list_slices import SliceRequest
from assay.engine.explorer.run_fields import FIELDS, GROUPED, Holds
from assay.engine.explorer.run_query import (
    COLUMNS,
    SORTS,
    AxisWithin,
    Filter,
    HasMetadata,
    Is,
    Mentions,
    NameBegins,
    OneOf,
    RunQuery,
    Within,
    pairs_of,
    parse_run_query,
)
from assay.engine.explorer.run_ranges import Range

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
TIMES = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))


def ranges(ends: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    open_ends = st.builds(Range, ends, st.none()) | st.builds(Range, st.none(), ends)
    return open_ends | st.builds(Range, ends, ends)


def of_field(name: str, holds: Holds) -> st.SearchStrategy[Filter]:
    if name == "name":
        return st.builds(NameBegins, TEXT)
    match holds:
        case Holds.TEXT:
            return st.builds(OneOf, st.just(name), st.lists(TEXT, min_size=1, max_size=3, unique=True).map(tuple))
        case Holds.FLAG:
            return st.builds(Is, st.just(name), st.booleans())
        case Holds.NUMBER:
            return st.builds(Within, st.just(name), ranges(NUMBERS))
        case Holds.TIME:
            return st.builds(Within, st.just(name), ranges(TIMES))


# In the order in which they are read.
FILTERS = st.tuples(
    *(st.lists(of_field(one.name, one.holds), max_size=1) for one in FIELDS),
    st.lists(st.builds(AxisWithin, TEXT.filter(bool), ranges(NUMBERS)), max_size=2),
    st.lists(st.builds(HasMetadata, TEXT.filter(lambda key: key and "=" not in key), TEXT), max_size=2),
    st.lists(st.builds(Mentions, TEXT), max_size=1),
).map(lambda found: tuple(one for some in found for one in some))
QUERIES = st.builds(
    RunQuery,
    FILTERS.filter(lambda found: len(found) < 15),
    st.sampled_from([*SORTS, *(f"-{one}" for one in SORTS)]),
    st.none() | st.sampled_from(GROUPED),
    st.lists(st.sampled_from(COLUMNS), max_size=4).map(tuple),
    st.builds(SliceRequest, st.integers(1, 100), st.none() | TEXT.filter(bool)),
)


@given(QUERIES)
def test_what_is_written_reads_back(query: RunQuery) -> None:
    assert parse_run_query(pairs_of(query)) == query
    assert parse_run_query(pairs_of(query)) == query


def test_nothing_asked_is_nothing_written() -> None:
    assert pairs_of(RunQuery()) == []
    assert parse_run_query([]) == RunQuery()


def test_a_day_is_the_whole_day() -> None:
    [found] = parse_run_query([("began_at", "2026-01-02")]).filters
    assert isinstance(found, Within)
    assert found.range.low == datetime(2026, 1, 2, tzinfo=UTC)
    assert found.range.high == datetime(2026, 1, 2, 23, 59, 59, 999999, tzinfo=UTC)


def test_too_many_filters_are_refused() -> None:
    with pytest.raises(InputError, match="there must be at most 50 filters, got 51"):
        parse_run_query([("task", str(n)) for n in range(51)])
