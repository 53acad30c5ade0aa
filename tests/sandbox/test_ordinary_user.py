"""A whole job of somebody who isn't root and has no bubblewrap."""

import multiprocessing
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.cli.main import main
from tests.sandbox.ordinary import NOBODY, become_ordinary
from tests.tasks import ANSWER, attempt, run_arguments, trials_of, write_task

AGENT = "id -u > who; echo right > answer.txt"


@pytest.fixture
def home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        os.chown(name, NOBODY, NOBODY)
        yield Path(name)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_job_without_root_and_without_bubblewrap(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = write_task(home / "task", verifier=ANSWER)
    for path in (home / "task").rglob("*"):
        path.chmod(0o755)
    # The first time as root, so that everything is imported when root's files are out of reach.
    attempt(task, AGENT, home / "first", "--isolation", "namespaces")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("HOME", str(home))
    child = multiprocessing.get_context("fork").Process(target=_run, args=(task, home / "jobs"))
    child.start()
    child.join(120)
    assert child.exitcode == 0
    (trial,) = trials_of(home / "jobs" / "job")
    assert trial.gradings[0]["provenance"]["isolation"]["backend"] == "namespaces"
    assert trial.rewards == {"reward": 1}
    assert trial.folder.stat().st_uid == NOBODY


def _run(task: Path, jobs: Path) -> None:
    become_ordinary()
    os._exit(main(run_arguments(task, AGENT, jobs, "--quiet")))
