"""Walking a workspace: everything is listed as it lies there, by GNU find and by ourselves alike."""

import os
import socket
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given

from assay.adapters.workspace import walk
from assay.adapters.workspace.walk import Walked, parse_record, walk_workspace
from tests.adapters.workspace.site import write_files
from tests.adapters.workspace.trees import LEAVES, Leaf, plant
from tests.builders import unprivileged, within

ODD_NAMES = [
    "new\nline",
    "tab\tulator",
    "'single' \"double\"",
    "-delete",
    "nested x",
    "f 644 1 1.0 1 1 .",
    "trailing.",
    "trailing ",
    "caf\u00e9",
    "cafe\u0301",
    "\udcff\udcfe",
    "\\0",
    "%p",
    "n" * 255,
    "...",
]


@pytest.fixture(params=["find", "own"])
def walker(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to walk; GNU find is there wherever the tests run."""
    assert walk.is_usable()
    if request.param == "own":
        monkeypatch.setattr(walk, "is_usable", lambda: False)
    return str(request.param)


def kinds(walked: Walked) -> dict[str, str]:
    return {record.path: record.kind for record in map(parse_record, walked.records)}


@given(LEAVES)
def test_both_walkers_see_the_same(leaves: Sequence[Leaf]) -> None:
    with tempfile.TemporaryDirectory() as name:
        plant(Path(name), leaves)
        by_find = walk_workspace(name)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(walk, "is_usable", lambda: False)
            assert walk_workspace(name) == by_find


@pytest.mark.usefixtures("walker")
def test_what_is_there(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.py": "x", "deep/er/b.py": "y", ".hidden/.c": "", ".gitignore": "*"})
    (tmp_path / "link").symlink_to("deep")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe")
    assert kinds(walk_workspace(str(tmp_path))) == {
        "a.py": "f",
        "deep/er/b.py": "f",
        ".hidden/.c": "f",
        ".gitignore": "f",
        "link": "l",
        "dangling": "l",
        "pipe": "p",
    }


@pytest.mark.usefixtures("walker")
@pytest.mark.parametrize("folder", ["", "in/"])
def test_any_name(tmp_path: Path, folder: str) -> None:
    write_files(tmp_path, {f"{folder}{name}": "x" for name in ODD_NAMES})
    walked = walk_workspace(str(tmp_path))
    assert kinds(walked) == {f"{folder}{name}": "f" for name in ODD_NAMES}
    assert walked.nested == ()
    assert walked.cut == ()


@pytest.mark.usefixtures("walker")
def test_more_names_than_a_command_line_holds(tmp_path: Path) -> None:
    names = {f"{number:03}{'n' * 240}" for number in range(400)}
    write_files(tmp_path, {**dict.fromkeys(names, "x"), ".git/config": "x", "in/.git": "x"})
    walked = walk_workspace(str(tmp_path))
    assert kinds(walked).keys() == names
    assert walked.nested == ("in",)


@pytest.mark.usefixtures("walker")
def test_special_files(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        before = Path.cwd()
        os.chdir(tmp_path)
        listener.bind("socket")
        os.chdir(before)
    if os.geteuid() == 0:
        os.mknod(tmp_path / "null", 0o20666, os.makedev(1, 3))
        os.mknod(tmp_path / "block", 0o60666, os.makedev(7, 99))
    expected = {"socket": "s"} | ({"null": "c", "block": "b"} if os.geteuid() == 0 else {})
    assert kinds(walk_workspace(str(tmp_path))) == expected


def make_git_folder(path: Path) -> None:
    write_files(path, {"HEAD": "ref: refs/heads/main"})


def make_git_file(path: Path) -> None:
    path.write_text("gitdir: /elsewhere")


def make_git_link(path: Path) -> None:
    path.symlink_to("/elsewhere")


@pytest.mark.usefixtures("walker")
@pytest.mark.parametrize("make", [make_git_folder, make_git_file, make_git_link])
def test_a_nested_repository_is_listed_and_what_lies_beside_it_is_walked(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    write_files(tmp_path, {"deep/in\n/a.py": "x"})
    make(tmp_path / "deep/in\n/.git")
    make(tmp_path / ".git")
    walked = walk_workspace(str(tmp_path))
    assert walked.nested == ("deep/in\n",)
    assert kinds(walked) == {"deep/in\n/a.py": "f"}


@pytest.mark.usefixtures("walker")
def test_other_spellings_of_git_are_plain_folders(tmp_path: Path) -> None:
    write_files(tmp_path, {".GIT/config": "x", ".git./config": "x", "git~1/config": "x", ".gi\u200ct/config": "x"})
    assert len(walk_workspace(str(tmp_path)).records) == 4


@pytest.mark.usefixtures("walker")
def test_links_in_circles_end(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/self").symlink_to(".")
    (tmp_path / "a/up").symlink_to("..")
    (tmp_path / "out").symlink_to("/")
    with within(60):
        assert kinds(walk_workspace(str(tmp_path))) == {"a/self": "l", "a/up": "l", "out": "l"}


@pytest.mark.usefixtures("walker")
def test_too_many_files_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path, {f"{folder}/{number}": "" for folder in "abc" for number in range(10)})
    assert walk_workspace(str(tmp_path)).cut == ()
    monkeypatch.setattr(walk, "MAX_RECORDS", 9)
    assert walk_workspace(str(tmp_path)).cut == ("there are more than 9 files",)


def test_names_without_end_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path, {"a": "", "b": "", "c": ""})
    monkeypatch.setattr(walk, "MAX_BYTES", 50)
    assert any("longer than 50 bytes" in sentence for sentence in walk_workspace(str(tmp_path)).cut)


@pytest.mark.usefixtures("walker")
def test_a_closed_folder_is_said(open_folder: Path) -> None:
    write_files(open_folder, {"closed/a": "", "listed/a": "", "open/a": ""})
    (open_folder / "closed").chmod(0)
    (open_folder / "listed").chmod(0o444)
    with unprivileged():
        walked = walk_workspace(str(open_folder))
    assert kinds(walked) == {"open/a": "f"}
    assert len(walked.cut) == 2
    assert all(any(name in sentence for sentence in walked.cut) for name in ("closed", "listed"))


@pytest.mark.usefixtures("walker")
def test_thousands_of_closed_folders_do_not_hang(open_folder: Path) -> None:
    """Complaints fill a pipe that nobody reads while the names are read."""
    for number in range(1000):
        (open_folder / f"{number:04}{'n' * 100}").mkdir(mode=0)
    with unprivileged(), within(30):
        assert walk_workspace(str(open_folder)).cut


@pytest.mark.usefixtures("walker")
def test_a_workspace_that_is_gone_is_said(tmp_path: Path) -> None:
    assert walk_workspace(str(tmp_path / "gone")).cut != ()


def test_a_file_that_vanishes_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path, {"there": "", "gone": ""})
    listdir = os.listdir

    def vanishing(path: str) -> list[str]:
        names = listdir(path)
        (tmp_path / "gone").unlink(missing_ok=True)
        return names

    monkeypatch.setattr(os, "listdir", vanishing)
    for usable in (True, False):
        (tmp_path / "gone").touch()
        monkeypatch.setattr(walk, "is_usable", lambda usable=usable: usable)
        walked = walk_workspace(str(tmp_path))
        assert kinds(walked) == {"there": "f"}
        assert len(walked.cut) == 1


def test_a_find_that_is_killed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "find"
    fake.write_text("#!/bin/sh\nkill -9 $$\n")
    fake.chmod(0o755)
    write_files(tmp_path / "workspace", {"a": ""})
    monkeypatch.setattr(walk, "FIND", str(fake))
    assert walk_workspace(str(tmp_path / "workspace")).cut == ("find was ended by signal 9",)
