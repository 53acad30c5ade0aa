"""Allowed paths: every changed path must match one of the patterns."""

import pytest

from assay.checks.allowed_paths import AllowedPaths
from assay.core.outcome import Outcome, Scored
from tests.checks.fake_workspace import FakeWorkspace, added, edited


def outcome(workspace: FakeWorkspace, *patterns: str) -> Scored:
    found: Outcome = AllowedPaths(patterns).run(workspace)
    assert isinstance(found, Scored)
    return found


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("src/a.py", "src/a.py"),
        ("src/a.py", "src/*"),
        ("src/deep/file.py", "src/*"),
        ("src/deep/file.py", "src/**"),
        ("src/deep/file.py", "*.py"),
        ("src/a.py", "src/?.py"),
        ("src/a.py", "src/[ab].py"),
        ("src/.hidden/a", "src/*"),
    ],
)
def test_a_path_that_matches_is_allowed(path: str, pattern: str) -> None:
    assert outcome(added(path, "x"), "docs/*", pattern) == Scored(1.0, True, "1 changed path, none outside")


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("src/a.py", "src"),
        ("src/a.py", "a.py"),
        ("src/a.py", "SRC/*"),
        ("SRC/a.py", "src/*"),
        ("lib/src/a.py", "src/*"),
        ("src/a.py", "src/[!a].py"),
        # Another spelling may be taken for an allowed one elsewhere, but here it is a file of its own.
        ("\uff53\uff52\uff43/a.py", "src/*"),
    ],
)
def test_any_other_path_is_not(path: str, pattern: str) -> None:
    found = outcome(added(path, "x"), pattern)
    assert (found.passed, found.score, found.summary) == (False, 0.0, f"{path} is not allowed")
    assert found.evidence == {"findings": [{"rule": "outside", "path": path}]}


def test_nothing_changed_is_a_pass() -> None:
    assert outcome(FakeWorkspace({"a": "x"}, {"a": "x"}), "src/*") == Scored(1.0, True, "nothing changed")


def test_the_score_is_the_share_that_is_allowed() -> None:
    found = outcome(FakeWorkspace({}, {"src/a": "1", "src/b": "2", "src/c": "3", "x": "4"}), "src/*")
    assert (found.passed, found.score) == (False, 0.75)


@pytest.mark.parametrize(("old", "new"), [("src/a", "b"), ("b", "src/a")])
def test_a_rename_counts_under_both_of_its_paths(old: str, new: str) -> None:
    found = outcome(FakeWorkspace({old: "same"}, {new: "same"}), "src/*")
    assert found.evidence == {"findings": [{"rule": "outside", "path": "b"}]}


@pytest.mark.parametrize(
    "workspace",
    [
        edited("x", "1", "2"),
        edited("x", b"\0\1", b"\0\2"),
        FakeWorkspace({"x": "1"}),
        FakeWorkspace({"x": "1"}, {"x": "1"}, modes={"x": 0o755}),
        FakeWorkspace({"x": "1"}, links={"x": "src/a"}),
        FakeWorkspace(links={"x": "src"}),
    ],
    ids=["edited", "binary", "deleted", "mode", "type", "link"],
)
def test_every_kind_of_change_counts(workspace: FakeWorkspace) -> None:
    assert not outcome(workspace, "src/*").passed


def test_where_changes_may_hide_they_are_not_known_to_be_allowed() -> None:
    found = outcome(FakeWorkspace(nested_repositories=("src/inner",), cut=("src/big is too large",)), "src/*")
    assert (found.passed, found.score) == (False, 0.0)
    assert found.evidence == {
        "findings": [
            {"rule": "nested repository", "path": "src/inner"},
            {"rule": "not captured", "detail": "src/big is too large"},
        ]
    }


def test_what_is_likely_to_be_a_mistake_in_the_patterns_is_said_beside_what_was_not_allowed() -> None:
    found = outcome(added("src/a.py", "x"), "src/**/*.py")
    note = "'**/' in 'src/**/*.py' needs at least one folder; add 'src/*.py' to match without one"
    assert (found.passed, found.summary) == (False, f"src/a.py is not allowed; {note}")
    assert found.evidence["notes"] == [note]
    assert outcome(FakeWorkspace(), "src/**/*.py") == Scored(
        1.0, True, f"nothing changed; {note}", {"notes": [note]}
    )


def test_a_list_without_a_glob_is_refused() -> None:
    with pytest.raises(ValueError, match="patterns needs at least one glob"):
        AllowedPaths(())


@pytest.mark.parametrize("pattern", ["", "src/", "./src/*", "/src/*", "src/../*"])
def test_a_pattern_that_would_allow_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"a pattern must have|no path of a workspace matches"):
        AllowedPaths(("docs/*", pattern))
