"""Logs of inspect: a .eval file, or a folder of logs, each of which is a job."""

import os
from collections.abc import Iterator

from assay.adapters.machine.safe_read import names_in, read_file
from assay.core.errors import InputError
from assay.dialects.harbor.inspect_logs import ReadLog, read_samples
from assay.dialects.harbor.job_config import ConfiguredMetrics, metrics_for
from assay.engine.jobs.job import Job, Problem, pool_jobs
from assay.evidence.files import Content
from assay.formats.trajectories.inspect_log import InspectLog, read_log

LIMIT = 512 * 2**20


def find_logs(path: str) -> list[str]:
    """The logs at a path, by their content. A folder is looked at if it has a .eval file."""
    if os.path.isfile(path):
        return [path] if _log(path) is not None else []
    if not names_in(path, ".eval"):
        return []
    names = sorted([*names_in(path, ".eval"), *names_in(path, ".json")])
    return [f"{path}/{name}" for name in names if name.endswith(".eval") or _log(f"{path}/{name}") is not None]


def read_logs(name: str, paths: list[str]) -> Job:
    """All logs as one submission. Of an evaluation that was tried again, the last log counts."""
    read = dict(_read(paths))
    last = {log.task_id or path: path for path, log in read.items()}
    kept = [_job(path, log) for path, log in read.items() if last[log.task_id or path] == path]
    for path in sorted(read.keys() - last.values()):
        kept[0].notes.append(f"{os.path.basename(path)} isn't counted: a later log is of the same evaluation")
    return kept[0] if len(paths) == 1 else pool_jobs(name, kept)


def _read(paths: list[str]) -> Iterator[tuple[str, ReadLog]]:
    for path in paths:
        log = _log(path)
        if log is None:
            raise InputError(f"{path} must be a log of inspect that can be read, but isn't")
        stem = os.path.basename(path).rpartition(".")[0]
        yield path, read_samples(log, f".{stem}" if len(paths) > 1 else "")


def _job(path: str, log: ReadLog) -> Job:
    why = "it was planned, but the log has no such sample"
    problems = [Problem(name, "harbor_trial_result_missing", why, began=True, over=True) for name in log.missing]
    if not log.trials and not problems:
        raise InputError(f"{path} has no samples")
    metrics = ConfiguredMetrics(metrics_for({trial.dataset for trial in log.trials}))
    return Job(os.path.basename(path), log.trials, problems, metrics, recorded=None, notes=log.notes)


def _log(path: str) -> InspectLog | None:
    found = read_file(path, LIMIT)
    return read_log(found.data) if isinstance(found, Content) else None
