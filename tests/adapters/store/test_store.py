"""What is recorded is what is read, on both databases."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.adapters.store.store import Store
from assay.core.errors import InputError
from assay.engine.criteria.stored_limits import PAYLOAD_BYTES
from assay.engine.criteria.watched_sources import NewEvent, NewResponse, Playground, Record
from assay.evidence.playground import StateRow, Turn
from tests.sampling import SEARCHING

START = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
LATER = START + timedelta(seconds=1)
BOX = Playground("box", START, "https://fhir.example/r4", "folder:/x", {"patient": {"mrn": "007"}})


def test_a_playground(store: Store) -> None:
    store.add_playground(BOX)
    assert store.playground("box") == BOX
    assert (store.has_playground("box"), store.has_playground("other"), store.has_playground("\0")) == (
        True,
        False,
        False,
    )


def test_a_playground_is_added_once(store: Store) -> None:
    store.add_playground(BOX)
    with pytest.raises(InputError, match="the playground 'box' exists already"):
        store.add_playground(Playground("box", LATER))
    assert store.playground("box") == BOX


@pytest.mark.parametrize("name", ["other", "", "\0", "\ud800"])
def test_a_playground_that_is_not_there(store: Store, name: str) -> None:
    with pytest.raises(InputError, match="there is no playground"):
        store.playground(name)
    with pytest.raises(InputError, match="there is no playground"):
        store.record(name, [])


def test_events_come_in_the_order_of_their_times_and_then_of_their_recording(store: Store) -> None:
    store.add_playground(BOX)
    events = [NewEvent("hl7_outbound", body, at) for body, at in ((b"3", LATER), (b"1", START), (b"2", START))]
    assert store.record("box", [*events, NewEvent("other", b"x", START)]) == 4
    store.record("box", [NewEvent("hl7_outbound", b"4", LATER)])
    found = store.events("box", "hl7_outbound")
    assert [event.payload for event in found] == [b"1", b"2", b"3", b"4"]
    assert [event.at for event in found] == [START, START, LATER, LATER]
    assert len({event.id for event in found}) == 4


def test_playgrounds_do_not_see_each_other(store: Store) -> None:
    for name in ("a", "b"):
        records: list[Record] = [
            NewEvent("e", name.encode(), START),
            NewResponse(name.encode(), START),
            StateRow("r", "k", {"in": name}, START),
            Turn(1, "agent", name, START),
        ]
        store.record(name, records, new=Playground(name, START))
    assert [event.payload for event in store.events("a", "e")] == [b"a"]
    assert [event.payload for event in store.x12_responses("b")] == [b"b"]
    assert [row.data for row in store.state_rows("a", "r")] == [{"in": "a"}]
    assert [turn.text for turn in store.turns("b")] == ["b"]


def test_a_row_of_state_replaces_the_one_before(store: Store) -> None:
    store.add_playground(BOX)
    old, new = (
        StateRow("visit", "v1", {"status": status}, at) for status, at in (("free", START), ("taken", LATER))
    )
    store.record("box", [old, StateRow("visit", "v2", {}, START)])
    store.record("box", [new])
    assert store.state_rows("box", "visit") == [StateRow("visit", "v2", {}, START), new]
    assert store.state_rows("box", "\0") == []


def test_turns_come_by_number_and_once(store: Store) -> None:
    store.add_playground(BOX)
    store.record("box", [Turn(2, "agent", "two", START), Turn(1, "caller", "one", LATER)])
    with pytest.raises(InputError, match="turn 2 exists already"):
        store.record("box", [Turn(3, "agent", "three", START), Turn(2, "agent", "changed", START)])
    assert [turn.text for turn in store.turns("box")] == ["one", "two"]


def test_times_are_moments_in_utc_whatever_the_zone(store: Store) -> None:
    store.add_playground(BOX)
    there = datetime(2026, 7, 1, 1, 30, tzinfo=timezone(timedelta(hours=5, minutes=45)))
    store.record("box", [NewEvent("e", b"", there)])
    at = store.events("box", "e")[0].at
    assert (at, at.tzinfo) == (there, UTC)


NAIVE = datetime(2026, 3, 1)
WRONG: list[tuple[Record, str]] = [
    (Turn(1, "agent", "a\0b", START), "the text of turn 1 must not contain a NUL character"),
    (Turn(1, "agent", "\udc80", START), "the text of turn 1 must be Unicode text, but has half of a character"),
    (Turn(1, "", "a", START), "the speaker of turn 1 must be a text of 1 to 200 bytes"),
    (Turn(0, "agent", "a", START), "the number of a turn must be from 1"),
    (Turn(2**31, "agent", "a", START), "the number of a turn must be from 1"),
    (Turn(1, "agent", "a", NAIVE), "the time of turn 1 must have a time zone"),
    (NewEvent("a\0", b"", START), "the type of an event must not contain a NUL character"),
    (NewEvent("a", b"\0" * (PAYLOAD_BYTES + 1), START), "the payload of an event must have at most"),
    (NewResponse(b"", datetime.max.replace(tzinfo=timezone(timedelta(hours=-1)))), "is out of range"),
    (StateRow("r", "k" * 1001, {}, START), "the key of a row must be a text of 1 to 1000 bytes"),
    (StateRow("r", "\0", {}, START), "the key of a row must not contain a NUL character"),
    (StateRow("r", "k", {"a": float("nan")}, START), "the data of a row can't be written as JSON"),
    (StateRow("r", "k", {"a": b"bytes"}, START), "the data of a row can't be written as JSON"),
]


@pytest.mark.parametrize(("record", "says"), WRONG, ids=[says for _, says in WRONG])
def test_what_a_store_can_not_hold_is_refused_on_both_alike(store: Store, record: Record, says: str) -> None:
    store.add_playground(BOX)
    with pytest.raises(InputError, match=says):
        store.record("box", [NewEvent("first", b"", START), record])
    assert store.events("box", "first") == []


def test_long_keys_fit(store: Store) -> None:
    name, key = "n" * 200, "\u00e9" * 500
    store.record(name, [StateRow(name, key, {}, START)], new=Playground(name, START))
    assert [row.key for row in store.state_rows(name, name)] == [key]


texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
names = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=40)
plain: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
moments = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))
count = iter(range(1_000_000))


@settings(max_examples=40 if SEARCHING else 8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(), texts, names, st.dictionaries(st.text(), plain, max_size=3), moments)
def test_anything_comes_back_as_it_was(
    store: Store, payload: bytes, text: str, name: str, data: dict[str, Any], at: datetime
) -> None:
    box = f"box{next(count)}"
    row, turn = StateRow(name, name, data, at), Turn(1, name, text, at)
    store.record(box, [NewEvent(name, payload, at), NewResponse(payload, at), row, turn], new=Playground(box, at))
    (event,), (response,) = store.events(box, name), store.x12_responses(box)
    assert (event.type, event.payload, event.at) == (name, payload, at)
    assert (response.payload, response.at) == (payload, at)
    assert (store.state_rows(box, name), store.turns(box)) == ([row], [turn])
