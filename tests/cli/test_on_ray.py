"""Pieces of an archive on a real Ray, whose workers and driver may die. `make loops` brings Ray and runs this."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from assay.adapters.jobs.ray_pieces import NAME
from tests.cli.running import Cli
from tests.sandbox.backends import need
from tests.tasks import ANSWER, JOB, run_arguments, write_task

TRIALS = 60
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


def workers() -> list[int]:
    """The processes of Ray that grade a piece."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            line = Path(f"/proc/{name}/cmdline").read_text()
        except OSError:
            continue
        found += [int(name)] if line.startswith(f"ray::{NAME}") else []
    return found


@needs_ray
def test_workers_and_driver_may_die_and_nothing_is_lost_or_graded_twice(job: Path) -> None:
    driver = subprocess.Popen(command(job, "A", "--on", "ray"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    killed = 0
    while gradings(job, "A").total() < TRIALS // 2:
        assert driver.poll() is None, driver.communicate()
        if killed < 2 and gradings(job, "A").total() > 5 * (killed + 1):
            for worker in workers()[:1]:
                os.kill(worker, signal.SIGKILL)
                killed += 1
        time.sleep(0.1)
    driver.kill()
    driver.communicate()
    assert killed == 2
    assert gradings(job, "A").total() < TRIALS
    done = subprocess.run(command(job, "A", "--on", "ray"), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    names = [path.parent.name for path in job.glob("*/result.json")]
    assert gradings(job, "A") == Counter(names)
    here = subprocess.run(command(job, "B"), capture_output=True, text=True, check=False)
    there = subprocess.run(command(job, "C", "--on", "ray"), capture_output=True, text=True, check=False)
    for one in (here, there):
        assert one.returncode == 0, one.stderr
    words = [sorted(line.split("  ")[2] for line in one.stdout.splitlines()) for one in (here, there)]
    assert words[0] == words[1] == ["reward 1"] * TRIALS


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
