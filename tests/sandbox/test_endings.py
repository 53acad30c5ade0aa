"""Nothing that a command started is left when it has ended, however it ended, nor when Assay itself was killed."""

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.adapters.sandbox import supervisor
from assay.core.errors import MeasurementError
from assay.engine.sandbox import Mount
from assay.evidence.coding_run import ProcessEnd
from tests.builders import within
from tests.cli.running import run_assay
from tests.sampling import SEARCHING
from tests.sandbox.backends import VIEWS, Backend, eventually, need, processes_with
from tests.sandbox.killing import (
    assay_running,
    end_sleepers,
    kill_while_starting,
    none_asleep,
    scratch_homes,
    sleepers,
)

# Forks twice and begins a session of its own, so that no parent, group or session leads to it.
DAEMON = "setsid sh -c '(sleep {forever}; echo late > /workspace/late) {how} &' & sleep 0.3; true"
QUIET = "</dev/null >/dev/null 2>&1"


@pytest.fixture
def forever() -> Iterator[str]:
    """A number of seconds by which the sleepers of a test are known. Should any be left, they are ended."""
    seconds = str(random.randrange(10**8, 10**9))
    yield seconds
    end_sleepers(seconds)


@pytest.mark.parametrize("how", [QUIET, ""], ids=["detached", "holding the pipe"])
def test_a_daemon_dies_with_its_command(backend: Backend, open_folder: Path, forever: str, how: str) -> None:
    open_folder.chmod(0o777)
    with within(60):
        ran = backend.run(
            DAEMON.format(forever=forever, how=how) + "; echo done",
            mounts=(Mount(str(open_folder), "/workspace", writable=True),),
        )
    assert (ran.end, ran.output) == (ProcessEnd(exit_code=0), b"done\n")
    assert none_asleep(forever)
    assert os.listdir(open_folder) == []


def test_nothing_of_a_command_goes_on_at_the_time_limit(backend: Backend, forever: str) -> None:
    """Not for a moment either, because what it waited for was killed before it."""
    waiting = f"i=0; while [ $i -lt 40 ]; do (sleep 0.5; sleep {forever}; echo never) & i=$((i+1)); done; wait"
    for _ in range(2):
        ran = backend.run(f"{waiting}; echo never", timeout_sec=1.5)
        assert (ran.end.timed_out, b"never" in ran.output) == (True, False)


@pytest.mark.parametrize("how", [QUIET, ""], ids=["detached", "holding the pipe"])
def test_a_daemon_dies_at_the_time_limit(backend: Backend, forever: str, how: str) -> None:
    with within(60):
        ran = backend.run(f"{DAEMON.format(forever=forever, how=how)}; sleep {forever}", timeout_sec=0.5)
    assert ran.end.timed_out
    assert none_asleep(forever)


def test_one_that_runs_away_by_forking_dies(process: Backend) -> None:
    """Each process forks the next one and ends, so that it is never there for long."""
    mark = f"runaway-{random.randrange(10**12)}"
    with within(200):
        process.run(
            f"python3 -c 'import os, time  # {mark}\nend = time.time() + 300\n"
            "while time.time() < end:\n    if os.fork(): os._exit(0)' & sleep 0.5"
        )
    assert eventually(lambda: not processes_with(mark))


# How often a run is killed within its first 40 ms.
TIMES = 80 if SEARCHING else 30
# The supervisor, told to stop at a chosen moment: when ``{where}`` is called for the first time.
TOLD = """
import os, signal, sys
real = {where}
def told(*arguments):
    result = real(*arguments)
    if result != 0:  # Not in the child.
        os.kill(os.getpid(), signal.SIGTERM)
    return result
{where} = told
sys.argv = sys.argv[1:]
exec(open(sys.argv[0]).read(), {{"__name__": "__main__"}})
"""


@pytest.mark.parametrize("where", ["os.fork", "signal.signal", "signal.set_wakeup_fd", "os.pidfd_open"])
def test_the_supervisor_can_be_told_to_stop_at_any_moment(where: str, forever: str) -> None:
    reading, writing = os.pipe()
    limits = ("-1", "-1", "100", "0", "100", "/")
    command = [sys.executable, "-c", TOLD.format(where=where), supervisor.__file__, str(reading), *limits]
    try:
        subprocess.run([*command, "sleep", forever], pass_fds=(reading,), timeout=60, check=False)
    except subprocess.TimeoutExpired:
        pytest.fail("it did not notice")
    finally:
        os.close(reading)
        os.close(writing)
    time.sleep(0.2)
    assert none_asleep(forever)


def test_everything_dies_when_assay_is_killed(backend: Backend, forever: str) -> None:
    lines = f"{DAEMON.format(forever=forever, how=QUIET)}; sleep {forever}; true"
    with assay_running(backend.name, lines) as assay:
        assert eventually(lambda: len(sleepers(forever)) == 2)
        assay.kill()
        assay.wait()
        assert none_asleep(forever)


@pytest.mark.parametrize("name", [*VIEWS, "process"])
def test_everything_dies_when_assay_is_killed_while_a_sandbox_starts(name: str, forever: str) -> None:
    """Also between the fork and the moment at which the sandbox is bound to its parent."""
    need(name)
    kill_while_starting(name, f"sleep {forever}; true", times=TIMES, step_sec=0.04 / TIMES)
    # One that survived may still be on its way to its command.
    time.sleep(0.5)
    assert none_asleep(forever)


@pytest.mark.parametrize("name", [*VIEWS, "process"])
def test_the_temporary_files_of_a_killed_run_are_swept_up_by_the_next(name: str, forever: str) -> None:
    need(name)
    with assay_running(name, f"sleep {forever}; true") as assay:
        assert eventually(lambda: sleepers(forever))
        homes = scratch_homes(assay.pid)
        assert any(map(os.path.exists, homes))
        assay.kill()
        assay.wait()
        assert none_asleep(forever)
        run_assay("doctor")
        assert not any(map(os.path.exists, homes))


def test_what_a_killed_run_left_at_harbors_paths_is_cleared(process: Backend, open_folder: Path) -> None:
    """Its links stay behind; the next command takes their place."""
    link = Path(f"/assay-test-{os.getpid()}")
    link.symlink_to(open_folder / "assay-of-a-killed-run")
    try:
        ran = process.run("pwd -P", mounts=(Mount(str(open_folder), str(link)),), workdir=str(link))
    finally:
        link.unlink(missing_ok=True)
    assert ran.output.decode().strip() == str(open_folder)


def test_what_is_not_ours_at_harbors_paths_stays(process: Backend, open_folder: Path, tmp_path: Path) -> None:
    link = Path(f"/assay-test-{os.getpid()}")
    link.symlink_to(tmp_path)
    try:
        with pytest.raises(MeasurementError, match=f"can't provide {link}"):
            process.run("true", mounts=(Mount(str(open_folder), str(link)),))
        assert link.readlink() == tmp_path
    finally:
        link.unlink(missing_ok=True)
