"""Open the results at a path: a harbor job, or terminal-bench results."""

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
        raise InputError(f"{path} must be a job folder, but it is a trial; pass the job folder around it")
    has_job_files = any(os.path.lexists(f"{path}/{name}") for name in _JOB_FILES)
    jobs = [name for name in folder.folders() if os.path.lexists(f"{path}/{name}/lock.json")]
    if jobs and not has_job_files:
        raise InputError(f"{path} is a folder of jobs; pass one of them, such as {path.rstrip('/')}/{jobs[0]}")
    if not has_job_files and not any(os.path.lexists(f"{path}/{name}/result.json") for name in folder.folders()):
        raise InputError(
            f"{path} must be a job folder, but it has no config.json, lock.json or result.json, and no trials"
        )
    return folder
