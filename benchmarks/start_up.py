"""How long a command takes before it does anything of size, against a Python that does nothing."""

import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.made_job import MadeJobs
from benchmarks.measure import TIMES, Result, best_cpu_of_commands, sized

TRIALS = 10
ROUNDS = sized(10)
HELP_GOAL = 0.3
REPORT_GOAL = 0.5


def run(jobs: MadeJobs) -> Iterator[Result]:
    """CPU of `assay --help` and of `assay report` on a job of 10 trials, against `python -c pass`."""
    assay = str(Path(sys.executable).with_name("assay"))
    bare, helping, reporting = best_cpu_of_commands(
        ROUNDS, [sys.executable, "-c", "pass"], [assay, "--help"], [assay, "report", str(jobs.job(TRIALS))]
    )
    yield Result("assay --help", helping, "s", HELP_GOAL, _times(helping, bare))
    yield Result(f"assay report, {TRIALS} trials", reporting, "s", REPORT_GOAL, _times(reporting, bare))


def _times(seconds: float, bare: float) -> str:
    return f"{seconds / bare:.1f} {TIMES} python -c pass ({bare * 1e3:.0f} ms)"
