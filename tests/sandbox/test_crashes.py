"""A job that is killed again and again, and taken up each time, ends as if nothing had happened."""

import contextlib
import json
import os
import random
import subprocess
import time
import uuid
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.builders import within
from tests.cli.running import run_assay, start_assay
from tests.sampling import SEARCHING
from tests.sandbox.backends import eventually, need, processes_with
from tests.tasks import JOB, PASS, run_arguments, trials_of, write_task

KILLS, ATTEMPTS = (20, 16) if SEARCHING else (10, 9)


@pytest.fixture
def mark() -> Iterator[str]:
    """A word in the agent's command, by which whatever is left of a job is found."""
    word = f"mark-{uuid.uuid4().hex}"
    yield word
    for pid in processes_with(word):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, 9)


def finished(job: Path) -> dict[str, bytes]:
    """The finished trials and their results, each of which is whole."""
    found = {trial.folder.name: (trial.folder / "result.json").read_bytes() for trial in trials_of(job)}
    for name in found:
        left = set(os.listdir(job / name))
        assert {
            "config.json",
            "agent",
            "verifier",
            "artifacts",
            "gradings",
            "workspace.tar.gz",
            "trial.log",
        } <= left
        assert os.listdir(job / name / "gradings") == ["0001.json"]
    return found


def _one_more(job: Path, before: int, running: "subprocess.Popen[str]") -> bool:
    return len(trials_of(job)) > before or running.poll() is not None


def test_a_job_survives_being_killed(tmp_path: Path, open_folder: Path, mark: str) -> None:
    need("bubblewrap")
    chance = random.Random(20261115)
    for name in ("a", "b"):
        write_task(tmp_path / "set" / name, verifier=PASS)
    agent = f"sleep 0.4; : {mark}"
    arguments = run_arguments(
        tmp_path / "set", agent, tmp_path / "jobs", "-k", ATTEMPTS, "-n", 2, "--isolation", "bubblewrap"
    )
    job = tmp_path / "jobs" / JOB
    before: dict[str, bytes] = {}
    in_the_middle = 0
    with within(120):
        for number in range(KILLS):
            running = start_assay(*arguments, tmp=open_folder)
            if number % 2:
                # Shortly after a trial was finished; the other times anywhere, from the very beginning on.
                assert eventually(partial(_one_more, job, len(before), running))
            time.sleep(chance.uniform(0, 0.1 if number % 2 else 0.7))
            in_the_middle += running.poll() is None
            running.kill()
            running.communicate()
            after = finished(job)
            assert {name: after.get(name) for name in before} == before, "a finished trial was lost or run again"
            before = after
        assert len(before) > 0
        assert in_the_middle >= KILLS / 2
        assert eventually(lambda: not processes_with(mark)), "something is still running"
        last = start_assay(*arguments, tmp=open_folder)
        _, said = last.communicate(timeout=60)
    assert last.returncode == 0, said
    after = finished(job)
    assert {name: after.get(name) for name in before} == before
    tasks = [json.loads(text)["task_name"] for text in after.values()]
    assert sorted(tasks) == ["a"] * ATTEMPTS + ["b"] * ATTEMPTS
    assert len({json.loads(text)["id"] for text in after.values()}) == 2 * ATTEMPTS
    assert sorted(name for name in os.listdir(job) if (job / name).is_dir()) == sorted(after)
    assert run_assay("audit", "--quiet", job).out == f"{JOB}: consistent, byte for byte\n"
    # The temporary files of killed runs are swept up by those that come after.
    assert [name for name in os.listdir(open_folder) if name.startswith("assay-")] == []
    result = json.loads((job / "result.json").read_text())
    assert (result["stats"]["n_completed_trials"], result["stats"]["n_retries"]) == (2 * ATTEMPTS, 0)
