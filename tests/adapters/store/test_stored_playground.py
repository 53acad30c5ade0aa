"""A playground in the store, as criteria look at it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from assay.adapters.store.store import Store
from assay.adapters.store.stored_playground import StoredPlayground
from assay.core.errors import MeasurementError
from assay.dialects.criteria.models import Criterion
from assay.engine.playground_store import NewEvent, NewResponse, Playground, Record
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
