"""Temporary folders are removed once their process is gone, and never before, whoever looks."""

import contextlib
import fcntl
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay.adapters.machine import scratch
from assay.adapters.machine.scratch import scratch_folder, sweep, temporary_folder
from tests.pid_namespaces import Program, in_pid_namespace, needs_pid_namespaces, running

MAKE = "from assay.adapters.machine.scratch import scratch_folder; print(scratch_folder(0o700), flush=True); "
WAIT = MAKE + "input()"
SWEEP = "import tempfile; from assay.adapters.machine.scratch import sweep; sweep(tempfile.gettempdir())"


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for temporary files of its own, for this process and those that it starts."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield tmp_path
    home, lock = scratch._homes.pop((str(tmp_path), os.geteuid()), (None, -1))
    if home is not None:
        os.close(lock)


@contextlib.contextmanager
def here(code: str) -> Iterator[Program]:
    with running([sys.executable, "-c", code]) as program:
        yield program


def left(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_a_folder_has_the_mode_asked_for(temporary: Path) -> None:
    folders = [Path(scratch_folder(mode)) for mode in (0o700, 0o711, 0o755)]
    assert [folder.stat().st_mode & 0o777 for folder in folders] == [0o700, 0o711, 0o755]
    # One home for all of them, which others can enter and not list.
    (home,) = {folder.parent for folder in folders}
    assert home.parent == temporary
    assert home.stat().st_mode & 0o777 == 0o711


def test_a_temporary_folder_is_gone_after_its_block() -> None:
    with temporary_folder(0o700) as folder:
        Path(folder, "file").touch()
    assert not os.path.exists(folder)


def test_a_home_that_somebody_removed_is_made_again(temporary: Path) -> None:
    first = Path(scratch_folder(0o700))
    first.rmdir()
    first.parent.rmdir()
    assert Path(scratch_folder(0o700)).parent != first.parent


def test_nothing_is_left_of_a_process_that_ends(temporary: Path) -> None:
    done = subprocess.run([sys.executable, "-c", MAKE], check=True, capture_output=True, text=True)
    assert done.stdout.startswith(str(temporary))
    assert left(temporary) == []


@pytest.mark.parametrize("maker", [here, pytest.param(in_pid_namespace, marks=needs_pid_namespaces)])
def test_the_folder_of_a_live_process_stays_and_that_of_a_killed_one_goes(
    maker: "Callable[[str], contextlib.AbstractContextManager[Program]]", temporary: Path
) -> None:
    with maker(WAIT) as other:
        folder = other.said()
        sweep(str(temporary))
        assert os.path.isdir(folder)
        other.kill()
        assert os.path.isdir(folder)
        sweep(str(temporary))
        assert left(temporary) == []


@needs_pid_namespaces
def test_a_sweep_in_another_pid_namespace_sees_the_same(temporary: Path) -> None:
    mine = scratch_folder(0o700)
    with here(WAIT) as other:
        theirs = other.said()
        with in_pid_namespace(SWEEP) as sweeper:
            sweeper.end()
        assert os.path.isdir(mine)
        assert os.path.isdir(theirs)
        other.kill()
        with in_pid_namespace(SWEEP) as sweeper:
            sweeper.end()
        assert os.path.isdir(mine)
        assert not os.path.exists(theirs)


def test_a_program_that_outlives_assay_does_not_keep_its_folders(temporary: Path) -> None:
    start = """
import subprocess
print(subprocess.Popen(["sleep", "60"], close_fds=False).pid, flush=True)
input()
"""
    with here(MAKE + start) as other:
        folder, child = other.said(), int(other.said())
        try:
            other.process.kill()
            other.process.wait()
            sweep(str(temporary))
            os.kill(child, 0)
            assert not os.path.exists(folder)
        finally:
            os.kill(child, 9)


def test_a_forked_child_has_a_home_of_its_own(temporary: Path) -> None:
    """It neither keeps the folders of its parent when that is killed, nor removes them at its own end."""
    fork = """
import os, time
if os.fork() == 0:
    print(scratch_folder(0o700), os.getpid(), flush=True)
    time.sleep(60)
input()
"""
    with here(MAKE + fork) as other:
        mine, (theirs, child) = other.said(), other.said().split()
        assert os.path.dirname(mine) != os.path.dirname(theirs)
        try:
            other.process.kill()
            other.process.wait()
            sweep(str(temporary))
            assert not os.path.exists(mine)
            assert os.path.isdir(theirs)
        finally:
            os.kill(int(child), 9)


def test_a_forked_child_that_ends_leaves_the_folders_of_its_parent(temporary: Path) -> None:
    fork = """
import os, sys
pid = os.fork()
if pid == 0:
    sys.exit()
os.waitpid(pid, 0)
print("ended", flush=True)
input()
"""
    with here(MAKE + fork) as other:
        folder = other.said()
        assert other.said() == "ended"
        assert os.path.isdir(folder)


# --- The moments between a folder and its lock ---


def test_a_home_that_is_swept_before_it_is_locked_is_made_again(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once right after it was made, once when it was opened already."""
    flock, opened = fcntl.flock, os.open
    swept: list[str] = []

    def swept_before_open(path: str, flags: int) -> int:
        if len(swept) == 0:
            swept.append(path)
            os.rmdir(path)
        return opened(path, flags)

    def swept_before_lock(fd: int, operation: int) -> None:
        if len(swept) == 1:
            swept.append(os.readlink(f"/proc/self/fd/{fd}"))
            os.rmdir(swept[-1])
        flock(fd, operation)

    monkeypatch.setattr(os, "open", swept_before_open)
    monkeypatch.setattr(fcntl, "flock", swept_before_lock)
    home = scratch._home(str(temporary))
    assert len({home, *swept}) == 3
    assert left(temporary) == [os.path.basename(home)]


def test_a_home_that_somebody_else_has_locked_is_left_to_them(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flock = fcntl.flock
    theirs: list[int] = []

    def locked_first(fd: int, operation: int) -> None:
        if not theirs:
            theirs.append(os.open(f"/proc/self/fd/{fd}", os.O_RDONLY))
            flock(theirs[0], fcntl.LOCK_EX)
        flock(fd, operation)

    monkeypatch.setattr(fcntl, "flock", locked_first)
    try:
        home = scratch._home(str(temporary))
        assert len(left(temporary)) == 2
        sweep(str(temporary))
        assert len(left(temporary)) == 2
    finally:
        os.close(theirs[0])
    sweep(str(temporary))
    assert left(temporary) == [os.path.basename(home)]


def test_another_folder_that_took_the_name_is_not_swept(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = temporary / f"assay-scratch-{'0' * 16}"
    home.mkdir()
    flock = fcntl.flock

    def replaced(fd: int, operation: int) -> None:
        flock(fd, operation)
        home.rename(temporary / "moved")
        home.mkdir()

    monkeypatch.setattr(fcntl, "flock", replaced)
    sweep(str(temporary))
    assert left(temporary) == [home.name, "moved"]


def test_where_folders_can_not_be_locked_none_is_swept(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_fd: int, _operation: int) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refused)
    folder = scratch_folder(0o700)
    sweep(str(temporary))
    assert os.path.isdir(folder)


# --- What is not ours ---


@pytest.mark.parametrize(
    "name", ["assay-scratch-notes", "assay-scratch-", f"assay-scratch-{'A' * 16}", "assay-1", "assay"]
)
def test_folders_with_other_names_stay(temporary: Path, name: str) -> None:
    (temporary / name).mkdir()
    os.utime(temporary / name, (0, 0))
    sweep(str(temporary))
    assert left(temporary) == [name]


def test_files_and_links_stay(temporary: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    target = tmp_path_factory.mktemp("target")
    (temporary / f"assay-scratch-{'1' * 16}").symlink_to(target)
    (temporary / f"assay-scratch-{'2' * 16}").touch()
    sweep(str(temporary))
    assert len(left(temporary)) == 2
    assert target.is_dir()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_folders_of_another_user_stay(temporary: Path) -> None:
    home = temporary / f"assay-scratch-{'3' * 16}"
    home.mkdir()
    os.chown(home, 65534, 65534)
    sweep(str(temporary))
    assert home.is_dir()
