"""No container outlives Assay, whatever was killed inside and out."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.adapters.sandbox.containers import watchdog as container_watchdog
from assay.adapters.sandbox.containers.container import probe
from assay.adapters.sandbox.containers.images import label
from assay.adapters.sandbox.containers.watchdog_client import WatchdogClient
from tests.builders import within
from tests.sandbox.backends import Backend, eventually, processes_with
from tests.sandbox.fake_container_engine import asked, fake_engine
from tests.sandbox.killing import assay_running, end_sleepers, kill_while_starting, none_asleep, sleepers

REMOVED = ["rm --force --volumes b"]

# A process that has a container, and a fork of it that has another one and is killed.
FORKED = """
import os, signal, sys
from assay.adapters.sandbox.containers.watchdog_client import watchdog_of
watchdog_of(sys.argv[1]).begin("a")
reading, writing = os.pipe()
pid = os.fork()
if pid == 0:
    watchdog_of(sys.argv[1]).begin("b")
    os.write(writing, b"x")
    signal.pause()
os.read(reading, 1)
os.kill(pid, signal.SIGKILL)
sys.stdin.read()
"""


@pytest.fixture
def forever() -> Iterator[str]:
    """A number of seconds by which the sleepers of a test are known. Should any be left, they are ended."""
    seconds = str(random.randrange(10**8, 10**9))
    yield seconds
    end_sleepers(seconds)


def watchdogs(engine: str) -> list[int]:
    return processes_with(f"watchdog.py\0{engine}\0")


@pytest.mark.parametrize(
    "lines",
    [
        "kill -9 -1; sleep {forever}; true",
        "rm -rf /run/assay/* 2>/dev/null; kill -9 -1; setsid sleep {forever} & sleep {forever}; true",
    ],
)
def test_a_command_can_not_cut_the_lifeline(container: Backend, forever: str, lines: str) -> None:
    """It may kill everything that it sees. When Assay is gone, it goes all the same."""
    with assay_running("container", lines.format(forever=forever)) as assay:
        assert eventually(lambda: sleepers(forever))
        time.sleep(0.5)
        assay.kill()
        assay.wait()
        assert none_asleep(forever)


def test_the_lifeline_holds_where_the_watchdog_is_killed_too(container: Backend, forever: str) -> None:
    """As when everything that a login started is killed at once."""
    binary = container.engine
    before = watchdogs(binary)
    with assay_running("container", f"sleep {forever}; true") as assay:
        assert eventually(lambda: sleepers(forever))
        for pid in set(watchdogs(binary)) - set(before):
            os.kill(pid, signal.SIGKILL)
        assay.kill()
        assay.wait()
        assert none_asleep(forever)
    probe()


def test_everything_dies_when_assay_is_killed_while_a_container_starts(container: Backend, forever: str) -> None:
    kill_while_starting("container", f"kill -9 -1; sleep {forever}; true", times=14, step_sec=0.05)
    # One that survived may still be on its way to its command.
    time.sleep(1)
    assert none_asleep(forever)
    # At worst, a client that was still at work has made a container that was never started.
    probe()
    binary = container.engine
    command = [binary, "ps", "--all", "--quiet", "--filter", f"label={label()}"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == ""


@pytest.mark.parametrize(
    ("told", "removed"),
    [("", []), ("+a\n-a\n", []), ("+a\n+b\n-a\n", REMOVED), ("+b\n+cut short", REMOVED)],
)
def test_what_is_left_is_removed(tmp_path: Path, told: str, removed: list[str]) -> None:
    engine = fake_engine(tmp_path)
    with within(60):
        done = subprocess.run(
            [sys.executable, "-I", "-S", container_watchdog.__file__, engine],
            input=told.encode(),
            capture_output=True,
            check=True,
        )
    assert done.stdout == b"ready\n"
    assert sorted(set(asked(tmp_path, "rm"))) == removed


def test_one_engine_that_hangs_does_not_keep_the_others(tmp_path: Path) -> None:
    engine = tmp_path / "docker"
    engine.write_text(f'#!/bin/sh\n[ "$4" = a ] && exec sleep 60\necho "$4" >> {tmp_path}/removed\n')
    engine.chmod(0o755)
    script = f"import sys; sys.path.insert(0, {os.path.dirname(container_watchdog.__file__)!r})\n"
    script += "import watchdog as w; w.PATIENCE_SEC = 3; w.main(sys.argv[1])"
    with within(60):
        subprocess.run(
            [sys.executable, "-c", script, str(engine)], input=b"+a\n+b\n", check=True, stdout=subprocess.DEVNULL
        )
    assert "b" in (tmp_path / "removed").read_text().split()


def test_nothing_but_a_kill_ends_the_watchdog(tmp_path: Path) -> None:
    engine = fake_engine(tmp_path)
    watch = WatchdogClient(engine)
    watch.begin("b")
    (pid,) = watchdogs(engine)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        os.kill(pid, number)
    time.sleep(0.2)
    assert watchdogs(engine) == [pid]
    assert os.getsid(pid) == pid
    watch.leave()
    assert eventually(lambda: asked(tmp_path, "rm") == REMOVED)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def test_a_watchdog_that_was_killed_is_replaced_by_one_that_knows_everything(tmp_path: Path) -> None:
    engine = fake_engine(tmp_path)
    watch = WatchdogClient(engine)
    watch.begin("a")
    watch.begin("b")
    (first,) = watchdogs(engine)
    os.kill(first, signal.SIGKILL)
    assert eventually(lambda: not watchdogs(engine))
    watch.end("a")
    (second,) = watchdogs(engine)
    watch.leave()
    assert eventually(lambda: asked(tmp_path, "rm") == REMOVED)
    os.kill(second, signal.SIGKILL)
    os.waitpid(second, 0)


def test_a_watchdog_with_nothing_to_do_ends_with_assay(tmp_path: Path) -> None:
    engine = fake_engine(tmp_path)
    watch = WatchdogClient(engine)
    watch.begin("a")
    watch.end("a")
    (pid,) = watchdogs(engine)
    watch.leave()
    with within(60):
        assert os.waitpid(pid, 0) == (pid, 0)
    assert asked(tmp_path, "rm") == []


def test_a_fork_of_assay_has_a_watchdog_of_its_own(tmp_path: Path) -> None:
    engine = fake_engine(tmp_path)
    with subprocess.Popen([sys.executable, "-c", FORKED, engine], stdin=subprocess.PIPE) as parent:
        assert eventually(lambda: asked(tmp_path, "rm") == REMOVED)
        parent.kill()
    assert eventually(lambda: "rm --force --volumes a" in asked(tmp_path, "rm"))
