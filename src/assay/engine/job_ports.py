"""What running and grading trials needs from the outside: benches to work on, and folders to keep things in.

::

    Workshop     makes a Bench for each trial, and knows the tests that all of them share
    Bench        the folders of one trial while it runs
    JobStore     the folder of one job, opened by one run at a time
    TrialFolder  the folder of one trial, written step by step
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from assay.dialects.evaluation.grading import Grading
from assay.dialects.harbor.task_config import ArtifactConfig
from assay.engine.grading_record import Before
from assay.engine.ports import JobFolder
from assay.engine.sandbox import Mount, Ran
from assay.engine.task import Environment, Step
from assay.evidence.files import File, RewardFiles

# What the agent printed is kept among its logs. Harbor has a name of its own for what the oracle prints.
ORACLE_LOG, AGENT_LOG = "oracle.txt", "output.txt"


class Bench(Protocol):
    """The folders of one trial while it runs. Each method may raise ``MeasurementError``."""

    @property
    def not_kept(self) -> Sequence[str]:
        """What was too much to keep, a sentence each."""
        ...

    def seed(self) -> None:
        """Fill the workspace as the task's environment describes it."""
        ...

    def write_instruction(self, text: str) -> None:
        """Put the instruction where the agent finds it."""
        ...

    def add_to_workdir(self, folder: str) -> None:
        """Add the files that a step brings along."""
        ...

    def agent_mounts(self, solution: str | None) -> list[Mount]:
        """What the agent's sandbox shows."""
        ...

    def verifier_mounts(self, step: Step) -> list[Mount]:
        """What the verifier's sandbox shows: an empty folder for its artifacts, and the tests."""
        ...

    def rewards(self) -> RewardFiles:
        """The reward files that the verifier wrote."""
        ...

    def details(self) -> File:
        """The details.json that the verifier wrote."""
        ...

    def output(self, path: str) -> File:
        """The agent's output at an absolute path of the sandbox, reached without following a link."""
        ...

    def keep_agent(self, target: str, artifacts: Sequence[ArtifactConfig]) -> list[dict[str, str]]:
        """Copy the agent's logs and artifacts into a folder. Returns harbor's manifest of the artifacts."""
        ...

    def keep_workspace(self, target: str) -> str:
        """Pack the workspace into a folder, whole or not at all. Returns the archive."""
        ...

    def keep_verifier(self, target: str) -> None:
        """Copy the verifier's artifacts into a folder."""
        ...

    def restore(self, folder: str) -> None:
        """Put back the workspace, logs and artifacts that an earlier trial kept in a folder."""
        ...

    def clear_agent(self) -> None:
        """Empty the agent's logs for the next step."""
        ...

    def close(self) -> None:
        """Remove the folders."""
        ...


class Workshop(Protocol):
    """Makes benches. What tasks bring along is copied once and shared by all of them."""

    def bench(self, environment: Environment) -> Bench:
        """A new bench for one trial."""
        ...

    def tests_checksum(self, step: Step) -> str:
        """The checksum of the tests that a step is verified by."""
        ...


class TrialFolder(Protocol):
    """The folder of one trial. With its result the trial is finished, so that is written last."""

    @property
    def path(self) -> str:
        """Where it is, as an absolute path."""
        ...

    def keep_agent(
        self, step: str | None, bench: Bench, artifacts: Sequence[ArtifactConfig], ran: Ran | None, log: str
    ) -> str:
        """Keep what the agent left, before a verifier touches it. Returns the checksum of the workspace.

        ``log`` names the file for what the agent printed.
        """
        ...

    def keep_verifier(self, step: str | None, bench: Bench, ran: Ran | None) -> None:
        """Keep what the verifier left."""
        ...

    def gradings(self) -> Before:
        """The gradings so far, and the hash of the newest."""
        ...

    def add_grading(self, grading: Grading) -> None:
        """Keep a grading under its number. Raises ``NumberTakenError`` if somebody else just took that number."""
        ...

    def finish(self, log: Sequence[str], failure: str | None, result: Mapping[str, Any]) -> None:
        """Write the log, the exception if there was one, and the result, which makes the trial finished."""
        ...


class KeptTrial(Protocol):
    """A trial that was run before, as it lies on disk."""

    @property
    def path(self) -> str:
        """Where it is, as it was named."""
        ...

    def task_path(self) -> str:
        """The task that it was an attempt at. Raises ``InputError`` if config.json doesn't say."""
        ...

    def archive(self, step: str | None) -> str:
        """Where the workspace is kept, for errors."""
        ...

    def workspace(self, step: str | None) -> str | None:
        """The checksum of the workspace that was kept; None if none was."""
        ...

    def kept_in_part(self, step: str | None) -> bool:
        """Whether the workspace was too large, so that only a part of it was kept."""
        ...

    def restore(self, step: str | None, bench: Bench) -> None:
        """Put the workspace, logs and artifacts back on a bench. Raises ``InputError`` if they can't be read."""
        ...

    def gradings(self) -> Before:
        """The gradings so far, and the hash of the newest."""
        ...

    def add_grading(self, grading: Grading) -> None:
        """Keep a grading under its number. Raises ``NumberTakenError`` if somebody else just took that number."""
        ...


class JobStore(Protocol):
    """The folder of one job. Whoever has it open is the only one who runs the job."""

    @property
    def folder(self) -> str:
        """Where it is."""
        ...

    def read(self) -> JobFolder:
        """What is in it now."""
        ...

    def read_json(self, name: str) -> dict[str, Any] | None:
        """The object in one of the job's own files; None if there is no such file. Raises ``InputError``."""
        ...

    def write_json(self, name: str, value: Mapping[str, Any]) -> None:
        """Write one of the job's own files, whole or not at all."""
        ...

    def write_result(self, text: str) -> None:
        """Write the job's result.json, whole or not at all."""
        ...

    def is_finished(self, trial: str) -> bool:
        """Whether a trial has its result."""
        ...

    def remove_unfinished(self) -> None:
        """Remove what a killed run was writing, and the trials that it did not finish."""
        ...

    def new_trial(self, name: str, config: Mapping[str, Any]) -> TrialFolder:
        """Begin the folder of a trial."""
        ...

    def discard_trial(self, name: str) -> None:
        """Remove a trial that is to be tried again."""
        ...

    def log(self, text: str) -> None:
        """Add a line to the job's log."""
        ...
