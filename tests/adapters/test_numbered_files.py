"""Records that are written once: numbered, whole, and never overwritten."""

import os
import threading
from pathlib import Path

import pytest

from assay.adapters.machine.numbered_files import file_name, numbers_in, read_numbered, write_numbered
from assay.core.errors import InputError
from tests.builders import within


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = write_numbered(str(tmp_path), "records", 1, "héllo\n")
    assert path == f"{tmp_path}/records/0001.json"
    assert read_numbered(str(tmp_path), "records", 1) == "héllo\n".encode()
    assert os.listdir(tmp_path / "records") == ["0001.json"]


@pytest.mark.parametrize(("number", "name"), [(1, "0001.json"), (9999, "9999.json"), (10000, "10000.json")])
def test_the_name_of_a_record(number: int, name: str) -> None:
    assert file_name(number) == name


def test_numbers_are_in_order_and_other_files_are_ignored(tmp_path: Path) -> None:
    for number in (3, 1, 10000, 9999):
        write_numbered(str(tmp_path), "records", number, "x")
    for name in (".0004.123.part", "notes.txt", "0005.json.bak", "1.json", "x0006.json"):
        (tmp_path / "records" / name).write_text("x")
    assert numbers_in(str(tmp_path), "records") == [1, 3, 9999, 10000]


@pytest.mark.parametrize("kind", ["nothing", "a file"])
def test_where_there_is_no_folder_there_are_no_numbers(tmp_path: Path, kind: str) -> None:
    if kind == "a file":
        (tmp_path / "records").write_text("x")
    assert numbers_in(str(tmp_path), "records") == []


def test_a_number_that_is_taken_is_refused_and_the_record_stays(tmp_path: Path) -> None:
    write_numbered(str(tmp_path), "records", 1, "first")
    with pytest.raises(InputError, match=r"0001\.json already exists"):
        write_numbered(str(tmp_path), "records", 1, "second")
    assert read_numbered(str(tmp_path), "records", 1) == b"first"
    assert os.listdir(tmp_path / "records") == ["0001.json"]


@pytest.mark.parametrize("target", ["victim", "nowhere"])
def test_a_link_in_its_place_is_not_written_through(tmp_path: Path, target: str) -> None:
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "victim").write_text("precious")
    (tmp_path / "records" / "0001.json").symlink_to(target)
    with pytest.raises(InputError):
        write_numbered(str(tmp_path), "records", 1, "new")
    assert (tmp_path / "records" / "victim").read_text() == "precious"
    assert not (tmp_path / "records" / "nowhere").exists()


def test_text_that_can_not_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(UnicodeEncodeError):
        write_numbered(str(tmp_path), "records", 1, "\ud800")
    assert numbers_in(str(tmp_path), "records") == []
    assert os.listdir(tmp_path / "records") == []


def test_two_writers_of_one_process_do_not_meet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of them gets the number, with its own text whole; the other is told."""
    others: list[Exception | None] = []
    real = os.fsync

    def write_other() -> None:
        try:
            write_numbered(str(tmp_path), "records", 1, "other")
            others.append(None)
        except InputError as error:
            others.append(error)

    def meanwhile(fd: int) -> None:
        monkeypatch.setattr(os, "fsync", real)
        thread = threading.Thread(target=write_other)
        thread.start()
        thread.join()
        real(fd)

    monkeypatch.setattr(os, "fsync", meanwhile)
    try:
        write_numbered(str(tmp_path), "records", 1, "this one")
        refused = False
    except InputError:
        refused = True
    assert [other is None for other in others] == [refused]
    assert read_numbered(str(tmp_path), "records", 1) == (b"other" if refused else b"this one")
    assert os.listdir(tmp_path / "records") == ["0001.json"]


@pytest.mark.parametrize("kind", ["missing", "a link", "a folder", "a pipe", "behind a link"])
def test_a_record_that_must_not_be_read_is_an_input_error(tmp_path: Path, kind: str) -> None:
    records = tmp_path / "records"
    records.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "0001.json").write_text("{}")
    if kind == "a link":
        (records / "0001.json").symlink_to("../elsewhere/0001.json")
    elif kind == "a folder":
        (records / "0001.json").mkdir()
    elif kind == "a pipe":
        os.mkfifo(records / "0001.json")
    elif kind == "behind a link":
        records.rmdir()
        records.symlink_to("elsewhere")
    with within(60), pytest.raises(InputError, match=r"records/0001\.json can't be read"):
        read_numbered(str(tmp_path), "records", 1)


def test_a_job_gets_a_sign_that_its_trials_have_records(tmp_path: Path) -> None:
    job = tmp_path / "job"
    (job / "trial").mkdir(parents=True)
    (job / "lock.json").write_text("{}")
    write_numbered(str(job / "trial"), "records", 1, "x")
    assert (job / ".assay").is_file()
    write_numbered(f"{job}/trial/", "records", 2, "x")


def test_a_folder_that_is_no_job_gets_none(tmp_path: Path) -> None:
    (tmp_path / "trial").mkdir()
    write_numbered(str(tmp_path / "trial"), "records", 1, "x")
    assert os.listdir(tmp_path) == ["trial"]
