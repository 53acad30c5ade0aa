"""The order of trials: as planned, then by start, then by name."""

import json
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.dialects.harbor.plan import in_planned_order, read_plan
from assay.dialects.harbor.trial import Trial

A, B = ("a", "solver", ""), ("b", "solver", "")


def trial(name: str, started_at: str | None = None) -> Trial:
    task = name.partition("__")[0]
    return Trial(name, task, "solver", started_at=started_at, slot=(task, "solver", ""))


def at(second: int) -> str:
    return f"2026-01-01T00:00:{second:02}Z"


def names(trials: list[Trial]) -> list[str]:
    return [one.name for one in trials]


@pytest.mark.statement("harbor.trial-order")
def test_the_plan_comes_before_the_start() -> None:
    found = [trial("a__1", at(5)), trial("b__1", at(1)), trial("a__2", at(3))]
    ordered = in_planned_order(found, [A, B, A])
    assert names(ordered.trials) == ["a__2", "b__1", "a__1"]
    assert ordered.unfilled == []


def test_attempts_at_the_same_task_fill_its_slots_by_start_and_then_by_name() -> None:
    found = [trial("a__3", at(1)), trial("a__2", at(1)), trial("a__1", at(2)), trial("a__0")]
    assert names(in_planned_order(found, [A, A, A, A]).trials) == ["a__2", "a__3", "a__1", "a__0"]


def test_slots_that_nobody_filled_are_named_in_order() -> None:
    assert in_planned_order([trial("b__1")], [A, B, A, B]).unfilled == [A, A, B]


def test_trials_that_nobody_planned_come_last() -> None:
    found = [trial("x__1", at(1)), trial("a__2", at(9)), trial("a__1", at(8)), trial("x__0", at(2))]
    assert names(in_planned_order(found, [A]).trials) == ["a__1", "x__1", "x__0", "a__2"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (at(1), at(2)),
        ("2026-01-01T00:00:00.1Z", "2026-01-01T00:00:00.25Z"),
        ("2026-01-01T02:00:00+02:00", "2026-01-01T00:30:00Z"),
        ("2026-01-01T00:00:00", "2026-01-01T00:00:01Z"),  # Without a zone, it is UTC.
        (at(1), None),
        (at(1), "soon"),
        (at(1), "\ud800"),
        ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"),
    ],
)
def test_starts_are_compared_as_times(first: str | None, second: str | None) -> None:
    found = [trial("a__0", second), trial("a__1", first)]
    assert names(in_planned_order(found, []).trials) == ["a__1", "a__0"]


@given(st.lists(st.datetimes(), unique=True, max_size=8), st.sampled_from(["milliseconds", "microseconds"]))
def test_any_times_are_in_their_order(starts: list[datetime], precision: str) -> None:
    found = [trial(f"a__{i}", f"{one.isoformat(timespec=precision)}Z") for i, one in enumerate(starts)]
    cut = {"milliseconds": 1000, "microseconds": 1}[precision]
    known = {f"a__{i}": (one.replace(microsecond=one.microsecond // cut * cut), i) for i, one in enumerate(starts)}
    assert names(in_planned_order(found, []).trials) == sorted(known, key=lambda name: known[name])


@given(st.permutations([trial(f"{task}__{i}", at(i // 2)) for task in "abc" for i in range(4)]))
def test_the_order_does_not_depend_on_how_the_folder_was_listed(found: list[Trial]) -> None:
    plan = [A, B, A, A]
    expected = in_planned_order(sorted(found, key=lambda one: one.name), plan)
    assert in_planned_order(found, plan) == expected
    assert sorted(names(expected.trials)) == sorted(names(found))


def lock(*trials: Any) -> bytes:
    return json.dumps({"trials": list(trials)}).encode()


@pytest.mark.parametrize(
    ("data", "slots"),
    [
        (lock(), []),
        (lock({"task": {"name": "t", "path": "ds/t"}, "agent": {"name": "a"}}), [("ds/t", "a", "")]),
        (lock({"task": {"name": "org/t"}, "agent": {"name": "a", "model_name": "m"}}), [("org/t", "a", "m")]),
        (lock({"task": {"name": "t"}, "agent": {"import_path": "m:A"}}), [("t", "m:A", "")]),
        (lock({"task": {"name": "t"}, "agent": {}}), [("t", "", "")]),
    ],
)
def test_the_slots_of_a_lock_file(data: bytes, slots: list[tuple[str, ...]]) -> None:
    assert read_plan(data).slots == slots


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"{}", b'{"trials": 1}', b'{"trials": [{}]}', b"\xff"])
def test_a_file_that_is_no_lock_file(data: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the decoder's own words
        read_plan(data)


def test_a_lock_names_the_version_of_harbor() -> None:
    """A lock.json of schema 3 has more in it than the slots and the version."""
    trial = {
        "schema_version": 2,
        "task": {"name": "t", "digest": "sha256:0"},
        "agent": {"name": "a"},
        "skills": [],
    }
    lock = {"schema_version": 3, "harbor": {"version": "0.24.0", "is_editable": False}, "trials": [trial]}
    found = read_plan(json.dumps(lock).encode())
    assert found.version is not None
    assert (found.version.number, found.slots) == ("0.24.0", [("t", "a", "")])
    assert read_plan(json.dumps(lock | {"harbor": "new"}).encode()).version is None
