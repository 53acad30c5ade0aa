"""Hostile agents and hostile verifiers, in every sandbox that needs no image."""

import fcntl
import glob
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

from tests.sandbox.backends import need
from tests.tasks import Attempt, attempt, write_task


class Attack(Protocol):
    """Lets a hostile command attempt a task. What is not named describes the task."""

    def __call__(self, agent: str, *options: object, **task: Any) -> Attempt: ...


@pytest.fixture(params=["bubblewrap", "process"])
def isolation(request: pytest.FixtureRequest) -> str:
    return need(str(request.param)).name


@pytest.fixture
def attack(isolation: str, tmp_path: Path) -> Attack:
    def run(agent: str, *options: object, **task: Any) -> Attempt:
        folder = write_task(tmp_path / "task", **task)
        return attempt(folder, agent, tmp_path / "jobs", "--isolation", isolation, *options)

    return run


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    """Whatever an agent does, nothing of it stays on the machine but what belongs to the job."""
    yield
    left = glob.glob(f"{tempfile.gettempdir()}/assay-{os.getpid()}-*")
    if left:
        subprocess.run(["rm", "-rf", "--", *left], check=True)
    assert not left
    with open(f"{tempfile.gettempdir()}/assay-process.lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # Nobody has Harbor's paths now.
        assert not any(os.path.lexists(path) for path in ("/workspace", "/tests", "/logs", "/solution"))
