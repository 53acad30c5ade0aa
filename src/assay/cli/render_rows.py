"""The rows of a report by task or by trial, and the trials of a job that grades another one again."""

from collections.abc import Sequence

from assay.cli.render_usage import time_cells, usage_cells
from assay.cli.table import render_table
from assay.dialects.harbor.rewards import Rewards
from assay.engine.regrades import Regrade
from assay.engine.rows_report import TaskRow, TrialRow

_MEASURES = ("time", "agent", "verifier", "input\ntokens", "output\ntokens", "cost")


def trial_table(rows: Sequence[TrialRow], markdown: bool) -> str:
    """One line per trial."""
    titles = ("trial", "rewards", "failure", "cause", *_MEASURES)
    cells = [
        (
            row.trial,
            _rewards(row.rewards),
            row.failure or "",
            row.cause or "",
            *time_cells(row.seconds),
            *usage_cells(row.usage),
        )
        for row in rows
    ]
    return render_table(titles, cells, markdown=markdown)


def task_table(rows: Sequence[TaskRow], markdown: bool) -> str:
    """One line per task in each group."""
    several = len({row.group for row in rows}) > 1
    titles = (
        "task",
        *(("group",) if several else ()),
        "attempts",
        "scored",
        "passed",
        "mean",
        "failures",
        *_MEASURES,
    )
    cells = [
        (
            row.task,
            *((row.group,) if several else ()),
            str(row.attempts),
            str(row.scored),
            "" if row.successes is None else str(row.successes),
            "" if row.mean_reward is None else f"{row.mean_reward:.4f}",
            ", ".join(f"{count} {cause}" for cause, count in row.failures.items()),
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


def _outcome(rewards: Rewards | None, failure: str | None) -> str:
    return _rewards(rewards) or failure or "none"


def _rewards(rewards: Rewards | None) -> str:
    if rewards is None:
        return ""
    if list(rewards) == ["reward"]:
        return f"{rewards['reward']:g}"
    return ", ".join(f"{key} {value:g}" for key, value in rewards.items())
