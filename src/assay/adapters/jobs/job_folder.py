"""A harbor job folder on disk."""

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from assay.adapters.jobs.trial_gates import read_gates
from assay.adapters.machine.atomic_write import is_unfinished
from assay.adapters.machine.safe_read import read_below, read_file
from assay.adapters.tasks.reward_files import read_reward_files
from assay.core.errors import InputError
from assay.engine.tasks.grading_rules import MARK
from assay.evidence.files import File, RewardFiles
from assay.evidence.run import Gates

if TYPE_CHECKING:
    # Most jobs have no such records, and pydantic is slow to import.
    from assay.dialects.evaluation.grading import Grading
    from assay.dialects.evaluation.models import AddedTag, Annotation

# A trial's result may hold whole rollouts with their log-probabilities.
RESULT_LIMIT = 256 * 1024 * 1024

_JOB_FILES = frozenset({"config.json", "lock.json", "result.json", "job.log", MARK})
LOOKED_INTO = 50
# Folders of what was added to a trial after its result.
_RECORDS = frozenset({"gradings", "annotations", "tags", "scores", "judgements"})
# Copies of trials that a job grades again.
_SOURCES = ".sources"
_TRIAL_FILES = ("config.json", "trial.log", "agent", "verifier", "steps", "exception.txt")
_TRIAL_NAME = "__"  # Harbor names a trial after its task, two underscores and seven random letters.


class DiskJobFolder:
    """Reads a job folder without following a link or trusting a name in it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        self._folders, self._foreign = self._look()

    @property
    def name(self) -> str:
        return Path(self._path).resolve().name

    def file(self, name: str) -> File:
        return read_file(f"{self._path}/{name}", RESULT_LIMIT)

    def folders(self) -> list[str]:
        return self._folders

    def foreign(self) -> list[str]:
        return self._foreign

    def began(self, folder: str) -> bool:
        return _TRIAL_NAME in folder or any(
            os.path.lexists(f"{self._path}/{folder}/{name}") for name in _TRIAL_FILES
        )

    def trial_results(self) -> Iterator[tuple[str, File]]:
        # Opening files relative to the folder is faster than resolving its path ten thousand times.
        fd = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for name in self._folders:
                yield name, read_file(f"{name}/result.json", RESULT_LIMIT, fd)
        finally:
            os.close(fd)

    def trial_lock(self, trial: str) -> File:
        return read_below(self._path, (trial, "lock.json"), RESULT_LIMIT)

    def source_result(self, path: str) -> File:
        """At its path, or in a job beside this one if they were moved together. No link is followed."""
        there = PurePosixPath(os.path.normpath(path))
        if there.is_absolute() and os.path.lexists(there):
            return read_below(str(there.parent), (there.name, "result.json"), RESULT_LIMIT)
        beside = Path(self._path).resolve().parent
        return read_below(str(beside), (there.parent.name, there.name, "result.json"), RESULT_LIMIT)

    def has_records(self) -> bool:
        """By the mark, or by a look into some trials: a copy of a job may lack the mark, which is hidden."""
        return os.path.exists(f"{self._path}/{MARK}") or any(map(self._has_records, self._folders[:LOOKED_INTO]))

    def _has_records(self, trial: str) -> bool:
        try:
            return not _RECORDS.isdisjoint(os.listdir(f"{self._path}/{trial}"))
        except OSError:
            return False

    def gradings(self, trial: str) -> "list[Grading]":
        from assay.adapters.machine.record_files import read_records  # noqa: PLC0415 - see TYPE_CHECKING above
        from assay.dialects.evaluation.grading import Grading  # noqa: PLC0415

        return read_records(f"{self._path}/{trial}", "gradings", Grading, newer=True)

    def annotations(self, trial: str) -> "list[Annotation]":
        from assay.adapters.machine.record_files import read_records  # noqa: PLC0415
        from assay.dialects.evaluation.models import Annotation  # noqa: PLC0415

        return read_records(f"{self._path}/{trial}", "annotations", Annotation, newer=True)

    def added_tags(self, trial: str) -> "list[AddedTag]":
        from assay.adapters.jobs.annotations import TAGS  # noqa: PLC0415
        from assay.adapters.machine.record_files import read_records  # noqa: PLC0415
        from assay.dialects.evaluation.models import AddedTag  # noqa: PLC0415

        return read_records(f"{self._path}/{trial}", TAGS, AddedTag, newer=True)

    def gates(self, trial: str) -> Gates | None:
        return read_gates(f"{self._path}/{trial}")

    def reward_files(self, trial: str, step: str | None, order: tuple[str, str]) -> RewardFiles:
        below = (trial, "verifier") if step is None else (trial, "steps", step, "verifier")
        return read_reward_files(self._path, below, order=order)

    def _look(self) -> tuple[list[str], list[str]]:
        folders: list[str] = []
        foreign: list[str] = []
        try:
            with os.scandir(self._path) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.name)
                    elif entry.name not in _JOB_FILES and not is_unfinished(entry.name):
                        foreign.append(entry.name)
        except OSError as error:
            raise InputError(_why_not(self._path, error)) from error
        return sorted(name for name in folders if name != _SOURCES), sorted(foreign)


def _why_not(path: str, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{path} doesn't exist"
    if isinstance(error, NotADirectoryError):
        return f"{path} must be a job folder, but it is a file"
    return f"{path} can't be read: {os.strerror(error.errno or 0)}"
