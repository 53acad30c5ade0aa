"""The plan of a job, before anything runs: which agent attempts which tasks, how often, and in which order."""

import posixpath
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.engine.model_access import ModelGrant
from assay.engine.sandbox import Mount
from assay.engine.tasks.task import Task

NAME_LETTERS = 7


@dataclass(frozen=True, slots=True)
class Agent:
    """The agent that attempts a task. ``command`` is a shell command; the oracle runs the task's own solution.

    ``private`` are variables for the agent alone: their names are recorded, and their values never are.
    ``mounts`` is where it is installed, and ``trajectory`` the file among its logs that tells what it did.
    """

    name: str
    command: str | None = None
    oracle: bool = False
    model: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    private: Mapping[str, str] = field(default_factory=dict, repr=False)
    mounts: tuple[Mount, ...] = ()
    trajectory: str | None = None
    version: str | None = None
    model_grant: ModelGrant | None = None

    @property
    def recorded_env(self) -> dict[str, str]:
        """The variables for job files: in the place of a private value a reference to it, as harbor writes it."""
        return {**self.env, **{name: f"${{{name}}}" for name in self.private}}

    def access(self) -> dict[str, Any] | None:
        """What the run gives the agent beside its task, for provenance; None if nothing."""
        variables = {"variables": sorted(self.private)} if self.private else {}
        model = {"model": self.model_grant.as_json()} if self.model_grant is not None else {}
        return {**variables, **model} or None


@dataclass(frozen=True, slots=True)
class JobSetting:
    """A job's name and folder, its agent, and the number of attempts.

    With ``control``, a verifier without a usable reward is run again to find out why.
    """

    name: str
    jobs_dir: str
    agent: Agent
    attempts: int
    concurrent: int
    max_retries: int
    datasets: tuple[str, ...]
    adhoc_tasks: tuple[str, ...]
    invocation: tuple[str, ...]
    control: bool = True

    @property
    def folder(self) -> str:
        return posixpath.join(self.jobs_dir, self.name)


@dataclass(frozen=True, slots=True)
class Planned:
    """One trial to run: the task, the number of the attempt, and the task's dataset."""

    task: Task
    attempt: int
    source: str | None
    position: int


def plan_trials(tasks: Sequence[tuple[Task, str | None]], attempts: int) -> list[Planned]:
    """The first attempt at every task, then the second, and so on: harbor's order."""
    pairs = [(task, attempt, source) for attempt in range(attempts) for task, source in tasks]
    return [Planned(task, attempt, source, position) for position, (task, attempt, source) in enumerate(pairs)]


def trial_name(task: str, random_letters: Callable[[int], str]) -> str:
    """A name as harbor makes it: the name of the task, two underscores and seven random letters."""
    stem = task.rpartition("/")[2][:32].rstrip("_-")
    return f"{stem}__{random_letters(NAME_LETTERS)}"
