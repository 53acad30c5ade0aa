"""A local folder, and what an agent may have put into it."""

import errno
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.sources.files.folder import CHUNK, LocalFolder
from assay.core.errors import MeasurementError


def paths(root: Path) -> list[str]:
    return sorted(one.path for one in LocalFolder(str(root)).files())


def test_files_with_their_sizes_and_times(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b.txt").write_bytes(b"hello")
    os.utime(tmp_path / "a/b.txt", (1000, 1000))
    (found,) = LocalFolder(str(tmp_path)).files()
    assert (found.path, found.size, found.modified) == ("a/b.txt", 5, datetime.fromtimestamp(1000, UTC))


def test_content_comes_in_chunks(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * (CHUNK + 3))
    assert [len(chunk) for chunk in LocalFolder(str(tmp_path)).chunks("big")] == [CHUNK, 3]


def test_nothing_but_regular_files_counts(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    (outside / "secret").write_text("s")
    (inside / "file").write_text("f")
    (inside / "to_file").symlink_to(outside / "secret")
    (inside / "to_folder").symlink_to(outside)
    (inside / "to_itself").symlink_to(inside)
    os.mkfifo(inside / "pipe")
    assert paths(inside) == ["file"]
    for name in (
        "to_file",
        "to_folder/secret",
        "to_itself/file",
        "pipe",
        "../outside/secret",
        "/etc/passwd",
        "",
        "a\0b",
    ):
        with pytest.raises(FileNotFoundError):
            list(LocalFolder(str(inside)).chunks(name))


def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/file").write_text("f")
    (tmp_path / "link").symlink_to("real")
    assert paths(tmp_path / "link") == ["file"]


def test_strange_names_are_names(tmp_path: Path) -> None:
    names = ["a\nb.csv", "..hidden", "*", "a b", "ünïcode"]
    for name in names:
        (tmp_path / name).write_text(name)
    os.close(os.open(os.fsencode(tmp_path) + b"/\xff\xfe", os.O_CREAT | os.O_WRONLY))
    assert paths(tmp_path) == sorted([*names, os.fsdecode(b"\xff\xfe")])
    assert b"".join(LocalFolder(str(tmp_path)).chunks("a\nb.csv")) == b"a\nb.csv"
    assert b"".join(LocalFolder(str(tmp_path)).chunks(os.fsdecode(b"\xff\xfe"))) == b""


def test_a_file_that_grows_is_read_as_long_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"x" * (CHUNK + 1))
    size = 0
    for chunk in LocalFolder(str(tmp_path)).chunks("log"):
        size += len(chunk)
        with (tmp_path / "log").open("ab") as file:
            file.write(b"y" * CHUNK)
    assert size == CHUNK + 1


def test_a_file_that_is_swapped_for_a_link_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/file").write_text("f")
    (tmp_path / "secret").write_text("s")
    source = LocalFolder(str(tmp_path / "in"))
    (found,) = source.files()
    (tmp_path / "in/file").unlink()
    (tmp_path / "in/file").symlink_to(tmp_path / "secret")
    with pytest.raises(FileNotFoundError):
        list(source.chunks(found.path))


def test_times_that_no_calendar_has_prove_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("f")
    os.utime(tmp_path / "file", (2**33, 2**33))
    (found,) = LocalFolder(str(tmp_path)).files()
    assert found.modified.year in (1970, 2242)


def test_thousands_of_files(tmp_path: Path) -> None:
    for number in range(3_000):
        (tmp_path / f"{number}").touch()
    assert len(paths(tmp_path)) == 3_000


def test_deep_folders(tmp_path: Path) -> None:
    deep = tmp_path / "/".join(["d"] * 300)
    deep.mkdir(parents=True)
    (deep / "file").touch()
    assert paths(tmp_path) == ["d/" * 300 + "file"]


def test_too_many_files_are_said(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}").touch()
    with pytest.raises(MeasurementError, match="more than 4"):
        list(LocalFolder(str(tmp_path), max_files=4).files())


def test_no_folder_is_no_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(MeasurementError, match="can't be opened"):
        list(LocalFolder(str(tmp_path / "none")).files())


@pytest.mark.parametrize("call", ["open", "read", "listdir", "stat"])
@pytest.mark.parametrize("number", [errno.EIO, errno.EMFILE])
def test_what_is_not_the_files_doing_is_no_missing_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a").write_bytes(b"x")
    folder = LocalFolder(str(tmp_path))

    def fails(*given: Any, **more: Any) -> Any:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, call, fails)
    with pytest.raises(MeasurementError, match="the folder of files can't be"):
        print(list(folder.files()), list(folder.chunks("in/a")))
