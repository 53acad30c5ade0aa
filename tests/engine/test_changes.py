"""Changes between two states: all of them and nothing else."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.engine.coding.workspace_changes import changes_between
from assay.evidence.workspace import Change, ChangeKind, Entry, EntryKind
from tests.builders import within

PATHS = st.sampled_from(["a", "b", "c", "d/a", "d/b", "e/a"])
ENTRIES = st.builds(
    Entry,
    st.sampled_from([EntryKind.FILE, EntryKind.FILE, EntryKind.LINK, EntryKind.OTHER]),
    st.sampled_from([0o644, 0o755]),
    st.just(1),
    st.sampled_from(["x", "y"]),
    st.integers(1, 2),
)
STATES = st.dictionaries(PATHS, ENTRIES)


def same(one: Entry, other: Entry) -> bool:
    return (one.kind, one.mode, one.digest) == (other.kind, other.mode, other.digest)


def applied(changes: tuple[Change, ...], before: Mapping[str, Entry]) -> dict[str, Entry]:
    state = dict(before)
    for change in changes:
        state.pop(change.old_path, None)
    state.update((change.path, change.after) for change in changes if change.after is not None)
    return state


@given(STATES, STATES)
def test_the_changes_lead_from_one_state_to_the_other(before: dict[str, Entry], after: dict[str, Entry]) -> None:
    state = applied(changes_between(before, after), before)
    assert state.keys() == after.keys()
    assert all(same(state[path], after[path]) for path in after)


@given(STATES, STATES)
def test_nothing_unchanged_is_listed_and_nothing_twice(before: dict[str, Entry], after: dict[str, Entry]) -> None:
    changes = changes_between(before, after)
    listed = [path for change in changes for path in change.paths]
    assert len(listed) == len(set(listed))
    for path in listed:
        old, new = before.get(path), after.get(path)
        assert old is None or new is None or not same(old, new)


@given(STATES, STATES)
def test_each_kind_says_what_it_says(before: dict[str, Entry], after: dict[str, Entry]) -> None:
    changes = changes_between(before, after)
    assert [change.path for change in changes] == sorted(change.path for change in changes)
    for change in changes:
        assert change.before == before.get(change.old_path)
        assert change.after == after.get(change.path)
        assert (change.kind is ChangeKind.RENAMED) == (change.path != change.old_path)
        assert (change.kind is ChangeKind.ADDED) == (change.before is None)
        assert (change.kind is ChangeKind.DELETED) == (change.after is None)


def file(digest: str, size: int = 1, mode: int = 0o644) -> Entry:
    return Entry(EntryKind.FILE, mode, size, digest)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": file("x")}, {"b": file("x")}, {"b": "a"}),
        ({"a": file("x")}, {"b": file("x", mode=0o755)}, {"b": "a"}),
        ({"a": file("x")}, {"b": file("y")}, {}),
        ({"a": file("", 0)}, {"b": file("", 0)}, {}),
        ({"a": Entry(EntryKind.LINK, 0o777, 1, "x")}, {"b": Entry(EntryKind.LINK, 0o777, 1, "x")}, {}),
        ({"a": file("x")}, {"b": Entry(EntryKind.LINK, 0o777, 1, "x")}, {}),
        # An equal name goes before an earlier one.
        ({"a/one": file("x"), "b/two": file("x")}, {"c/two": file("x")}, {"c/two": "b/two"}),
        (
            {"a/one": file("x"), "a/two": file("x")},
            {"b/one": file("x"), "b/two": file("x")},
            {"b/one": "a/one", "b/two": "a/two"},
        ),
        ({"a": file("x")}, {"b": file("x"), "c": file("x")}, {"b": "a"}),
        # A file that stays has not moved.
        ({"a": file("x")}, {"a": file("x"), "b": file("x")}, {}),
    ],
)
def test_renames(before: dict[str, Entry], after: dict[str, Entry], expected: dict[str, str]) -> None:
    changes = changes_between(before, after)
    assert {one.path: one.old_path for one in changes if one.kind is ChangeKind.RENAMED} == expected


def test_a_storm_of_renames_costs_no_more_than_its_length() -> None:
    before = {f"old/{number}": file("x") for number in range(40_000)}
    after = {f"new/{number + 7}": file("x") for number in range(40_000)}
    with within(120):
        changes = changes_between(before, after)
    assert {change.kind for change in changes} == {ChangeKind.RENAMED}
