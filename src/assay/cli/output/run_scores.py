"""The verdicts of coding runs at the end of a job: all of it for a single run, a row for each of several."""

import os

from assay.adapters.jobs.run_scoring import read_scored
from assay.cli.output.score_table import render
from assay.cli.output.table import clean, render_table
from assay.dialects.scorers.scored_run import Scoring


def show_scored(job: str) -> None:
    """Print what the scorers said about the runs of seeded tasks in a job."""
    names = sorted(name for name in os.listdir(job) if os.path.isdir(f"{job}/{name}"))
    found = [(name, records[-1]) for name in names if (records := read_scored(f"{job}/{name}"))]
    if len(found) == 1:
        print(f"{os.path.join(job, found[0][0])}\n{render(found[0][1].report)}\n")
    elif found:
        print(render_table(["run", "OVERALL", "score", "judge", "status"], [_row(*one) for one in found]) + "\n")


def _row(name: str, record: Scoring) -> list[str]:
    overall, run = record.report.overall, record.report.run
    verdict = "" if overall is None else overall.headline or overall.verdict.value
    score = "" if overall is None or overall.score is None else f"{overall.score:.4f}"
    metrics = {True: ", metrics passed", False: ", metrics failed", None: ""}[run.passed]
    return [clean(name), verdict, score, record.report.judge.state.value, f"{run.status.value}{metrics}"]
