"""The plan of a job, before anything runs: which agent attempts which tasks, how often, and in which order."""

import posixpath
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from assay.engine.task import Task

NAME_LETTERS = 7


@dataclass(frozen=True, slots=True)
class Agent:
    """The agent that attempts a task. ``command`` is a shell command; the oracle runs the task's own solution."""

    name: str
    command: str | None = None
    oracle: bool = False
    model: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JobSetting:
    """A job's name and folder, its agent, and the number of attempts."""

    name: str
    jobs_dir: str
    agent: Agent
    attempts: int
    concurrent: int
    max_retries: int
    datasets: tuple[str, ...]
    adhoc_tasks: tuple[str, ...]
    invocation: tuple[str, ...]

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
