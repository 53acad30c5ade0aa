"""The disk that a command may use, in all the folders that it may write to together."""

from pathlib import Path

import pytest

from assay.adapters.sandbox import disk_watch
from assay.engine.sandbox import CommandLimits, Mount, Ran
from assay.evidence.coding_run import ProcessEnd
from tests.sandbox.backends import Backend, need

FEW = CommandLimits(timeout_sec=30, disk_mb=20)
WAIT = "sleep 20; echo never"


@pytest.fixture
def folder(open_folder: Path) -> Path:
    open_folder.chmod(0o777)
    return open_folder


def _run(backend: Backend, folder: Path, lines: str, limits: CommandLimits = FEW) -> Ran:
    mounts = tuple(Mount(str(folder / name), f"/{name}", writable=True) for name in ("workspace", "logs"))
    for mount in mounts:
        Path(mount.source).mkdir(exist_ok=True)
        Path(mount.source).chmod(0o777)
    return backend.run(lines, limits=limits, mounts=mounts)


HOSTILE = {
    "one file": "head -c 40000000 /dev/zero > /workspace/big",
    "many files": "for i in 1 2 3 4 5 6; do head -c 6000000 /dev/zero > /workspace/$i; done",
    "two folders": "head -c 15000000 /dev/zero > /workspace/big; head -c 15000000 /dev/zero > /logs/big",
    "a closed folder": "mkdir /workspace/x; head -c 40000000 /dev/zero > /workspace/x/y; chmod 500 /workspace/x",
    "removed but open": "exec 9> /workspace/x; rm /workspace/x; head -c 40000000 /dev/zero >&9",
    "open in a daemon": (
        "exec 9> /workspace/x; rm /workspace/x; (setsid sh -c 'head -c 40000000 /dev/zero >&9; sleep 20' &);"
        " exec 9>&-"
    ),
}


@pytest.mark.parametrize("how", HOSTILE)
def test_a_command_that_fills_the_disk_is_stopped(backend: Backend, folder: Path, how: str) -> None:
    ran = _run(backend, folder, f"{HOSTILE[how]}; {WAIT}")
    assert ran.end == ProcessEnd(exit_code=None, excess="used more than 20 MB of disk")
    assert b"never" not in ran.output
    assert ran.disk_mb is not None
    assert ran.disk_mb > 20


def test_below_the_limit_nothing_happens(backend: Backend, folder: Path) -> None:
    """Neither holes nor second names of a file take any room."""
    lines = "head -c 15000000 /dev/zero > /workspace/a; ln /workspace/a /workspace/b"
    ran = _run(backend, folder, f"{lines}; truncate -s 1G /workspace/sparse; sleep 1; echo done")
    assert (ran.end, ran.output.splitlines()[-1]) == (ProcessEnd(exit_code=0), b"done")
    assert ran.disk_mb is not None
    assert 14 < ran.disk_mb < 16


def test_what_is_too_much_at_the_end_counts(backend: Backend, folder: Path) -> None:
    ran = _run(backend, folder, "sleep 0.4; head -c 40000000 /dev/zero > /workspace/x")
    assert ran.end.excess == "used more than 20 MB of disk"


@pytest.mark.parametrize("name", ["bubblewrap", "namespaces", "process"])
def test_too_many_files(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty ones take no room, but nobody can walk through them in time."""
    monkeypatch.setattr(disk_watch, "MAX_ENTRIES", 50)
    ran = _run(need(name), folder, f"cd /workspace; mkdir $(seq 60); {WAIT}")
    assert ran.end.excess == "made more than 50 files and folders"
