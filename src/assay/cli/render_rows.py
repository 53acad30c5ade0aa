"""The rows of a report by task or by trial, and the trials of a job that grades another one again."""

from collections.abc import Mapping, Sequence

from assay.cli.render_usage import time_cells, usage_cells
from assay.cli.table import render_table
from assay.dialects.harbor.trial import NO_SECONDS, Trial
from assay.engine.regrades import Regrade
from assay.engine.rows_report import TaskRow
from assay.evidence.run import Run

_GATES = ("checks", "judge", "run gate")
_MEASURES = ("time", "agent", "verifier", "input\ntokens", "output\ntokens", "cost")


def run_table(runs: Sequence[Run], trials: Mapping[str, Trial], markdown: bool) -> str:
    """One line per run. The gates of coding runs, and rewards beside the score, are shown where there are any."""
    gated = any(run.kind == "coding" or run.judge is not None for run in runs)
    titles = ("run", "state", "score", "rewards", "reason", "cause", *(_GATES if gated else ()), *_MEASURES)
    cells = [
        (
            run.name,
            run.state.value.replace("_", " "),
            "" if run.score is None else f"{run.score:g}",
            _rewards(run.rewards),
            run.reason or "",
            run.cause or "",
            *((run.checks or "", run.judge or "", run.run_status or "") if gated else ()),
            *_used(trials.get(run.name)),
        )
        for run in runs
    ]
    return render_table(titles, cells, markdown=markdown)


def _used(trial: Trial | None) -> tuple[str, ...]:
    seconds = NO_SECONDS if trial is None or trial.seconds is None else trial.seconds
    return (*time_cells(seconds), *usage_cells(None if trial is None else trial.usage))


def task_table(rows: Sequence[TaskRow], markdown: bool) -> str:
    """One line per task in each group."""
    several = len({row.group for row in rows}) > 1
    titles = (
        "task",
        *(("group",) if several else ()),
        "runs",
        "scored",
        "passed",
        "mean",
        "reasons",
        *_MEASURES,
    )
    cells = [
        (
            row.task,
            *((row.group,) if several else ()),
            str(row.runs),
            str(row.scored),
            str(row.passed) if row.scored else "",
            "" if row.mean is None else f"{row.mean:.4f}",
            ", ".join(f"{count} {reason}" for reason, count in row.reasons.items()),
            *time_cells(row.seconds),
            *usage_cells(row.usage),
        )
        for row in rows
    ]
    return render_table(titles, cells, markdown=markdown)


def regrade_table(regrades: Sequence[Regrade], markdown: bool) -> str:
    """The trials of a job that grades another one again, with the rewards before and after."""
    titles = ("graded again", "source", "old", "new", "")
    rows = [
        (
            one.trial,
            one.source or "",
            one.problem or _outcome(one.old, one.old_failure),
            _outcome(one.new, one.new_failure),
            "changed" if one.changed else "",
        )
        for one in regrades
    ]
    return render_table(titles, rows, markdown=markdown)


def _outcome(rewards: Mapping[str, float] | None, failure: str | None) -> str:
    return _rewards(rewards) or failure or "none"


def _rewards(rewards: Mapping[str, float] | None) -> str:
    if rewards is None:
        return ""
    if list(rewards) == ["reward"]:
        return f"{rewards['reward']:g}"
    return ", ".join(f"{key} {value:g}" for key, value in rewards.items())
