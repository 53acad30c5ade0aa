"""Open the results at a path: a harbor job, a folder of such jobs, terminal-bench results, or logs of inspect."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from assay.adapters.jobs.job_folder import RESULT_LIMIT, DiskJobFolder
from assay.adapters.machine.safe_read import is_file, is_folder, is_pack, is_there, name_of, names_in, read_below
from assay.core.errors import InputError
from assay.dialects.harbor.job_stats import Metric
from assay.engine.jobs.job import Job, pool_jobs, read_job
from assay.engine.jobs.trial_additions import History, Regrade, read_histories, read_regrades
from assay.engine.ports import Progress, no_progress
from assay.evidence.files import Content

if TYPE_CHECKING:
    from assay.engine.report.terminal_bench import ResultsFolder

JOB_FILES = ("config.json", "lock.json", "result.json")
METADATA = "run_metadata.json"


@dataclass(frozen=True, slots=True)
class SubmissionFolders:
    """Run folders of terminal-bench, to be reported as one submission."""

    name: str
    folders: "list[ResultsFolder]"


@dataclass(frozen=True, slots=True)
class JobFolders:
    """Harbor jobs, to be reported as one submission."""

    name: str
    folders: list[DiskJobFolder]


@dataclass(frozen=True, slots=True)
class InspectLogs:
    """Logs of inspect, to be reported as one submission."""

    name: str
    paths: list[str]


def open_results(path: str) -> DiskJobFolder | JobFolders | SubmissionFolders | InspectLogs:
    """Open results at ``path``. Raises ``InputError`` for a folder without any."""
    name = name_of(path) if is_pack(path) else os.path.basename(os.path.abspath(path))
    has_job_files = any(is_there(f"{path}/{name}") for name in JOB_FILES)
    if not has_job_files and (is_file(path) or names_in(path, ".eval")):
        from assay.adapters.jobs.inspect_folder import find_logs  # noqa: PLC0415 - another format

        logs = find_logs(path)
        if logs:
            return InspectLogs(name, logs)
    folder = DiskJobFolder(path)
    is_run_folder = is_file(f"{path}/{METADATA}")
    if is_run_folder or not has_job_files:
        from assay.adapters.jobs.terminal_bench_folder import find_run_folders  # noqa: PLC0415 - another format

        runs = find_run_folders(path)
        if runs:
            return SubmissionFolders(name, runs)
    if is_folder(f"{path}/verifier") or is_folder(f"{path}/steps"):
        raise InputError(f"{path} must be a job folder, but it is a trial; pass the job folder around it")
    jobs = [] if has_job_files else [name for name in folder.folders() if _is_job(path, name)]
    if jobs:
        return JobFolders(name, [DiskJobFolder(f"{path}/{job}") for job in jobs])
    if not has_job_files and not any(is_there(f"{path}/{name}/result.json") for name in folder.folders()):
        raise InputError(
            f"{path} must be a job folder, but it has no config.json, lock.json or result.json, and no trials"
        )
    return folder


class _FolderShape(msgspec.Struct):
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
        shape = msgspec.json.decode(file.data, type=_FolderShape)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return False
    return any(value is not msgspec.UNSET for value in (shape.job_name, shape.trials, shape.stats))


@dataclass(frozen=True, slots=True)
class Results:
    """A job, or several that are one submission, with what was added after its trials ended."""

    job: Job
    histories: Sequence[History] = ()
    regrades: Sequence[Regrade] = ()


def read_results(
    path: str, script: Metric | None = None, progress: Callable[[str], Progress] = lambda _name: no_progress
) -> Results:
    """The results at a path. ``progress`` is told the name of each job that is read. Raises ``InputError``."""
    results = open_results(path)
    if isinstance(results, SubmissionFolders):
        from assay.engine.report.terminal_bench import import_terminal_bench  # noqa: PLC0415 - another format

        return Results(import_terminal_bench(results.name, results.folders).job)
    if isinstance(results, InspectLogs):
        from assay.adapters.jobs.inspect_folder import read_logs  # noqa: PLC0415 - another format

        return Results(read_logs(results.name, results.paths))
    folders = results.folders if isinstance(results, JobFolders) else [results]
    jobs = [read_job(one, script=script, progress=progress(one.name)) for one in folders]
    pairs = list(zip(folders, jobs, strict=True))
    return Results(
        job=pool_jobs(results.name, jobs) if isinstance(results, JobFolders) else jobs[0],
        histories=[one for folder, job in pairs for one in read_histories(folder, job.trials)],
        regrades=[one for folder, job in pairs for one in read_regrades(folder, job.trials)],
    )
