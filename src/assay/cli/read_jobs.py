"""Read the jobs that a statistical command was given."""

import os
from collections.abc import Sequence

from assay.adapters.results_folder import open_results
from assay.cli.progress import ProgressBar
from assay.core.errors import InputError
from assay.engine.compare_arms import ReadJob
from assay.engine.history import read_histories
from assay.engine.job import read_job
from assay.engine.terminal_bench import import_terminal_bench


def read_jobs(paths: Sequence[str]) -> list[ReadJob]:
    """The jobs at these paths, each once. Raises ``InputError`` if one is named twice."""
    seen: dict[str, str] = {}
    for path in paths:
        place = os.path.realpath(path)
        if place in seen:
            raise InputError(f"each job must be named once, but {seen[place]} and {path} are the same folder")
        seen[place] = path
    return [_read(path) for path in paths]


def _read(path: str) -> ReadJob:
    results = open_results(path)
    if isinstance(results, list):
        return ReadJob(path, import_terminal_bench(os.path.basename(os.path.abspath(path)), results).job, ())
    job = read_job(results, progress=ProgressBar(f"reading {results.name}"))
    return ReadJob(path, job, read_histories(results, job.trials))
