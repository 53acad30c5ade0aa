"""Trials on a real Ray, whose workers may die. `make loops` brings Ray and runs this."""

import json
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Cli
from tests.cli.test_on_ray import below
from tests.rewards.test_grader import without_times
from tests.sandbox.backends import need
from tests.tasks import ANSWER, JOB, run_arguments, write_task

TRIALS = 8
AGENT = "sleep 1; echo right > answer.txt"
START = "from assay.cli.main import run; run()"
needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray: make loops")


@pytest.fixture
def task(tmp_path: Path) -> Path:
    need("bubblewrap")
    return write_task(tmp_path / "tasks" / "task", verifier=ANSWER)


def command(task: Path, jobs: Path, *more: object) -> list[str]:
    return [sys.executable, "-c", START, *run_arguments(task, AGENT, jobs, "-k", TRIALS, "-n", 2, *more)]


def records(job: Path) -> list[tuple[dict[str, Any], Any]]:
    """Of each trial: its grading, but for times, and its rewards."""
    found = sorted(job.glob("*/result.json"))
    gradings = [json.loads((path.parent / "gradings" / "0001.json").read_text()) for path in found]
    rewards = [json.loads(path.read_text())["verifier_result"] for path in found]
    return list(zip(map(without_times, gradings), rewards, strict=True))


@needs_ray
def test_a_killed_worker_loses_nothing_and_the_job_is_as_one_that_ran_here(task: Path, tmp_path: Path) -> None:
    driver = subprocess.Popen(
        command(task, tmp_path / "there", "--on", "ray"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    killed = 0
    while driver.poll() is None and killed < 2:
        busy = [pid for pid, line in below(driver.pid) if line.startswith("ray::trial of a job")]
        for pid in busy[:1]:
            os.kill(pid, signal.SIGKILL)
            killed += 1
        time.sleep(1)
    out, err = driver.communicate(timeout=300)
    assert (driver.returncode, killed) == (0, 2), (out, err)
    here = subprocess.run(command(task, tmp_path / "here"), capture_output=True, text=True, check=False)
    assert here.returncode == 0, here.stderr
    there = records(tmp_path / "there" / JOB)
    assert len(there) == TRIALS
    assert there == records(tmp_path / "here" / JOB)
    folders = [one for one in (tmp_path / "there" / JOB).iterdir() if one.is_dir()]
    assert len(folders) == TRIALS


@needs_ray
def test_a_killed_driver_goes_on_where_it_was_killed(task: Path, tmp_path: Path) -> None:
    job = tmp_path / "jobs" / JOB
    driver = subprocess.Popen(
        command(task, tmp_path / "jobs", "--on", "ray"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while len(list(job.glob("*/result.json"))) < 2:
        assert driver.poll() is None
        time.sleep(0.1)
    driver.kill()
    driver.wait()
    before = {path.parent.name for path in job.glob("*/result.json")}
    again = subprocess.run(
        command(task, tmp_path / "jobs", "--on", "ray"), capture_output=True, text=True, check=False
    )
    assert again.returncode == 0, again.stderr
    # A worker of the killed driver may have been in the middle of a trial.
    time.sleep(5)
    after = {path.parent.name for path in job.glob("*/result.json")}
    assert len(before) < TRIALS
    assert before <= after
    assert len(after) == TRIALS
    assert {one.name for one in job.iterdir() if one.is_dir()} == after
    assert json.loads((job / "result.json").read_text())["n_total_trials"] == TRIALS


@needs_ray
def test_a_task_needs_a_machine_that_is_large_enough(tmp_path: Path) -> None:
    need("bubblewrap")
    task = write_task(tmp_path / "tasks" / "large", toml="[environment]\ncpus = 999\n")
    done = subprocess.run(
        command(task, tmp_path / "jobs", "--on", "ray"), capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    assert "--on ray needs a machine with 999 processors" in done.stderr


def test_what_holds_here_only_is_refused(cli: Cli, task: Path, tmp_path: Path) -> None:
    options = ("--on", "ray", "--judge")
    found = cli(*run_arguments(task, AGENT, tmp_path / "jobs", *options))
    assert found.code == 2
    assert "--on ray runs agents and scorers alone; leave out --judge and --model-endpoint" in found.err


@pytest.mark.skipif(find_spec("ray") is not None, reason="Ray is here")
def test_a_ray_that_isnt_installed_is_one_sentence(cli: Cli, task: Path, tmp_path: Path) -> None:
    found = cli(*run_arguments(task, AGENT, tmp_path / "jobs", "--on", "ray"))
    assert found.code == 2
    assert "--on ray needs ray: " in found.err
    assert not (tmp_path / "jobs").exists()
