"""File exists: a regular file with something in it."""

import pytest

from assay.checks.file_exists import FileExists
from assay.core.outcome import Scored
from assay.evidence.workspace import Entry, EntryKind
from tests.checks.fake_workspace import FakeWorkspace, added


def outcome(workspace: FakeWorkspace, path: str = "a/answer.txt", allow_empty: bool = False) -> Scored:
    found = FileExists(path, allow_empty).run(workspace)
    assert isinstance(found, Scored)
    assert found.score == (1.0 if found.passed else 0.0)
    return found


@pytest.mark.parametrize("path", ["a/answer.txt", "./a/answer.txt", "a//answer.txt", "a/./answer.txt"])
def test_a_file_that_is_there(path: str) -> None:
    found = outcome(added("a/answer.txt", "x"), path)
    assert (found.passed, found.summary) == (True, "a/answer.txt is there")


def test_it_may_have_been_there_before() -> None:
    assert outcome(FakeWorkspace({"a/answer.txt": "x"}, {"a/answer.txt": "x"})).passed


@pytest.mark.parametrize(
    ("workspace", "complaint"),
    [
        (FakeWorkspace(), "a/answer.txt is missing"),
        (FakeWorkspace({"a/answer.txt": "x"}), "a/answer.txt is missing"),
        (added("a/Answer.txt", "x"), "a/answer.txt is missing"),
        (added("a/answer.txt", ""), "a/answer.txt is empty"),
        (FakeWorkspace(links={"a/answer.txt": "other"}), "a/answer.txt is a link, not a regular file"),
        (FakeWorkspace({}, {"other": "x"}, links={"a/answer.txt": "../other"}), "a/answer.txt is a link, not a"),
    ],
    ids=["never", "deleted", "another case", "empty", "dangling link", "link"],
)
def test_what_is_no_answer(workspace: FakeWorkspace, complaint: str) -> None:
    found = outcome(workspace)
    assert not found.passed
    assert found.summary.startswith(complaint)
    assert found.evidence["findings"] == [{"rule": "missing", "path": "a/answer.txt"}]


@pytest.mark.parametrize(
    ("kind", "name"), [(EntryKind.FOLDER, "a folder"), (EntryKind.OTHER, "a pipe, a socket or a device")]
)
def test_a_folder_or_a_pipe_is_no_answer(kind: EntryKind, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeWorkspace, "entry", lambda *_: Entry(kind, 0o755, 0, ""))
    assert outcome(FakeWorkspace()).summary == f"a/answer.txt is {name}, not a regular file"


@pytest.mark.parametrize("name", ["__init__.py", "py.typed", ".gitkeep", ".keep", ".nojekyll"])
def test_files_that_are_empty_by_convention(name: str) -> None:
    assert outcome(added(f"pkg/{name}", ""), f"pkg/{name}").passed


def test_any_file_may_be_empty_if_the_scenario_says_so() -> None:
    assert outcome(added("a/answer.txt", ""), allow_empty=True).passed
    assert not outcome(FakeWorkspace(), allow_empty=True).passed


def test_a_pattern_is_a_name_and_the_row_says_so() -> None:
    found = outcome(added("a/answer.txt", "x"), "a/*.txt")
    assert found.summary == "a/*.txt is missing; the path is exact: '*' is a letter of its name"
    assert found.evidence["notes"] == ["the path is exact: '*' is a letter of its name"]
    assert outcome(added("a/*.txt", "x"), "a/*.txt").passed


@pytest.mark.parametrize("path", ["", ".", "./", "/etc/passwd", "../x", "a/../../x", "a/..", "a\0b"])
def test_a_path_that_leaves_the_workspace_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match=r"a path must be relative to the workspace and without '\.\.', got"):
        FileExists(path)
