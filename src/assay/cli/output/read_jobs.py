"""Read the jobs that a command was given, and show how far the reading is."""

import os
from collections.abc import Sequence

from assay.adapters.jobs import results_folder as reading
from assay.adapters.jobs.results_folder import JobFolders, Results
from assay.cli.output.progress import Progress
from assay.core.errors import InputError
from assay.dialects.harbor.job_stats import Metric
from assay.engine.jobs.job_runs import ReadJob


def read_jobs(paths: Sequence[str]) -> list[ReadJob]:
    """The jobs at these paths, each once. Raises ``InputError`` if one is named twice."""
    seen: dict[str, str] = {}
    for path in paths:
        place = os.path.realpath(path)
        if place in seen:
            raise InputError(f"each job must be named once, but {seen[place]} and {path} are the same folder")
        seen[place] = path
    read = {path: read_results(path) for path in paths}
    return [ReadJob(path, found.job, found.histories) for path, found in read.items()]


def job_folders(path: str) -> list[str]:
    """The jobs in a folder of jobs; any other path is one itself."""
    opened = reading.open_results(path)
    return [f"{path}/{one.name}" for one in opened.folders] if isinstance(opened, JobFolders) else [path]


def read_results(path: str, script: Metric | None = None) -> Results:
    """The results at a path, whoever wrote them."""
    return reading.read_results(path, script, lambda name: Progress(f"reading {name}"))
