"""Peak memory of reading and reporting on a job, in a fresh process, above that of a bare interpreter."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.made_job import MadeJobs
from benchmarks.measure import TIMES, Result, peak_mb, sized

GOALS = {sized(10_000, 20): 40.0, sized(100_000, 40): 80.0}
FEW = sized(1_000, 10)
ROLLOUT = 300_000
ROLLOUT_GOAL = 1.25

_READ = """
import sys
from assay.adapters.jobs.job_folder import DiskJobFolder
from assay.engine.jobs.job import read_job
from assay.engine.report.report import report_job
report = report_job(read_job(DiskJobFolder(sys.argv[1])))
"""


def run(jobs: MadeJobs) -> Iterator[Result]:
    """Peak memory of reading 10,000 and 100,000 trials, and of trials a hundred times as large."""
    for trials, goal in GOALS.items():
        peak = _peak(jobs.job(trials))
        detail = f"{peak / trials * 1e3:.1f} KB a trial"
        yield Result(f"memory, read {trials:,} trials", peak, "MB above bare", goal, detail)
    small, large = _peak(jobs.job(FEW)), _peak(jobs.job(FEW, padding=ROLLOUT))
    detail = f"{large:.1f} MB against {small:.1f} MB"
    yield Result(f"memory, {FEW:,} trials of 300 KB", large / small, f"{TIMES} of 3 KB", ROLLOUT_GOAL, detail)


def _peak(job: Path) -> float:
    return peak_mb(_READ, str(job))
