"""Interfaces to the outside for running and grading trials: benches to work on, and folders to keep results in.

::

    Workshop     makes a Bench for each trial, and knows the tests that all of them share
    Bench        the folders of one trial while it runs
    JobStore     the folder of one job, opened by one run at a time
    TrialFolder  the folder of one trial, written step by step
    KeptTrial    the folder of a finished trial

The plan of a job says which agent attempts which tasks, how often, and in which order.
"""

import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from assay.dialects.evaluation.models import Grading
from assay.dialects.harbor.task_config import ArtifactConfig
from assay.engine.model_access import ModelGrant
from assay.engine.ports import JobFolder
from assay.engine.run.grading_record import Before
from assay.engine.sandbox import Mount, Ran
from assay.engine.tasks.task import LoadedTask, TaskEnvironment, TaskStep
from assay.evidence.files import File, RewardFiles
from assay.evidence.run import Gates

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
        """The agent's access beside its task, for provenance; None if it has none."""
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

    task: LoadedTask
    attempt: int
    source: str | None
    position: int


def plan_trials(tasks: Sequence[tuple[LoadedTask, str | None]], attempts: int) -> list[Planned]:
    """The first attempt at every task, then the second, and so on: harbor's order."""
    pairs = [(task, attempt, source) for attempt in range(attempts) for task, source in tasks]
    return [Planned(task, attempt, source, position) for position, (task, attempt, source) in enumerate(pairs)]


def trial_name(task: str, random_letters: Callable[[int], str]) -> str:
    """A name as harbor makes it: the name of the task, two underscores and seven random letters."""
    stem = task.rpartition("/")[2][:32].rstrip("_-")
    return f"{stem}__{random_letters(NAME_LETTERS)}"


class Bench(Protocol):
    """The folders of one trial while it runs. Each method may raise ``MeasurementError``."""

    @property
    def not_kept(self) -> Sequence[str]:
        """Messages about files that were too large to keep."""

    def seed(self) -> None:
        """Fill the workspace as the task's environment describes it."""

    def workdir(self) -> str:
        """The folder of the host that the agent's working folder is."""

    def write_instruction(self, text: str) -> None:
        """Put the instruction where the agent finds it."""

    def add_to_workdir(self, folder: str) -> None:
        """Add the files of a step."""

    def agent_mounts(self, solution: str | None) -> list[Mount]:
        """The mounts of the agent's sandbox."""

    def remove_strays(self) -> list[str]:
        """Remove links, pipes and devices that would lead a verifier astray. Says what each was."""

    def startup_files(self) -> list[str]:
        """The files that programs read when they start, which the agent left where the verifier shares them."""

    def verifier_mounts(self, step: TaskStep) -> list[Mount]:
        """The mounts of the verifier's sandbox, with an empty folder for its artifacts, and the tests."""

    def changed_tests(self) -> list[str]:
        """The tests that are no longer as they were given to the verifier, in order."""

    def test_texts(self) -> Iterable[str]:
        """The text of each file of the tests, as they were given to the verifier."""

    def watch_rewards(self) -> AbstractContextManager[Callable[[], list[str]]]:
        """Watch who writes reward files. Afterwards, there is a sentence on each that wasn't the verifier's."""

    def rewards(self) -> RewardFiles:
        """The reward files that the verifier wrote."""

    def details(self) -> File:
        """The details.json that the verifier wrote."""

    def output(self, path: str) -> File:
        """The agent's output at an absolute path of the sandbox, read without following a link."""

    def keep_agent(self, target: str, artifacts: Sequence[ArtifactConfig]) -> list[dict[str, str]]:
        """Copy the agent's logs and artifacts into a folder. Returns harbor's manifest of the artifacts."""

    def keep_workspace(self, target: str) -> str:
        """Pack the workspace into a folder, whole or not at all. Returns the archive."""

    def keep_verifier(self, target: str) -> None:
        """Copy the verifier's artifacts into a folder."""

    def restore(self, folder: str) -> None:
        """Put the workspace, logs and artifacts that a trial kept in a folder in the place of what is there."""

    def clear_agent(self) -> None:
        """Empty the agent's logs for the next step."""

    def close(self) -> None:
        """Remove the folders."""


class Workshop(Protocol):
    """Makes benches. The files of tasks are copied once and shared by all benches."""

    def bench(self, environment: TaskEnvironment) -> Bench:
        """A new bench for one trial."""

    def tests_checksum(self, step: TaskStep) -> str:
        """The checksum of the tests of a step."""


class GradedFolder(Protocol):
    """A folder with what an agent left, and the gradings of that."""

    @property
    def path(self) -> str:
        """The path of the folder: that of a trial that runs is absolute, others are as the user wrote them."""

    def restore(self, step: str | None, bench: Bench) -> None:
        """Put the workspace, logs and artifacts back on a bench. Raises ``InputError`` if they weren't kept as a
        whole, or can't be read.
        """

    def gradings(self) -> Before:
        """The gradings so far, and the hash of the newest."""

    def add_grading(self, grading: Grading) -> None:
        """Keep a grading under its number. Raises ``NumberTakenError`` if somebody else just took that number."""


class TrialFolder(GradedFolder, Protocol):
    """The folder of one trial. The result marks the trial as finished, so it is written last."""

    def keep_agent(
        self, step: str | None, bench: Bench, artifacts: Sequence[ArtifactConfig], ran: Ran | None, log: str
    ) -> str:
        """Keep the agent's files before a verifier touches them. Returns the checksum of the workspace.

        ``log`` is the name of the file for the agent's output.
        """

    def tell_trajectory(self, step: str | None, agent: Agent) -> None:
        """Write what the agent's own record tells as trajectory.json, in harbor's format.

        Nothing is written if there is no such record, or if the agent left a trajectory.json itself.
        """

    def keep_verifier(self, step: str | None, bench: Bench, ran: Ran | None) -> None:
        """Keep the verifier's files."""

    def gates(self) -> Gates | None:
        """Its scores and judgement; None if there are none."""

    def finish(self, log: Sequence[str], failure: str | None, result: Mapping[str, Any]) -> None:
        """Write the log, the exception if there was one, and the result, which makes the trial finished."""


class KeptTrial(GradedFolder, Protocol):
    """The folder of a finished trial."""

    def task_path(self) -> str:
        """The path of the trial's task. Raises ``InputError`` if config.json doesn't say."""

    def archive(self, step: str | None) -> str:
        """The path of the kept workspace, for errors."""

    def workspace(self, step: str | None) -> str | None:
        """The checksum of the kept workspace; None if it was not kept."""

    def kept_in_part(self, step: str | None) -> bool:
        """Whether the workspace was too large, so that only a part of it was kept."""

    def collect(self, step: str | None, sources: Sequence[str]) -> None:
        """Keep as workspace the artifacts at these paths, if harbor kept them all. Raises ``InputError``."""


class JobStore(Protocol):
    """The folder of one job. Only one run at a time can have it open."""

    @property
    def folder(self) -> str:
        """The path of the folder."""

    def read(self) -> JobFolder:
        """The current content of the folder."""

    def read_json(self, name: str) -> dict[str, Any] | None:
        """The object in one of the job's own files; None if there is no such file. Raises ``InputError``."""

    def write_json(self, name: str, value: Mapping[str, Any]) -> None:
        """Write one of the job's own files, whole or not at all."""

    def write_result(self, text: str) -> None:
        """Write the job's result.json, whole or not at all."""

    def is_finished(self, trial: str) -> bool:
        """Whether a trial has its result."""

    def remove_unfinished(self) -> None:
        """Remove files that a killed run was writing, and the trials that it did not finish."""

    def new_trial(self, name: str, config: Mapping[str, Any]) -> TrialFolder:
        """Make the folder of a trial."""

    def discard_trial(self, name: str) -> None:
        """Remove a trial that will be retried."""

    def log(self, text: str) -> None:
        """Add a line to the job's log."""
