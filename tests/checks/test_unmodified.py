"""Tests and baseline unmodified: exact paths, and whatever a careless system takes for the same file.

The two guard paths in the same way, so whatever holds of one is asked of both.
"""

import pytest

from assay.checks import baseline_unmodified, tests_unmodified
from assay.core.outcome import Scored
from assay.evidence.workspace import Entry, EntryKind
from tests.checks.fake_workspace import FakeWorkspace, edited

PATH = "tests/test_cart.py"
FOLDER, NAME = PATH.split("/")
THERE = {PATH: "as it was", "other": "x"}


Guard = type[tests_unmodified.TestsUnmodified] | type[baseline_unmodified.BaselineUnmodified]


@pytest.fixture(autouse=True, params=[tests_unmodified.TestsUnmodified, baseline_unmodified.BaselineUnmodified])
def guard(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Guard:
    """The check that a test asks."""
    chosen: Guard = request.param
    monkeypatch.setattr(Asked, "guard", chosen)
    return chosen


class Asked:
    """What the functions below ask."""

    guard: Guard = tests_unmodified.TestsUnmodified


def outcome(workspace: FakeWorkspace, *paths: str) -> Scored:
    found = Asked.guard(paths or (PATH,)).run(workspace)
    assert isinstance(found, Scored)
    return found


def rules(workspace: FakeWorkspace, *paths: str) -> list[tuple[object, object]]:
    found = outcome(workspace, *paths)
    assert not found.passed
    assert found.score < 1
    findings = found.evidence["findings"]
    assert isinstance(findings, list)
    return [(each["rule"], each["path"]) for each in findings]


def test_each_is_one_of_its_own(guard: Guard) -> None:
    kinds = {each.kind for each in (tests_unmodified.TestsUnmodified, baseline_unmodified.BaselineUnmodified)}
    assert kinds == {"tests_unmodified", "baseline_unmodified"}
    assert Asked.guard is guard


@pytest.mark.parametrize("path", [PATH, f"./{PATH}", PATH.replace("/", "//")])
def test_nothing_happened_to_it(path: str) -> None:
    found = outcome(FakeWorkspace(THERE, {**THERE, "other": "y", f"{FOLDER}/new.py": "z"}), path)
    assert found == Scored(1.0, True, "1 protected file, none edited")


@pytest.mark.parametrize("path", [PATH, f"./{PATH}", PATH.replace("/", "//")])
@pytest.mark.parametrize(
    ("workspace", "rule"),
    [
        (edited(PATH, "1", "2"), "modified"),
        (FakeWorkspace({PATH: "1"}), "deleted"),
        (FakeWorkspace({PATH: "1"}, {PATH: "1"}, modes={PATH: 0o755}), "mode"),
        (FakeWorkspace({PATH: "1"}, {"copy": "1"}, links={PATH: "../copy"}), "type"),
        (FakeWorkspace({PATH: "1"}, {"elsewhere": "1"}), "renamed"),
        (FakeWorkspace({"elsewhere": "1"}, {PATH: "1"}), "renamed"),
        (FakeWorkspace({}, {PATH: "1"}), "added"),
        (FakeWorkspace(old_links={PATH: "a"}, links={PATH: "b"}), "modified"),
    ],
    ids=[
        "edited",
        "deleted",
        "mode",
        "a link to the same content",
        "moved away",
        "moved here",
        "added",
        "retargeted",
    ],
)
def test_whatever_happens_to_it_is_an_edit(workspace: FakeWorkspace, rule: str, path: str) -> None:
    assert rules(workspace, path) == [(rule, PATH)]


def test_a_finding_has_the_hashes_before_and_after() -> None:
    findings = outcome(edited(PATH, "1", "2")).evidence["findings"]
    assert isinstance(findings, list)
    assert [len(findings[0][key]) for key in ("before", "after")] == [64, 64]


@pytest.mark.parametrize(
    "alike",
    [
        PATH.upper(),
        f"{FOLDER.upper()}/{NAME}",
        f"{PATH}.",
        f"{PATH} ",
        f"{FOLDER}/\u200b{NAME}",
        f"{FOLDER}./{NAME}",
    ],
)
def test_another_spelling_of_the_name_is_taken_for_it(alike: str) -> None:
    assert rules(FakeWorkspace(THERE, {**THERE, alike: "mine"})) == [("added", alike)]


@pytest.mark.parametrize("other", [f"{PATH}.bak", f"x/{PATH}", NAME, f"{FOLDER}/x_{NAME}", f"{FOLDER}.py"])
def test_a_name_that_only_resembles_it_is_another_file(other: str) -> None:
    assert outcome(FakeWorkspace(THERE, {**THERE, other: "mine"})).passed


@pytest.mark.parametrize("new", [THERE, {PATH: "edited"}, {}], ids=["untouched", "edited", "deleted"])
@pytest.mark.parametrize("pattern", [f"{FOLDER}/*", "*", "tests/test_?art.py", "tests/test_[abc]art.py"])
def test_a_pattern_guards_nothing_and_breaks_the_scorer(new: dict[str, str], pattern: str) -> None:
    with pytest.raises(ValueError, match=r"a path must be exact, got the pattern .*: name the files, such as "):
        outcome(FakeWorkspace(THERE, new), pattern)


@pytest.mark.parametrize("path", ["pages/[id].test.ts", "what?.py", "*"])
def test_the_signs_of_a_pattern_may_be_in_a_name(path: str) -> None:
    there = {path: "1", "pages/i.test.ts": "2"}
    assert outcome(FakeWorkspace(there, there), path).passed
    assert rules(FakeWorkspace(there, {**there, path: "2"}), path) == [("modified", path)]


def test_a_pattern_of_nothing_is_a_path_that_was_never_there() -> None:
    assert outcome(FakeWorkspace(THERE, THERE), "lib/*").evidence == {"absent": ["lib/*"]}


def test_a_path_that_was_never_there_is_named() -> None:
    found = outcome(FakeWorkspace(THERE, THERE), PATH, "tpyo.py")
    assert found == Scored(
        1.0, True, "2 protected files, none edited; tpyo.py never existed", {"absent": ["tpyo.py"]}
    )


@pytest.mark.parametrize("new", [THERE, {PATH: "edited"}, {}], ids=["untouched", "edited", "deleted"])
def test_a_folder_guards_nothing_and_breaks_the_scorer(new: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=f"a path must be a file, got the folder {FOLDER}: name the files in it"):
        outcome(FakeWorkspace(THERE, new), FOLDER)


def test_a_hard_link_is_an_edit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeWorkspace, "entry", lambda *_: Entry(EntryKind.FILE, 0o644, 1, "same", names=2))
    assert rules(FakeWorkspace(THERE, THERE)) == [("hard link", PATH)]


def test_what_could_not_be_captured_may_be_an_edit() -> None:
    found = outcome(FakeWorkspace(THERE, THERE, cut=("a folder can't be read",)))
    assert (found.passed, found.summary) == (False, "can't tell: a folder can't be read")


def test_a_repository_around_it_may_hide_an_edit() -> None:
    assert rules(FakeWorkspace(THERE, THERE, nested_repositories=(FOLDER,))) == [("nested repository", FOLDER)]
    assert outcome(FakeWorkspace(THERE, THERE, nested_repositories=("elsewhere",))).passed


def test_the_score_is_the_share_that_was_not_edited() -> None:
    old = dict.fromkeys("abcd", "1")
    assert outcome(FakeWorkspace(old, {**old, "a": "2"}), *old).score == 0.75


@pytest.mark.parametrize("paths", [(), ("",), (PATH, ""), ("/etc/passwd",), ("../x",), ("a/../b",), (".",)])
def test_paths_that_name_nothing_in_the_workspace_are_refused(guard: Guard, paths: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="path"):
        guard(paths)
