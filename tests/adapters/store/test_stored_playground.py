"""A playground in the store, as criteria look at it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from assay.adapters.store.store import Store
from assay.adapters.store.stored_playground import StoredPlayground
from assay.core.errors import MeasurementError
from assay.dialects.criteria.models import Criterion
from assay.engine.playground_store import NewEvent, NewResponse, Playground, Record
from assay.evidence import bounds
from assay.evidence.playground import PlaygroundState, StateRow, Turn
from tests.checks.criteria.fake_state import AFTER, BEFORE, START
from tests.checks.criteria.test_records import ADT, ELIGIBLE
from tests.completing import complete

pytestmark = pytest.mark.xdist_group("postgres")

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
    state = recorded(store, AFTER)
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
