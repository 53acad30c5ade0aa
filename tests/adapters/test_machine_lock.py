"""A lock for the whole machine: one holder at a time, whoever they are and wherever their temporary files are."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.adapters.machine.lock import machine_lock
from assay.core.errors import MeasurementError, StoppedError
from tests.sandbox.backends import eventually

HOLD_IT = """
import pathlib, sys, time
from assay.adapters.machine.lock import machine_lock
ready, end = map(pathlib.Path, sys.argv[1:])
with machine_lock():
    ready.touch()
    while not end.exists():
        time.sleep(0.01)
"""
TAKE_IT = """
from assay.adapters.machine.lock import machine_lock
input()
with machine_lock():
    pass
"""
NOBODY = 65534


def test_another_process_waits_until_it_is_free(tmp_path: Path) -> None:
    """It has another folder for temporary files: those are a user's, the lock is the machine's."""
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", TAKE_IT], stdin=subprocess.PIPE, env=env) as other:
        assert other.stdin is not None
        with machine_lock():
            other.stdin.write(b"go\n")
            other.stdin.flush()
            with pytest.raises(subprocess.TimeoutExpired):
                other.wait(timeout=2)
        # Somebody else on this machine may have it for a while, too.
        assert other.wait(timeout=120) == 0


def test_it_is_free_again_after_a_failure() -> None:
    with pytest.raises(ZeroDivisionError), machine_lock():
        _ = 1 / 0
    with machine_lock():
        pass


def test_the_waiting_can_be_given_up(tmp_path: Path) -> None:
    """Whoever gave it up keeps nobody else out later."""
    ready, end = tmp_path / "ready", tmp_path / "end"
    with subprocess.Popen([sys.executable, "-c", HOLD_IT, ready, end]):
        assert eventually(ready.exists, 120)

        def check() -> None:
            raise StoppedError("no longer")

        with pytest.raises(StoppedError), machine_lock(check):
            pytest.fail("somebody else has it")
        end.touch()
        with machine_lock():
            pass


def test_it_leaves_no_file_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with machine_lock():
        assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_who_had_it_first_does_not_keep_others_out() -> None:
    with machine_lock():
        pass
    os.seteuid(NOBODY)
    try:
        with machine_lock():
            pass
    finally:
        os.seteuid(0)
    with machine_lock():
        pass


def test_where_folders_can_not_be_locked_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """A root folder on NFS is such a place."""

    def refuse(*_: object) -> None:
        raise OSError(9, "Bad file descriptor")

    monkeypatch.setattr("fcntl.flock", refuse)
    with pytest.raises(MeasurementError, match="can't lock a folder of the machine: Bad file"), machine_lock():
        pass


def test_an_error_of_the_holder_stays_its_own() -> None:
    with pytest.raises(OSError, match="mine"), machine_lock():
        raise OSError("mine")
