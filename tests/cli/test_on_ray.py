"""Pieces of an archive on a real Ray, whose workers and driver may die. `make loops` brings Ray and runs this."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from assay.adapters.jobs.ray_pieces import NAME
from tests.cli.running import Cli
from tests.sampling import SEARCHING
from tests.sandbox.backends import need
from tests.tasks import ANSWER, JOB, run_arguments, write_task

# `make search` kills more often, and needs more work for that.
KILLS, TRIALS = (20, 300) if SEARCHING else (3, 60)
KINDS = ("worker", "node", "driver")
START = "from assay.cli.main import run; run()"
needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray: make loops")


@pytest.fixture
def job(cli: Cli, tmp_path: Path) -> Path:
    need("bubblewrap")
    task = write_task(tmp_path / "tasks" / "task", verifier=f"sleep 0.2; {ANSWER}")
    arguments = run_arguments(task, "echo right > answer.txt", tmp_path / "jobs", "--quiet", "-n", 8, "-k", TRIALS)
    assert cli(*arguments).code == 0
    return tmp_path / "jobs" / JOB


def gradings(job: Path, again: str) -> Counter[str]:
    paths = sorted(job.glob("*/gradings/*.json"))
    return Counter(path.parent.parent.name for path in paths if json.loads(path.read_text())["again"] == again)


def command(job: Path, again: str, *more: str) -> list[str]:
    return [sys.executable, "-c", START, "grade", str(job), "--again", again, "-n", "1", *more]


def below(pid: int) -> Iterator[tuple[int, str]]:
    """The processes below one, with their command lines."""
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            for child in map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text().split()):
                yield child, Path(f"/proc/{child}/cmdline").read_text()
                yield from below(child)


class Drivers:
    """A command that is given again whenever it has ended. Ray and its workers end after it, by themselves."""

    def __init__(self, job: Path) -> None:
        self._job = job
        self._driver = self._begin()

    def _begin(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            command(self._job, "A", "--on", "ray"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def until_more(self, many: int) -> int:
        """Wait for more gradings than that."""
        while (now := gradings(self._job, "A").total()) <= many:
            if self._driver.poll() is not None:
                self._driver = self._begin()
            time.sleep(0.05)
        return now

    def kill(self, kind: str) -> bool:
        """Kill the driver, its node process, or a worker of it, if there is one."""
        pattern = {"node": "/raylet/raylet", "worker": f"ray::{NAME}"}.get(kind)
        found = [pid for pid, line in below(self._driver.pid) if pattern is not None and pattern in line]
        pids = [self._driver.pid] if kind == "driver" else found[:1]
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        return bool(pids)

    def end(self) -> None:
        self._driver.kill()
        self._driver.wait()


@needs_ray
def test_driver_worker_and_node_may_die_and_nothing_is_lost_or_graded_twice(job: Path) -> None:
    chance, killed, drivers, graded = random.Random(9), Counter[str](), Drivers(job), 0
    while killed.total() < KILLS:
        graded = drivers.until_more(graded)
        assert graded < TRIALS
        time.sleep(chance.uniform(0, 0.3))
        kind = KINDS[killed.total() % 3]
        killed[kind] += drivers.kill(kind)
    drivers.end()
    assert min(killed[kind] for kind in KINDS) >= KILLS // 3
    while True:
        done = subprocess.run(command(job, "A", "--on", "ray"), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        if "at work elsewhere" not in done.stderr:
            break
    names = [path.parent.name for path in job.glob("*/result.json")]
    assert len(names) == TRIALS
    assert gradings(job, "A") == Counter(names)


@needs_ray
def test_a_cluster_that_isnt_there_is_one_sentence(job: Path) -> None:
    environment = os.environ | {"RAY_ADDRESS": "127.0.0.1:1"}
    done = subprocess.run(
        command(job, "A", "--on", "ray"), capture_output=True, text=True, env=environment, check=False, timeout=200
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert "the cluster at 127.0.0.1:1 can't be reached" in done.stderr


@needs_ray
def test_a_piece_needs_a_machine_that_is_large_enough(job: Path) -> None:
    done = subprocess.run(
        [*command(job, "A", "--on", "ray"), "-n", "999"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "--on ray needs a machine with 999 processors, but the cluster has none" in done.stderr


def test_without_an_id_nothing_goes_to_a_cluster(cli: Cli, tmp_path: Path) -> None:
    found = cli("grade", str(tmp_path), "--on", "ray")
    assert (found.code, found.err) == (
        2,
        "assay: --on ray needs --again ID: a piece that is begun again grades nothing twice\n",
    )


@pytest.mark.skipif(find_spec("ray") is not None, reason="Ray is here")
def test_a_ray_that_isnt_installed_is_one_sentence(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "job" / "trial__1" / "verifier").mkdir(parents=True)
    found = cli("grade", f"{tmp_path}/job/trial__1", "--again", "A", "--on", "ray")
    assert (found.code, found.err.count("\n")) == (2, 1)
    assert "--on ray needs ray: " in found.err
