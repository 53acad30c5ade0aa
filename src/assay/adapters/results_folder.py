"""Open whatever kind of results a user names: a harbor job, or results of terminal-bench."""

import os

from assay.adapters.job_folder import DiskJobFolder
from assay.adapters.terminal_bench_folder import find_run_folders
from assay.core.errors import InputError
from assay.engine.terminal_bench import RunFolder

_JOB_FILES = ("config.json", "lock.json", "result.json")


def open_results(path: str) -> DiskJobFolder | list[RunFolder]:
    """The job folder, or the run folders of terminal-bench, at ``path``. Raises ``InputError`` for others."""
    folder = DiskJobFolder(path)
    runs = find_run_folders(path)
    if runs:
        return runs
    if os.path.isdir(f"{path}/verifier") or os.path.isdir(f"{path}/steps"):
        raise InputError(f"{path} is the folder of one trial; name the job folder around it")
    has_job_files = any(os.path.lexists(f"{path}/{name}") for name in _JOB_FILES)
    jobs = [name for name in folder.folders() if os.path.lexists(f"{path}/{name}/lock.json")]
    if jobs and not has_job_files:
        raise InputError(f"{path} is a folder of jobs; name one of them, such as {path.rstrip('/')}/{jobs[0]}")
    if not has_job_files and not any(os.path.lexists(f"{path}/{name}/result.json") for name in folder.folders()):
        raise InputError(
            f"{path} is not a job folder: it has no config.json, lock.json or result.json, and no trial is in it"
        )
    return folder
