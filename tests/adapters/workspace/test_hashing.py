"""Entries of paths: kind, mode and hash, read without following anything and within caps."""

import hashlib
import os
from pathlib import Path

import pytest

from assay.adapters.workspace import walk
from assay.adapters.workspace.walk import entries_of, plain_mode, walk_workspace
from assay.evidence.workspace import Entry, EntryKind
from tests.adapters.workspace.site import write_files
from tests.builders import unprivileged, within


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def hashed(root: Path) -> tuple[dict[str, Entry], list[str]]:
    cut: list[str] = []
    return entries_of(str(root), walk_workspace(str(root)).records, cut), cut


def test_each_kind(tmp_path: Path) -> None:
    write_files(tmp_path, {"file": "text", "empty": "", "program": "#!"})
    (tmp_path / "program").chmod(0o755)
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")
    os.link(tmp_path / "file", tmp_path / "twin")
    with within(60):
        entries, cut = hashed(tmp_path)
    assert entries == {
        "file": Entry(EntryKind.FILE, 0o644, 4, sha256(b"text"), 2),
        "twin": Entry(EntryKind.FILE, 0o644, 4, sha256(b"text"), 2),
        "empty": Entry(EntryKind.FILE, 0o644, 0, sha256(b"")),
        "program": Entry(EntryKind.FILE, 0o755, 2, sha256(b"#!")),
        "link": Entry(EntryKind.LINK, 0o777, 4, sha256(b"file")),
        "pipe": Entry(EntryKind.OTHER, 0o644, 0, ""),
    }
    assert cut == []


@pytest.mark.parametrize(
    ("mode", "plain"),
    [
        (0o644, 0o644),
        (0o600, 0o644),
        (0o666, 0o644),
        (0o700, 0o755),
        (0o755, 0o755),
        (0o011, 0o644),
        (0o4755, 0o4755),
        (0o2644, 0o2644),
    ],
)
def test_a_mode_is_what_a_copy_keeps(mode: int, plain: int) -> None:
    assert plain_mode(mode) == plain


def test_content_of_several_chunks(tmp_path: Path) -> None:
    data = os.urandom(2 * walk.CHUNK + 17)
    (tmp_path / "large").write_bytes(data)
    entries, _ = hashed(tmp_path)
    assert entries["large"].digest == sha256(data)


def test_reads_that_give_less_than_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"the beginning and the end")
    read = os.read
    monkeypatch.setattr(os, "read", lambda fd, _count: read(fd, 5))
    entries, _ = hashed(tmp_path)
    assert entries["file"].digest == sha256(b"the beginning and the end")


def test_a_huge_sparse_file_is_cut_and_said(tmp_path: Path) -> None:
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(1 << 42)
    with within(60):
        entries, cut = hashed(tmp_path)
    assert cut == [f"huge is too large: {1 << 42} bytes"]
    assert entries["huge"].size == 1 << 42


def test_many_sparse_files_leave_room_for_the_small_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "MAX_TOTAL", 1000)
    write_files(tmp_path, {"a": b"\0" * 600, "b": b"\0" * 700, "small": "x", "tiny": ""})
    entries, cut = hashed(tmp_path)
    assert cut == ["b is too large: 700 bytes"]
    assert entries["a"].digest == sha256(b"\0" * 600)
    assert entries["small"].digest == sha256(b"x")


def test_a_file_that_can_not_be_read_is_said(open_folder: Path) -> None:
    write_files(open_folder, {"closed": "x", "open": "y"})
    (open_folder / "closed").chmod(0)
    with unprivileged():
        entries, cut = hashed(open_folder)
    assert cut == ["closed can't be read: Permission denied"]
    assert entries["closed"].digest == "unreadable"
    assert entries["open"].digest == sha256(b"y")


@pytest.mark.parametrize("now", ["gone", "folder", "link"])
def test_what_changes_between_the_walk_and_the_look(tmp_path: Path, now: str) -> None:
    write_files(tmp_path, {"file": "x", "other": "secret"})
    records = walk_workspace(str(tmp_path)).records
    (tmp_path / "file").unlink()
    if now == "folder":
        (tmp_path / "file").mkdir()
    elif now == "link":
        (tmp_path / "file").symlink_to("other")
    cut: list[str] = []
    assert entries_of(str(tmp_path), records, cut)["file"].digest == "unreadable"
    assert len(cut) == 1
