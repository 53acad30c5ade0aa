"""Forbid paths: no changed path may match one of the patterns, under any spelling that a system takes for it."""

import pytest

from assay.checks.forbid_paths import ForbidPaths
from assay.core.outcome import Scored
from tests.checks.fake_workspace import FakeWorkspace, added


def outcome(workspace: FakeWorkspace, *patterns: str) -> Scored:
    found = ForbidPaths(patterns).run(workspace)
    assert isinstance(found, Scored)
    return found


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        (".github/workflows/ci.yml", ".github/*"),
        (".github/workflows/ci.yml", ".github/**"),
        ("config/secrets.yml", "*secrets*"),
        ("a/secrets/b", "*secrets*"),
        ("Makefile", "Makefile"),
        # The same name in disguise.
        (".GitHub/workflows/ci.yml", ".github/*"),
        (".GITHUB/workflows/ci.yml", ".github/*"),
        (".github./workflows/ci.yml", ".github/*"),
        (".github /workflows/ci.yml", ".github/*"),
        (".git\u200bhub/workflows/ci.yml", ".github/*"),
        (".\uff47\uff49\uff54hub/workflows/ci.yml", ".github/*"),
        ("caf\u0065\u0301/a", "caf\u00e9/*"),
        ("Makefile.", "Makefile"),
        ("sub/.Env", "*/.env"),
    ],
)
def test_a_path_that_matches_fails(path: str, pattern: str) -> None:
    found = outcome(added(path, "x"), "nothing", pattern)
    assert (found.passed, found.score) == (False, 0.0)
    assert found.evidence == {"findings": [{"rule": "forbidden", "path": path, "pattern": pattern}]}


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("src/a.py", ".github/*"),
        ("docs/.github-pages", ".github/*"),
        ("github/a", ".github/*"),
        (".github", ".github/*"),
        ("makefile", "Makefile"),
        ("src/Secrets.py", "*secrets*"),
        ("src/a.py", "src"),
    ],
)
def test_any_other_path_does_not(path: str, pattern: str) -> None:
    assert outcome(added(path, "x"), pattern) == Scored(1.0, True, "1 changed path, none forbidden")


@pytest.mark.parametrize(("old", "new"), [("ci/a", "b"), ("b", "ci/a")])
def test_a_rename_counts_under_both_of_its_paths(old: str, new: str) -> None:
    found = outcome(FakeWorkspace({old: "same"}, {new: "same"}), "ci/*")
    assert found.evidence == {"findings": [{"rule": "forbidden", "path": "ci/a", "pattern": "ci/*"}]}


@pytest.mark.parametrize(
    "workspace",
    [
        FakeWorkspace({"ci/x": "1"}),
        FakeWorkspace({"ci/x": "1"}, {"ci/x": "1"}, modes={"ci/x": 0o755}),
        FakeWorkspace({"ci/x": "1"}, links={"ci/x": "src/a"}),
        FakeWorkspace(links={"ci/x": "/etc"}),
    ],
    ids=["deleted", "mode", "type", "link"],
)
def test_every_kind_of_change_counts(workspace: FakeWorkspace) -> None:
    assert not outcome(workspace, "ci/*").passed


def test_nothing_changed_is_a_pass() -> None:
    assert outcome(FakeWorkspace({"ci/x": "1"}, {"ci/x": "1"}), "*").passed


def test_where_changes_may_hide_they_may_be_forbidden() -> None:
    assert not outcome(FakeWorkspace(nested_repositories=("inner",)), "ci/*").passed
    assert not outcome(FakeWorkspace(cut=("there are more than 500000 files",)), "ci/*").passed


def test_all_findings_are_counted_and_the_first_is_named() -> None:
    found = outcome(FakeWorkspace({}, {"ci/b": "1", "ci/a": "2"}), "ci/*")
    assert found.summary == "ci/a must not change (2 in all)"


def test_what_is_likely_to_be_a_mistake_in_the_patterns_is_said_beside_a_pass() -> None:
    note = "'!ci/a' excludes nothing: '!' is part of the name"
    found = outcome(added("src/a", "x"), "ci/*", "!ci/a")
    assert found == Scored(1.0, True, f"1 changed path, none forbidden; {note}", {"notes": [note]})


def test_a_list_without_a_glob_is_refused() -> None:
    with pytest.raises(ValueError, match="patterns needs at least one glob"):
        ForbidPaths(())


@pytest.mark.parametrize("pattern", ["", ".github/", "./.github/*", "/.github/*", "../*"])
def test_a_pattern_that_would_forbid_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"a pattern must have|no path of a workspace matches"):
        ForbidPaths(("docs/*", pattern))
