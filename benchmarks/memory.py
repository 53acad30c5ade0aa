"""Peak memory of reading and reporting on a job, and of commands, in fresh processes, above a bare Python."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.made_job import MadeJobs
from benchmarks.measure import TIMES, Result, peak_mb, sized

GOALS = {sized(10_000, 20): 40.0, sized(100_000, 40): 80.0}
FEW = sized(1_000, 10)
ROLLOUT = 300_000
ROLLOUT_GOAL = 1.25
FEWER, MANY = GOALS
COMMAND_GOAL = 80.0

_READ = """
import sys
from assay.adapters.jobs.job_folder import DiskJobFolder
from assay.engine.jobs.job import read_job
from assay.engine.report.report import report_job
report = report_job(read_job(DiskJobFolder(sys.argv[1])))
"""
_COMMAND = """
import sys
from assay.cli.main import main
main(sys.argv[1:])
"""


def run(jobs: MadeJobs) -> Iterator[Result]:
    """Peak memory of reading 10,000 and 100,000 trials, of trials a hundred times as large, and of commands."""
    for trials, goal in GOALS.items():
        peak = _peak(jobs.job(trials))
        detail = f"{peak / trials * 1e3:.1f} KB a trial"
        yield Result(f"memory, read {trials:,} trials", peak, "MB above bare", goal, detail)
    small, large = _peak(jobs.job(FEW)), _peak(jobs.job(FEW, padding=ROLLOUT))
    detail = f"{large:.1f} MB against {small:.1f} MB"
    yield Result(f"memory, {FEW:,} trials of 300 KB", large / small, f"{TIMES} of 3 KB", ROLLOUT_GOAL, detail)
    for command, others in (("report", []), ("audit", []), ("compare", [str(jobs.job(FEWER))])):
        peak = peak_mb(_COMMAND, command, str(jobs.job(MANY)), *others)
        yield Result(f"memory, assay {command} of {MANY:,} trials", peak, "MB above bare", COMMAND_GOAL)


def _peak(job: Path) -> float:
    return peak_mb(_READ, str(job))
