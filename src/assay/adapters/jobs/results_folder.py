"""Open the results at a path: a harbor job, a folder of such jobs, or terminal-bench results.

A run folder of terminal-bench has a results.json with a list of runs, a run_metadata.json, or only the folders of
its runs (``<task>/<run>/results.json``). It may stand in another run folder. Some submissions have no folders at
all, but files named ``<something>_results.json``.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import msgspec

from assay.adapters.jobs.job_folder import RESULT_LIMIT, DiskJobFolder
from assay.adapters.jobs.metric_script import ScriptMetric
from assay.adapters.machine.safe_read import read_below
from assay.core.errors import InputError
from assay.dialects.harbor.terminal_bench import is_list_of_runs, is_run
from assay.engine.jobs.job import Job, pool_jobs, read_job
from assay.engine.jobs.regraded_jobs import Regrade, read_regrades
from assay.engine.jobs.trial_additions import History, read_histories
from assay.engine.ports import Progress, no_progress
from assay.engine.report.terminal_bench import ResultsFolder, import_terminal_bench
from assay.evidence.files import Absent, Content, File

JOB_FILES = ("config.json", "lock.json", "result.json")
RESULTS = "results.json"
METADATA = "run_metadata.json"
FLAT = "_results.json"
LIMIT = 256 * 1024 * 1024
# How far below the given folder run folders are looked for.
_DEPTH = 3
# How many folders must not be a run until a folder counts as none of runs.
_LOOKED_AT = 10


@dataclass(frozen=True, slots=True)
class SubmissionFolders:
    """Run folders of terminal-bench, to be reported as one submission."""

    name: str
    folders: list[ResultsFolder]


@dataclass(frozen=True, slots=True)
class JobFolders:
    """Harbor jobs, to be reported as one submission."""

    name: str
    folders: list[DiskJobFolder]


def open_results(path: str) -> DiskJobFolder | JobFolders | SubmissionFolders:
    """What is at ``path``. Raises ``InputError`` for a folder without results."""
    folder = DiskJobFolder(path)
    name = os.path.basename(os.path.abspath(path))
    has_job_files = any(os.path.lexists(f"{path}/{name}") for name in JOB_FILES)
    is_run_folder = os.path.isfile(f"{path}/{METADATA}")
    runs = find_run_folders(path) if is_run_folder or not has_job_files else []
    if runs:
        return SubmissionFolders(name, runs)
    if os.path.isdir(f"{path}/verifier") or os.path.isdir(f"{path}/steps"):
        raise InputError(f"{path} must be a job folder, but it is a trial; pass the job folder around it")
    jobs = [] if has_job_files else [name for name in folder.folders() if _is_job(path, name)]
    if jobs:
        return JobFolders(name, [DiskJobFolder(f"{path}/{job}") for job in jobs])
    if not has_job_files and not any(os.path.lexists(f"{path}/{name}/result.json") for name in folder.folders()):
        raise InputError(
            f"{path} must be a job folder, but it has no config.json, lock.json or result.json, and no trials"
        )
    return folder


class _Shape(msgspec.Struct):
    """Fields that only files of a job have."""

    job_name: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    trials: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    stats: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


def _is_job(path: str, folder: str) -> bool:
    """Whether a folder is a job. A trial has files of the same names."""
    return any(_has_fields_of_a_job(path, folder, name) for name in JOB_FILES)


def _has_fields_of_a_job(path: str, folder: str, name: str) -> bool:
    file = read_below(path, (folder, name), RESULT_LIMIT)
    if not isinstance(file, Content):
        return False
    try:
        shape = msgspec.json.decode(file.data, type=_Shape)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return False
    return any(value is not msgspec.UNSET for value in (shape.job_name, shape.trials, shape.stats))


def find_run_folders(path: str | os.PathLike[str]) -> list[ResultsFolder]:
    """The run folder at ``path``, and those in it; empty if there are no terminal-bench results."""
    root = os.fspath(path)
    own = os.path.basename(os.path.abspath(root))
    if _is_run_folder(root):
        return [_run_folder(root, own), *_within_run(root, own, _DEPTH)]
    return [*_inside(root, "", _DEPTH), *_flat(root)]


def _inside(root: str, prefix: str, depth: int) -> Iterator[ResultsFolder]:
    """The run folders in a folder that is none."""
    for name in _folders(root) if depth else ():
        folder = f"{root}/{name}"
        if _is_run_folder(folder):
            yield _run_folder(folder, f"{prefix}{name}")
            yield from _within_run(folder, f"{prefix}{name}", depth - 1)
        elif not _is_other(folder):
            yield from _inside(folder, f"{prefix}{name}/", depth - 1)


def _within_run(root: str, outer: str, depth: int) -> Iterator[ResultsFolder]:
    """The run folders in a run folder. All its other folders are tasks."""
    for name in _folders(root) if depth else ():
        folder = f"{root}/{name}"
        if _is_run_folder(folder):
            yield _run_folder(folder, f"{outer}/{name}")
            yield from _within_run(folder, f"{outer}/{name}", depth - 1)


def _is_run_folder(root: str) -> bool:
    if os.path.isfile(f"{root}/{METADATA}"):
        return True
    results = read_below(root, (RESULTS,), LIMIT)
    if isinstance(results, Content):
        return is_list_of_runs(results.data)
    some = islice((file for task in _folders(root) for _, file in _runs(root, task)), _LOOKED_AT)
    return isinstance(results, Absent) and any(map(_is_run, some))


def _is_other(folder: str) -> bool:
    """Whether a folder has files of harbor, in which no run folder is looked for."""
    return any(os.path.lexists(f"{folder}/{name}") for name in ("config.json", "result.json", "lock.json"))


def _run_folder(root: str, name: str) -> ResultsFolder:
    tasks = [task for task in _folders(root) if not _is_run_folder(f"{root}/{task}")]
    return ResultsFolder(
        name=name,
        results=read_below(root, (RESULTS,), LIMIT),
        metadata=read_below(root, (METADATA,), LIMIT),
        runs=[run for task in tasks for run in _runs(root, task)],
    )


def _runs(root: str, task: str) -> Iterator[tuple[str, File]]:
    for run in _folders(f"{root}/{task}"):
        yield run, read_below(root, (task, run, RESULTS), LIMIT)


def _flat(root: str) -> Iterator[ResultsFolder]:
    """Files that are the results.json of a run folder, or of one run, under a name of their own."""
    for name in _names(root):
        file = read_below(root, (name,), LIMIT)
        metadata = Absent(f"{root}/{METADATA}")
        if isinstance(file, Content) and is_list_of_runs(file.data):
            yield ResultsFolder(name.removesuffix(FLAT), file, metadata, [])
        elif _is_run(file):
            yield ResultsFolder(name.removesuffix(FLAT), Absent(f"{root}/{RESULTS}"), metadata, [(name, file)])


def _names(root: str) -> list[str]:
    try:
        with os.scandir(root) as entries:
            return sorted(entry.name for entry in entries if entry.name.endswith(FLAT))
    except OSError:
        return []


def _is_run(file: File) -> bool:
    return isinstance(file, Content) and is_run(file.data)


def _folders(root: str) -> list[str]:
    try:
        with os.scandir(root) as entries:
            return sorted(
                e.name for e in entries if e.is_dir(follow_symlinks=False) and not e.name.startswith(".")
            )
    except OSError:
        return []


@dataclass(frozen=True, slots=True)
class Results:
    """A job, or several that are one submission, with what was added after its trials ended."""

    job: Job
    histories: Sequence[History] = ()
    regrades: Sequence[Regrade] = ()


def _silent(_name: str) -> Progress:
    return no_progress


def read_results(
    path: str, script: ScriptMetric | None = None, progress: Callable[[str], Progress] = _silent
) -> Results:
    """The results at a path. ``progress`` is told the name of each job that is read. Raises ``InputError``."""
    results = open_results(path)
    if isinstance(results, SubmissionFolders):
        return Results(import_terminal_bench(results.name, results.folders).job)
    folders = results.folders if isinstance(results, JobFolders) else [results]
    jobs = [read_job(one, script=script, progress=progress(one.name)) for one in folders]
    pairs = list(zip(folders, jobs, strict=True))
    return Results(
        job=pool_jobs(results.name, jobs) if isinstance(results, JobFolders) else jobs[0],
        histories=[one for folder, job in pairs for one in read_histories(folder, job.trials)],
        regrades=[one for folder, job in pairs for one in read_regrades(folder, job.trials)],
    )
