"""Hostile agents and hostile verifiers, in every sandbox that needs no image."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

from tests.sandbox.backends import eventually, need, no_plain_processes, plain_processes
from tests.scratch_folders import own_scratch
from tests.tasks import Attempt, attempt, write_task

HARBORS = ("/workspace", "/tests", "/logs", "/solution")


class Attack(Protocol):
    """Lets a hostile command attempt a task. What is not named describes the task."""

    def __call__(self, agent: str, *options: object, **task: Any) -> Attempt: ...


@pytest.fixture(params=["bubblewrap", "namespaces", "process"])
def isolation(request: pytest.FixtureRequest) -> str:
    return need(str(request.param)).name


@pytest.fixture
def attack(isolation: str, tmp_path: Path) -> Iterator[Attack]:
    def run(agent: str, *options: object, alone: bool = False, **task: Any) -> Attempt:
        folder = write_task(tmp_path / "task", **task)
        with plain_processes(isolation, alone=alone):
            return attempt(folder, agent, tmp_path / "jobs", "--isolation", isolation, *options)

    yield run
    # A tree may be too deep for those who clean up after the tests.
    subprocess.run(["/bin/rm", "-rf", str(tmp_path / "jobs")], check=True)


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    """Whatever an agent does, nothing of it stays on the machine but what belongs to the job."""
    yield
    left = own_scratch()
    if left:
        subprocess.run(["/bin/rm", "-rf", "--", *left], check=True)
    assert not left
    if any(map(os.path.lexists, HARBORS)):
        # They may be those of somebody else's command, but only while it runs.
        with no_plain_processes():
            assert eventually(lambda: not any(map(os.path.lexists, HARBORS)))
