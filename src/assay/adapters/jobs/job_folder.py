"""A harbor job folder on disk."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path, PurePosixPath
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, BinaryIO, Final, Literal, TypeVar

import msgspec

from assay.adapters.machine.atomic_write import is_unfinished
from assay.adapters.machine.numbered_files import file_name, numbers_in, read_numbered
from assay.adapters.machine.safe_read import entries_of, is_there, name_of, open_below, read_below, read_file
from assay.core.errors import InputError
from assay.engine.jobs.spool import Lazy
from assay.engine.jobs.trial_additions import GateRow, gates_of_rows
from assay.engine.ports import MARK
from assay.evidence.files import REWARD_LIMIT, Absent, ByteSource, File, RewardFiles
from assay.evidence.run import Gates

if TYPE_CHECKING:
    # Most jobs have no such records, and pydantic is slow to import.
    from assay.dialects.evaluation.models import AddedTag, Annotation, Grading

JUDGEMENTS: Final = "judgements"
SCORES: Final = "scores"


class _Overall(msgspec.Struct):
    verdict: str


class _Opinion(msgspec.Struct):
    state: Literal["PASS", "FAIL", "unparseable"]
    failure_mode: str | None = None


class _Monitor(msgspec.Struct):
    suspicion: float | None = None


class _Judgement(msgspec.Struct):
    opinion: _Opinion
    monitor: _Monitor | None = None


class _Judge(msgspec.Struct):
    state: str
    verdict: _Judgement | None = None


class _Status(msgspec.Struct):
    status: str
    passed: bool | None = None


class _Report(msgspec.Struct):
    judge: _Judge
    run: _Status
    scorers: tuple[GateRow, ...] = ()
    overall: _Overall | None = None


class _Scoring(msgspec.Struct):
    report: _Report


_Record = TypeVar("_Record", _Judgement, _Scoring)


def read_gates(trial: str) -> Gates | None:
    """The gates of the newest scoring with the newest verdict of a judge; None for a trial that has neither.

    Raises ``InputError`` for a record that can't be read.
    """
    scores, judgements = numbers_in(trial, SCORES), numbers_in(trial, JUDGEMENTS)
    if not scores and not judgements:
        return None
    scorings = [_read(trial, SCORES, number, _Scoring).report for number in scores]
    gates = _gates(scorings[-1]) if scorings else Gates()
    said = _read(trial, JUDGEMENTS, judgements[-1], _Judgement) if judgements else None
    # Scored again without a judge: the verdict on the run stays.
    said = said or next((one.judge.verdict for one in reversed(scorings) if one.judge.verdict is not None), None)
    if said is None:
        return gates
    suspicion = None if said.monitor is None else said.monitor.suspicion
    opinion = said.opinion
    return replace(gates, judge=opinion.state, failure_mode=opinion.failure_mode, suspicion=suspicion)


def _gates(report: _Report) -> Gates:
    return gates_of_rows(
        report.scorers,
        checks=None if report.overall is None else report.overall.verdict,
        judge=report.judge.state,
        run_status=report.run.status,
        run_metrics_passed=report.run.passed,
    )


def _read(trial: str, folder: str, number: int, kind: type[_Record]) -> _Record:
    try:
        return msgspec.json.decode(read_numbered(trial, folder, number), type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        path = f"{trial}/{folder}/{file_name(number)}"
        raise InputError(f"{path} isn't a record of a judge or a scoring that Assay wrote: {error}") from error


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
        return name_of(self._path)

    def file(self, name: str) -> File:
        return read_below(self._path, (name,), RESULT_LIMIT)

    def source(self, name: str) -> ByteSource | None:
        return open_below(self._path, (name,))

    def scratch(self) -> BinaryIO:
        return TemporaryFile(buffering=0)

    def folders(self) -> Sequence[str]:
        return self._folders

    def foreign(self) -> list[str]:
        return self._foreign

    def began(self, folder: str) -> bool:
        return _TRIAL_NAME in folder or any(is_there(f"{self._path}/{folder}/{name}") for name in _TRIAL_FILES)

    def trial_results(self) -> Iterator[tuple[str, File]]:
        if not os.path.isdir(self._path):
            from assay.adapters.machine.packs import read_each  # noqa: PLC0415 - few jobs are in a pack

            yield from read_each(self._path, self._folders, "result.json", RESULT_LIMIT)
            return
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
        return is_there(f"{self._path}/{MARK}") or any(map(self._has_records, islice(self._folders, LOOKED_INTO)))

    def _has_records(self, trial: str) -> bool:
        try:
            return not _RECORDS.isdisjoint(name for name, _ in entries_of(f"{self._path}/{trial}"))
        except OSError:
            return False

    def gradings(self, trial: str) -> "list[Grading]":
        from assay.adapters.machine.record_files import read_records  # noqa: PLC0415 - see TYPE_CHECKING above
        from assay.dialects.evaluation.models import Grading  # noqa: PLC0415

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

    def _look(self) -> tuple[Sequence[str], list[str]]:
        kept: list[str] | None = [] if os.path.isdir(self._path) else None
        foreign: list[str] = []
        count = 0
        try:
            for name, is_folder in entries_of(self._path):
                if is_folder and name != _SOURCES:
                    count += 1
                    if kept is not None:
                        kept.append(name)
                elif not is_folder and name not in _JOB_FILES and not is_unfinished(name):
                    foreign.append(name)
        except OSError as error:
            raise InputError(_why_not(self._path, error)) from error
        # A pack has them in order, however many they are.
        return Lazy(self._packed_folders, count) if kept is None else sorted(kept), sorted(foreign)

    def _packed_folders(self) -> Iterator[str]:
        return (name for name, is_folder in entries_of(self._path) if is_folder and name != _SOURCES)


def _why_not(path: str, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{path} doesn't exist"
    if isinstance(error, NotADirectoryError):
        return f"{path} must be a job folder, but it is a file"
    return f"{path} can't be read: {os.strerror(error.errno or 0)}"


def read_reward_files(
    root: str | os.PathLike[str],
    below: Sequence[str] = (),
    limit: int = REWARD_LIMIT,
    order: tuple[str, str] = ("reward.json", "reward.txt"),
) -> RewardFiles:
    """Both files in ``root``, or in a folder below it that is reached without following a link.

    The second one isn't opened if the first exists, because it wouldn't count.
    """
    folder = os.fspath(root)
    found: dict[str, File] = {}
    for name in order:
        counts = all(isinstance(other, Absent) for other in found.values())
        path = (*below, name)
        found[name] = read_below(folder, path, limit) if counts else Absent("/".join((folder, *path)))
    return RewardFiles(json=found["reward.json"], text=found["reward.txt"])
