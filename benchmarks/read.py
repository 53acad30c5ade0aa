"""Reading and reporting on a job folder, against ``json.loads`` of the same files."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from assay.adapters.jobs.job_folder import DiskJobFolder
from assay.engine.jobs.job import read_job
from assay.engine.report.report import JobReport, report_job
from benchmarks.made_job import MadeJobs
from benchmarks.measure import TIMES, Result, best_cpu, sized

TRIALS = sized(10_000, 20)
ROUNDS = sized(9)
GOAL = 0.5


def run(jobs: MadeJobs) -> Iterator[Result]:
    """CPU of reading and reporting on 10,000 trials, against json.loads of the same files."""
    job = jobs.job(TRIALS)
    files = [str(path) for path in (*job.glob("*.json"), *job.glob("*/result.json"))]
    bare, ours = best_cpu(ROUNDS, partial(load_files, files), partial(read_and_report, job))
    detail = f"{ours * 1e3:.0f} ms against {bare * 1e3:.0f} ms"
    yield Result(f"read {TRIALS:,} trials", ours / bare, f"{TIMES} json.loads", GOAL, detail)


def load_files(files: list[str]) -> None:
    """The least that a program in plain Python does with these files."""
    for path in files:
        with open(path) as file:
            json.loads(file.read())


def read_and_report(job: Path) -> JobReport:
    """What ``assay report`` does before it prints."""
    return report_job(read_job(DiskJobFolder(job)))
