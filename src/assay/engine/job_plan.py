"""What a job is, before anything runs: who attempts which tasks, how often, and in which order."""

import posixpath
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from assay.engine.task import Task

NAME_LETTERS = 7


@dataclass(frozen=True, slots=True)
class Agent:
    """Who attempts the task. ``command`` is a line for the shell; the oracle runs the task's own solution."""

    name: str
    command: str | None = None
    oracle: bool = False
    model: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JobSetting:
    """A job's name and place, who attempts the tasks, and how often."""

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
    """One trial to run: a task, which attempt at it, and the dataset that it comes from."""

    task: Task
    attempt: int
    source: str | None
    position: int


def plan_trials(tasks: Sequence[tuple[Task, str | None]], attempts: int) -> list[Planned]:
    """Every task's first attempt, then every second: in harbor's order."""
    pairs = [(task, attempt, source) for attempt in range(attempts) for task, source in tasks]
    return [Planned(task, attempt, source, position) for position, (task, attempt, source) in enumerate(pairs)]


def trial_name(task: str, random_letters: Callable[[int], str]) -> str:
    """Harbor's form of a name: the task's, two underscores and seven random letters."""
    stem = task.rpartition("/")[2][:32].rstrip("_-")
    return f"{stem}__{random_letters(NAME_LETTERS)}"
