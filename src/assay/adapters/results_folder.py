"""Open the results at a path: a harbor job, a folder of such jobs, or terminal-bench results."""

import os
from dataclasses import dataclass

import msgspec

from assay.adapters.job_folder import RESULT_LIMIT, DiskJobFolder
from assay.adapters.safe_read import read_below
from assay.adapters.terminal_bench_folder import METADATA, find_run_folders
from assay.core.errors import InputError
from assay.engine.terminal_bench import ResultsFolder
from assay.evidence.files import Content

JOB_FILES = ("config.json", "lock.json", "result.json")


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
