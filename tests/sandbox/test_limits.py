"""The bounds of a command: time, memory, processes, file size. Nothing it does may outlive or outgrow them."""

import contextlib
import time
import uuid
from pathlib import Path

import pytest

from assay.engine.sandbox import CommandLimits, Mount
from assay.evidence.coding_run import ProcessEnd
from tests.builders import within
from tests.sandbox.backends import Backend, eventually, no_plain_processes, processes_with

TIMED_OUT = ProcessEnd(exit_code=None, timed_out=True)


def test_a_command_that_takes_too_long(backend: Backend) -> None:
    with within(50):
        # A busy machine may need longer than the first limit to begin.
        limits = (backend.run("echo began; sleep 60; echo never", timeout_sec=sec) for sec in (0.5, 10))
        ran = next(ran for ran in limits if ran.output or ran.end != TIMED_OUT)
    assert (ran.end, ran.output) == (TIMED_OUT, b"began\n")


def test_a_command_that_ignores_every_signal_it_can(backend: Backend) -> None:
    with within(60):
        ran = backend.run("trap '' TERM INT HUP QUIT; while :; do sleep 1; done", timeout_sec=0.3)
    assert ran.end == TIMED_OUT


def test_a_time_out_during_a_flood(backend: Backend) -> None:
    with within(120):
        ran = backend.run("yes flood", limits=CommandLimits(timeout_sec=0.5, output_bytes=4096))
    assert (ran.end, ran.output_cut, len(ran.output)) == (TIMED_OUT, True, 4096)


def test_the_memory_limit(view: Backend) -> None:
    if not view.sandbox.isolation.memory_limit.startswith("cgroup"):
        pytest.skip("no control group for memory can be made here")
    # A single process, and many small ones that only together are too large.
    for lines in (
        "head -c 300m /dev/zero | tail",
        "for i in 1 2 3 4 5 6; do head -c 30m /dev/zero | tail & done; wait",
    ):
        ran = view.run(lines, limits=CommandLimits(timeout_sec=200, memory_mb=100))
        assert ran.end.out_of_memory, lines
        assert not ran.end.timed_out
        assert ran.peak_memory_mb is not None
        assert ran.peak_memory_mb <= 101


def test_what_stays_below_the_memory_limit(view: Backend) -> None:
    ran = view.run("head -c 20m /dev/zero | tail | wc -c", limits=CommandLimits(timeout_sec=200, memory_mb=200))
    assert (ran.end, ran.output) == (ProcessEnd(exit_code=0), b"20971520\n")


def test_files_in_memory_count(view: Backend) -> None:
    if not view.sandbox.isolation.memory_limit.startswith("cgroup"):
        pytest.skip("no control group for memory can be made here")
    for place in ("/tmp", "/dev/shm", "/run", "/var/tmp"):
        ran = view.run(
            f"[ -w {place} ] && head -c 300m /dev/zero > {place}/big",
            limits=CommandLimits(timeout_sec=200, memory_mb=60),
        )
        assert ran.end.exit_code != 0, place


def test_the_memory_limit_of_a_plain_process(process: Backend) -> None:
    ran = process.run("head -c 300m /dev/zero | tail", limits=CommandLimits(timeout_sec=200, memory_mb=100))
    assert b"memory exhausted" in ran.output


def test_a_fork_bomb_is_bounded(backend: Backend) -> None:
    """It ends with the time limit at the latest, and the machine does not notice."""
    mark = f"bomb-{uuid.uuid4().hex}"
    limits = CommandLimits(timeout_sec=0.3, processes=40, output_bytes=1000)
    undisturbed = contextlib.nullcontext() if backend.name == "process" else no_plain_processes()
    with within(180), undisturbed:
        ran = backend.run(f": {mark}; b() {{ b | b & }}; b; sleep 60", limits=limits, alone=True)
    assert ran.end.timed_out or ran.end.exit_code is not None
    assert eventually(lambda: not processes_with(mark))


FORKING = "import os\nwhile 1:\n try: os.fork()\n except OSError: pass"
SPINNING = "for i in $(seq 150); do (while :; do :; done) & done; wait"


def test_a_fork_bomb_does_not_outlast_its_time(backend: Backend, open_folder: Path) -> None:
    """Neither by taking the processors, which its end needs, nor by what the watch over its disk looks at."""
    open_folder.chmod(0o777)
    bomb = SPINNING if backend.name == "container" else f'exec python3 -c "{FORKING}"'
    limits = CommandLimits(timeout_sec=4, processes=200, cpus=1, disk_mb=100, output_bytes=1000)
    undisturbed = contextlib.nullcontext() if backend.name == "process" else no_plain_processes()
    with undisturbed:
        began = time.monotonic()
        mounts = (Mount(str(open_folder), "/workspace", writable=True),)
        ran = backend.run(bomb, limits=limits, mounts=mounts, alone=True)
    assert ran.end.timed_out
    # One that outlasted its time did so for minutes.
    assert time.monotonic() - began < 4 + 40
    assert (ran.finished_at - ran.started_at).total_seconds() < 4 + 30


def test_the_process_limit(backend: Backend) -> None:
    # The process sandbox counts all processes of its user, those of other sandboxes included.
    limits = CommandLimits(timeout_sec=20, processes=200, output_bytes=100_000)
    few = "for i in 1 2 3 4 5 6 7 8; do sleep 0.2 & done; wait; echo fits"
    if backend.name != "process":
        assert backend.run(few, limits=limits).output == b"fits\n"
    many = " ".join(map(str, range(400)))
    ran = backend.run(f"for i in {many}; do sleep 0.5 & done; wait; echo fits", limits=limits, alone=True)
    assert b"fits" not in ran.output


# A shell may count files in blocks of 512 bytes and in blocks of 1024.
@pytest.mark.parametrize(("megabytes", "fits"), [(1, True), (3, True), (5, False)])
def test_the_file_size_limit(backend: Backend, open_folder: Path, megabytes: int, fits: bool) -> None:
    open_folder.chmod(0o777)
    ran = backend.run(
        f"dd if=/dev/zero of=/workspace/big bs=1024 count={megabytes * 1024} 2>/dev/null; echo $?",
        limits=CommandLimits(timeout_sec=20, file_mb=4),
        mounts=(Mount(str(open_folder), "/workspace", writable=True),),
    )
    size = (open_folder / "big").stat().st_size
    assert size == (megabytes if fits else 4) * 2**20
    assert (ran.output.split()[-1] == b"0") is fits


def test_usage(view: Backend) -> None:
    ran = view.run("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done")
    if ran.cpu_sec is None:
        pytest.skip("nobody adds up the processors' time here")
    assert 0.02 < ran.cpu_sec < 20
