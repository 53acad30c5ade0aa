"""Read the jobs that a command was given."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from assay.adapters.metric_script import ScriptMetric
from assay.adapters.results_folder import JobFolders, RunFolders, open_results
from assay.cli.progress import ProgressBar
from assay.core.errors import InputError
from assay.engine.compare_arms import ReadJob
from assay.engine.history import History, read_histories
from assay.engine.job import Job, read_job
from assay.engine.pool import pool_jobs
from assay.engine.regrades import Regrade, read_regrades
from assay.engine.terminal_bench import import_terminal_bench


@dataclass(frozen=True, slots=True)
class Results:
    """A job, or several that are one submission, with what was added after its trials ended."""

    job: Job
    histories: Sequence[History] = ()
    regrades: Sequence[Regrade] = ()


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


def read_results(path: str, script: ScriptMetric | None = None) -> Results:
    """The results at a path, whoever wrote them."""
    results = open_results(path)
    if isinstance(results, RunFolders):
        return Results(import_terminal_bench(results.name, results.folders).job)
    folders = results.folders if isinstance(results, JobFolders) else [results]
    jobs = [read_job(one, script=script, progress=ProgressBar(f"reading {one.name}")) for one in folders]
    pairs = list(zip(folders, jobs, strict=True))
    return Results(
        job=pool_jobs(results.name, jobs) if isinstance(results, JobFolders) else jobs[0],
        histories=[one for folder, job in pairs for one in read_histories(folder, job.trials)],
        regrades=[one for folder, job in pairs for one in read_regrades(folder, job.trials)],
    )
