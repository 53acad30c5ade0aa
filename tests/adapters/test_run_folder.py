"""Results of commands in a folder: what was kept comes back, and nothing that somebody else put there."""

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assay.adapters.tasks import remembered_commands as run_folder
from assay.adapters.tasks.remembered_commands import RunFolder, RunsFor, runs_folder, runs_of_store
from assay.core.errors import InputError
from assay.evidence.coding_run import ProcessEnd
from assay.evidence.workspace import CommandResult

KEY, OTHER = "a" * 64, "b" * 64
RAN = CommandResult(ProcessEnd(1), "2 failed", False, 1.5, {"report.xml": b"\xff<x/>", "gone": None}, 2.0)


def test_what_was_kept_comes_back_in_another_process(tmp_path: Path) -> None:
    assert RunFolder(str(tmp_path / "runs")).keep(KEY, RAN)
    again = RunFolder(str(tmp_path / "runs"))
    assert again.recall(KEY) == RAN
    assert again.recall(OTHER) is None


@pytest.mark.parametrize(
    "end",
    [
        ProcessEnd(None, timed_out=True, signal=9),
        ProcessEnd(0, timed_out=True),
        ProcessEnd(None, out_of_memory=True),
        ProcessEnd(None, signal=11),
        ProcessEnd(1, excess="disk"),
    ],
)
def test_what_was_stopped_is_not_kept(end: ProcessEnd, tmp_path: Path) -> None:
    runs = RunFolder(str(tmp_path))
    assert not runs.keep(KEY, replace(RAN, end=end))
    assert runs.recall(KEY) is None


def test_what_is_too_large_is_not_kept(tmp_path: Path) -> None:
    assert not RunFolder(str(tmp_path)).keep(KEY, replace(RAN, output="x" * run_folder.LARGEST))


def _changed(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data.replace(b"2 failed", b"0 failed"))


def _sealed_by_another_key(path: Path) -> None:
    other = RunFolder(str(path.parent / "elsewhere"))
    other.keep(KEY, replace(RAN, end=ProcessEnd(0)))
    shutil.copy(path.parent / "elsewhere" / KEY, path)


def _of_another_run(path: Path) -> None:
    RunFolder(str(path.parent)).keep(OTHER, replace(RAN, end=ProcessEnd(0)))
    shutil.copy(path.parent / OTHER, path)


def _a_link(path: Path) -> None:
    path.rename(path.parent / "real")
    path.symlink_to(path.parent / "real")


def _open_to_others(path: Path) -> None:
    path.chmod(0o666)


def _too_old(path: Path) -> None:
    then = path.stat().st_mtime - run_folder.MAX_AGE_SEC - 60
    os.utime(path, (then, then))


def _half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


@pytest.mark.parametrize(
    "tamper", [_changed, _sealed_by_another_key, _of_another_run, _a_link, _open_to_others, _too_old, _half]
)
def test_an_entry_that_cannot_be_trusted_counts_as_none(tamper: Callable[[Path], None], tmp_path: Path) -> None:
    runs = RunFolder(str(tmp_path))
    assert runs.keep(KEY, RAN)
    assert runs.recall(KEY) is not None
    tamper(tmp_path / KEY)
    assert RunFolder(str(tmp_path)).recall(KEY) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of another user")
def test_an_entry_of_another_user_counts_as_none(tmp_path: Path) -> None:
    runs = RunFolder(str(tmp_path))
    runs.keep(KEY, RAN)
    os.chown(tmp_path / KEY, 12345, 12345)
    assert runs.recall(KEY) is None


def test_nobody_else_can_look_in(tmp_path: Path) -> None:
    RunFolder(str(tmp_path / "runs")).keep(KEY, RAN)
    assert (tmp_path / "runs").stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "runs").iterdir()} == {0o600}


def test_what_is_forgotten_is_gone_and_nothing_else(tmp_path: Path) -> None:
    runs = RunFolder(str(tmp_path / "runs"))
    runs.keep(KEY, RAN)
    (tmp_path / "other").write_text("x")
    for name in ("../other", "key", "", OTHER, KEY):
        runs.forget(name)
    assert runs.recall(KEY) is None
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["other", "runs"]
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["key"]


def test_the_oldest_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_folder, "MAX_ENTRIES", 3)
    monkeypatch.setattr(run_folder, "_EACH", 2)
    runs = RunFolder(str(tmp_path))
    for number in range(5):
        runs.keep(f"{number}" * 64, RAN)
        os.utime(tmp_path / (f"{number}" * 64), (1e9 * 1.7 + number,) * 2)
    runs.keep("9" * 64, RAN)
    runs.keep("8" * 64, RAN)
    kept = sorted(path.name[0] for path in tmp_path.iterdir() if path.name != "key")
    assert kept == ["4", "8", "9"]


def test_a_word_is_the_same_for_the_same_and_nobody_else_knows_it(tmp_path: Path) -> None:
    one, other = RunFolder(str(tmp_path / "one")), RunFolder(str(tmp_path / "other"))
    assert one.word("x") == RunFolder(str(tmp_path / "one")).word("x")
    assert len({one.word("x"), one.word("y"), other.word("x")}) == 3
    assert str(one.word("x")).isalpha()


# --- Which folder ---


def test_the_environment_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_RUN_CACHE", str(tmp_path / "named"))
    found = runs_folder()
    assert found is not None
    assert found.keep(KEY, RAN)
    assert (tmp_path / "named" / KEY).is_file()


def test_the_users_cache_is_the_place_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSAY_RUN_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert runs_folder() is not None
    assert (tmp_path / "assay" / "runs" / "key").is_file()


def test_it_can_be_switched_off() -> None:
    assert runs_folder("off") is None


@pytest.mark.parametrize("named", [True, False])
def test_a_folder_that_others_may_write_to(named: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "assay" / "runs"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if not named:
        monkeypatch.delenv("ASSAY_RUN_CACHE")
        assert runs_folder() is None
        return
    with pytest.raises(InputError, match="the folder of remembered runs must be yours alone to write to"):
        runs_folder(str(folder))


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="ASSAY_RUN_CACHE must be a folder or off, got"):
        runs_folder(str(tmp_path / "file"))


# --- A service's ---


def test_each_store_has_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_RUN_CACHE", str(tmp_path / "named"))
    one, other = runs_of_store("one.db"), runs_of_store("postgresql://other")
    assert one is not None
    assert other is not None
    assert one.keep(KEY, RAN)
    assert (other.recall(KEY), one.recall(KEY)) == (None, RAN)
    assert len(list((tmp_path / "named" / "stores").iterdir())) == 2
    monkeypatch.setenv("ASSAY_RUN_CACHE", "off")
    assert runs_of_store("one.db") is None


def test_what_belongs_to_one_is_not_found_by_another(tmp_path: Path) -> None:
    folder = RunFolder(str(tmp_path / "runs"))
    one, other = RunsFor(folder, "one"), RunsFor(folder, "other")
    assert one.keep(KEY, RAN)
    assert (one.recall(KEY), other.recall(KEY), folder.recall(KEY)) == (RAN, None, None)
    other.forget(KEY)
    assert one.recall(KEY) == RAN
    one.forget(KEY)
    assert one.recall(KEY) is None
    assert len({one.word("x"), other.word("x"), folder.word("x")}) == 3


def test_a_folder_below_is_another_memory_and_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, below = RunFolder(str(tmp_path / "runs")), RunFolder(str(tmp_path / "runs" / "stores" / "a"))
    assert below.keep(KEY, RAN)
    monkeypatch.setattr("assay.adapters.tasks.remembered_commands.MAX_ENTRIES", 0)
    assert folder.keep(KEY, RAN)
    assert (folder.recall(KEY), below.recall(KEY)) == (None, RAN)
