"""A playground in the store, as criteria look at it."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from assay.adapters.store import tables, writing
from assay.adapters.store.records import Records
from assay.adapters.store.store import Store
from assay.core.errors import MeasurementError
from assay.dialects.criteria.models import Criterion
from assay.engine.criteria.shared_state import SharedState
from assay.engine.criteria.stored_playground import StoredPlayground
from assay.engine.criteria.watched_sources import NewEvent, NewResponse, Playground, Record
from assay.evidence import bounds
from assay.evidence.playground import PlaygroundState, StateRow, Turn
from tests.checks.criteria.fake_state import AFTER, BEFORE, START
from tests.checks.criteria.test_records import ADT, ELIGIBLE
from tests.completing import complete

ASSERTIONS: list[dict[str, Any]] = [
    {"assert": "hl7-structural", "fields": [{"path": "PID.5.1", "expected": "Smith"}]},
    {"assert": "x12-response", "fields": [{"path": "EB01", "expected": "1"}]},
    {"assert": "voice-transcript", "contains": ["is confirmed"]},
    {
        "assert": "portal-state-match",
        "correlate_by": {"resource": "visit"},
        "assertions": [{"path": "a", "expected": 1}],
    },
]


def recorded(store: Store, at: datetime) -> PlaygroundState:
    records: list[Record] = [
        NewEvent("hl7_outbound", ADT.encode(), at),
        NewResponse(ELIGIBLE.encode(), at),
        StateRow("visit", "v1", {"a": 1}, at),
        Turn(1, "agent", "Your visit is confirmed.", at),
    ]
    box = Playground("box", START)
    store.record("box", records, new=box)
    return StoredPlayground(store, box)


def criteria(**more: Any) -> list[Criterion]:
    return [Criterion(label=one["assert"], assertion={**one, **more}) for one in ASSERTIONS]


def test_criteria_find_what_was_recorded(store: Store) -> None:
    answer = complete(criteria(), {}, recorded(store, AFTER))
    assert [(run.label, run.passed) for run in answer.criterion_runs] == [
        (one["assert"], True) for one in ASSERTIONS
    ]


def test_what_was_there_before_the_run_does_not_count(store: Store) -> None:
    answer = complete(criteria(since="run_start"), {}, recorded(store, BEFORE))
    assert [run.passed for run in answer.criterion_runs] == [False] * len(ASSERTIONS)


def test_all_criteria_look_at_the_same_state(store: Store) -> None:
    state = SharedState(recorded(store, AFTER))
    seen = state.turns()
    store.record("box", [Turn(2, "agent", "more", datetime.now(UTC))])
    assert state.turns() == seen
    assert len(StoredPlayground(store, store.playground("box")).turns()) == 2


def test_sources_that_are_not_configured_are_no_zero(store: Store) -> None:
    state = recorded(store, AFTER)
    with pytest.raises(MeasurementError, match="no FHIR server is configured for the playground 'box'"):
        _ = state.fhir
    with pytest.raises(MeasurementError, match="no files are configured"):
        _ = state.files


def test_no_more_is_read_than_the_bounds_allow(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """One record alone may be too large, and all together; what is left out keeps its place."""
    monkeypatch.setattr(bounds, "MESSAGE_BYTES", 100)
    monkeypatch.setattr(bounds, "MESSAGES_BYTES", 150)
    monkeypatch.setattr(bounds, "SPEECH_CHARACTERS", 20)
    sizes = (60, 101, 80, 70)
    records: list[Record] = [NewEvent("e", b"x" * size, AFTER) for size in sizes]
    records += [NewResponse(b"x" * size, AFTER) for size in sizes]
    records += [StateRow("r", str(n), {"a": "x" * (size - 8)}, AFTER) for n, size in enumerate(sizes)]
    records += [Turn(n, "agent", "x" * size, AFTER) for n, size in enumerate((15, 30, 5, 5), 1)]
    store.record("box", records, new=Playground("box", START))
    lengths = [60, 0, 80, 0]
    for found in (store.events("box", "e"), store.x12_responses("box")):
        assert [len(one.payload) for one in found] == lengths
        assert [one.unread is None for one in found] == [True, False, True, False]
    assert [bool(one.data) for one in store.state_rows("box", "r")] == [True, False, True, False]
    assert [(len(one.text), one.unread is None) for one in store.turns("box")] == [
        (15, True),
        (0, False),
        (5, True),
        (0, False),
    ]


def test_one_record_more_than_is_read_is_asked_for(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_RECORDS", 3)
    store.record("box", [NewEvent("e", b"x", AFTER) for _ in range(9)], new=Playground("box", START))
    assert len(store.events("box", "e")) == 4


def as_of(store: Store, at: datetime) -> list[object]:
    return [row.data["a"] for row in Records(store.rows, until=at).state_rows("box", "r")]


def test_every_version_of_a_row_is_there_at_its_time(store: Store) -> None:
    store.add_playground(Playground("box", START))
    moments = [START + timedelta(seconds=n) for n in range(4)]
    with store.writing() as connection:
        for number, moment in enumerate(moments):
            writing.add(connection, "box", StateRow("r", "k", {"a": number}, BEFORE), moment)
    assert as_of(store, START - timedelta(seconds=1)) == []
    assert [as_of(store, moment) for moment in moments] == [[0], [1], [2], [3]]
    assert [row.data for row in store.state_rows("box", "r")] == [{"a": 3}]


def test_two_who_replace_a_row_keep_both_versions(store: Store) -> None:
    store.record("box", [StateRow("r", "k", {"a": -1}, AFTER)], new=Playground("box", START))

    def replace(number: int) -> None:
        store.record("box", [StateRow("r", "k", {"a": number}, AFTER)])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(replace, range(20)))
    kept = [row.data["a"] for row in store.rows(select(tables.replaced_rows))]
    last = [row.data["a"] for row in store.state_rows("box", "r")]
    assert sorted(kept + last) == list(range(-1, 20))


def test_versions_go_with_their_playground(store: Store) -> None:
    box = Playground("box", START)
    store.record("box", [StateRow("r", "k", {"a": n}, AFTER) for n in range(3)], new=box)
    store.replace(box, [])
    assert store.rows(select(tables.replaced_rows)) == []
