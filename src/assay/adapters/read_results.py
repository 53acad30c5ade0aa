"""Read the results at a path, whoever wrote them, with what was added to them later."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.adapters.metric_script import ScriptMetric
from assay.adapters.results_folder import JobFolders, SubmissionFolders, open_results
from assay.engine.history import History, read_histories
from assay.engine.job import Job, read_job
from assay.engine.pool import pool_jobs
from assay.engine.ports import Progress, no_progress
from assay.engine.regrades import Regrade, read_regrades
from assay.engine.terminal_bench import import_terminal_bench


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
