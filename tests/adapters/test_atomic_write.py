"""A reader sees the old content or the new one, and a link is replaced, not followed."""

import os
import stat
from pathlib import Path

import pytest

from assay.adapters.machine.atomic_write import write_text


def test_a_new_file(tmp_path: Path) -> None:
    write_text(f"{tmp_path}/file", "héllo\n")
    assert (tmp_path / "file").read_bytes() == "héllo\n".encode()
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o644


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_text("old, and longer than the new one")
    reader = target.open()
    write_text(str(target), "new")
    with reader:
        assert reader.read() == "old, and longer than the new one"
    assert target.read_text() == "new"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("target", ["victim", "/dev/null", "nowhere"])
def test_a_link_is_replaced_and_its_target_is_left_alone(tmp_path: Path, target: str) -> None:
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "file").symlink_to(target)
    write_text(f"{tmp_path}/file", "new")
    assert not (tmp_path / "file").is_symlink()
    assert (tmp_path / "file").read_text() == "new"
    assert (tmp_path / "victim").read_text() == "precious"
    assert not (tmp_path / "nowhere").exists()


def test_a_twin_by_hard_link_keeps_the_old_content(tmp_path: Path) -> None:
    (tmp_path / "twin").write_text("old")
    (tmp_path / "file").hardlink_to(tmp_path / "twin")
    write_text(f"{tmp_path}/file", "new")
    assert ((tmp_path / "file").read_text(), (tmp_path / "twin").read_text()) == ("new", "old")


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    with pytest.raises(OSError, match="directory"):
        write_text(f"{tmp_path}/file", "new")
    assert os.listdir(tmp_path) == ["file"]


def test_text_that_can_not_be_written_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_text(f"{tmp_path}/file", "\ud800")
    assert (tmp_path / "file").read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_a_name_without_a_folder_is_in_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_text("file", "here")
    assert (tmp_path / "file").read_text() == "here"


def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        write_text(f"{tmp_path}/none/chart.svg", "")
    assert caught.value.filename == f"{tmp_path}/none/chart.svg"
