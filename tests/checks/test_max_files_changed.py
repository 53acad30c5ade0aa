"""Max files changed: how many paths something happened to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.max_files_changed import SHOWN, MaxFilesChanged
from assay.core.outcome import Scored
from assay.formats.counting import counted
from tests.checks.fake_workspace import FakeWorkspace, edited


def outcome(workspace: FakeWorkspace, limit: int) -> Scored:
    found = MaxFilesChanged(limit).run(workspace)
    assert isinstance(found, Scored)
    return found


def many(count: int) -> FakeWorkspace:
    return FakeWorkspace({}, {f"file{number:03}": str(number) for number in range(count)})


@pytest.mark.parametrize(
    ("changed", "limit", "passed", "score"),
    [
        (0, 0, True, 1.0),
        (1, 0, False, 0.0),
        (3, 3, True, 1.0),
        (3, 4, True, 1.0),
        (4, 3, False, 0.75),
    ],
)
def test_at_most_so_many_may_change(changed: int, limit: int, passed: bool, score: float) -> None:
    found = outcome(many(changed), limit)
    assert (found.passed, found.score) == (passed, score)
    assert found.summary == f"{counted(changed, 'changed path')}, the limit is {limit}"


@pytest.mark.parametrize(
    ("workspace", "count"),
    [
        (edited("x", "1", "2"), 1),
        (FakeWorkspace({"x": "1"}), 1),
        (FakeWorkspace({"x": "1"}, {"y": "1"}), 2),
        (FakeWorkspace({"x": "1"}, {"x": "1"}, modes={"x": 0o755}), 1),
        (FakeWorkspace({"x": "1"}, links={"x": "y"}), 1),
        (FakeWorkspace(links={"x": "y"}), 1),
        (FakeWorkspace({"x": "1"}, {"x": "1"}), 0),
    ],
    ids=["edited", "deleted", "renamed", "mode", "type", "link", "nothing"],
)
def test_what_counts(workspace: FakeWorkspace, count: int) -> None:
    assert outcome(workspace, 9).evidence["changed"] == count


def test_the_paths_are_evidence_up_to_a_number() -> None:
    assert outcome(many(2), 0).evidence["paths"] == ["file000", "file001"]
    assert len(outcome(many(SHOWN + 1), 0).evidence["paths"]) == SHOWN  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "workspace", [FakeWorkspace(nested_repositories=("inner",)), FakeWorkspace(cut=("a can't be read",))]
)
def test_changes_that_can_not_be_counted_fail(workspace: FakeWorkspace) -> None:
    found = outcome(workspace, 1000)
    assert (found.passed, found.score) == (False, 0.0)
    assert found.evidence["findings"]


def test_a_limit_below_0_is_refused() -> None:
    with pytest.raises(ValueError, match="limit must be at least 0, got -1"):
        MaxFilesChanged(-1)


@given(st.integers(0, 30), st.integers(0, 30))
def test_the_score_is_1_only_for_a_pass(changed: int, limit: int) -> None:
    found = outcome(many(changed), limit)
    assert found.passed is (changed <= limit)
    assert (found.score == 1.0) is found.passed
