"""A question about runs is written in one way, and read back as it was."""

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import InputError
from assay.engine.explorer.list_slices import SliceRequest
from assay.engine.explorer.page_source import Lines
from assay.engine.explorer.run_fields import FIELDS, GROUPED, Holds
from assay.engine.explorer.run_filters import (
    AxisWithin,
    Filter,
    HasMetadata,
    Is,
    Mentions,
    NameBegins,
    OneOf,
    Range,
    Within,
)
from assay.engine.explorer.run_query import COLUMNS, SORTS, RunQuery, pairs_of, parse_run_query
from assay.evidence.run import Run, State

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


MOMENT = datetime(2026, 3, 1, 10, tzinfo=UTC)
LISTED = Lines(
    [
        Run(job="j", name="a", task="sums", state=State.PASSED, score=1.0, cost_usd=0.25, began_at=MOMENT),
        Run(job="j", name="b", task="two words", state=State.FAILED, score=0.0, tokens=7, began_at=MOMENT),
        Run(job="j", name="c", task="sums", state=State.BROKEN, gates_disagree=True, metadata={"seed": 3}),
        Run(job="k", name="d", task="and", state=State.FAILED, score=0.0, cost_usd=0.5, axes={"safety": 0.25}),
    ],
    lambda _run, _text: False,
)
EXPRESSIONS = [
    ("state = failed and cost > 0.1", "d"),
    ("cost > 0.25", "d"),
    ("cost >= 0.25", "ad"),
    ("cost<0.5 or tokens=7", "ab"),
    ("state = failed or state = broken and job = k", "bd"),
    ("(state = failed or state = broken) and job = k", "d"),
    ("not cost > 0.25", "abc"),
    ("cost != none", "ad"),
    ("cost = none and not gates_disagree", "b"),
    ("NOT gates_disagree = false", "c"),
    ("task in (sums, 'and')", "acd"),
    ('task = "two words"', "b"),
    ("name != a", "bcd"),
    ("metadata.seed = 3", "c"),
    ("axis.safety < 0.5", "d"),
    ("axis.safety = none", "abc"),
    ("began_at = 2026-03-01", "ab"),
    ("time < 2026-03-01 or time > 2026-03-01", ""),
    ("tokens > 6.5 and tokens <= 7", "b"),
]


@pytest.mark.parametrize(("written", "found"), EXPRESSIONS)
def test_an_expression_finds(written: str, found: str) -> None:
    asked = parse_run_query([("where", written), ("sort", "name")])
    assert "".join(run.name for run in LISTED.every_line(asked)) == found
    assert parse_run_query(pairs_of(asked)) == asked


def test_values_of_one_field_are_one_filter() -> None:
    [listed] = parse_run_query([("where", "state in (failed, broken, failed)")]).conditions
    assert listed == OneOf("state", ("failed", "broken"))


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("", "at character 1 of the expression a field must come, one of kind, job"),
        ("stat = failed", "at character 1 of the expression a field must come.*, got 'stat'"),
        ("state failed", "at character 7 .* state must be followed by =, .*, got 'failed'"),
        ("state < failed", "at character 7 .* state can only be compared by =, != or in, got '<'"),
        ("cost > much", "at character 8 .* cost must be compared with a number such as 0.5, got 'much'"),
        ("cost > nan", "at character 8"),
        ("cost > none", "at character 8 .* none can only be compared"),
        ("time > 9999-12-31", "at character 8 .* time must be compared with a time such as"),
        ("state = failed cost", "at character 16 .* and or or must come, got 'cost'"),
        ("state = ", "at character 8 .* a value of state must come, got its end"),
        ("state = (failed)", "at character 9 .* a value of state must come"),
        ("(state = failed", r"at character 16 .* \) must come, got its end"),
        ("state = 'failed", "from character 8 on the expression can't be read"),
        ("gates_disagree = maybe", "at character 18 .* must be true or false"),
        ("not " * 60 + "gates_disagree", "nothing may be nested more than 50 deep"),
        (" or ".join(["score = 1"] * 51), "there must be at most 50 comparisons"),
        ("x" * 2001, "at most 2000 characters"),
    ],
)
def test_an_expression_is_refused_at_its_place(written: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_run_query([("where", written)])


@given(st.text("state=failed andornt()'\"<>!,.0 1", max_size=40))
def test_any_expression_is_read_or_refused(written: str) -> None:
    with suppress(InputError):
        LISTED.every_line(parse_run_query([("where", written)]))
