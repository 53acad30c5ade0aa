"""Task runs and criterion runs as rows of their tables."""

import math
from typing import Any

from assay.adapters.store.service.paging import of_row
from assay.dialects.criteria.models import AxisScore, CriterionRun, Verdict
from assay.dialects.criteria.resources import Phase, Status, TaskRun


def run_of_row(row: Any) -> TaskRun:
    return of_row(
        TaskRun,
        row,
        benchmark_run_id=row.benchmark_run,
        task_id=row.task,
        playground_id=row.playground,
        status=Status(row.status),
        phase=Phase(row.phase),
        verdict=None if row.verdict is None else Verdict(row.verdict),
        axes=None if row.axes is None else {name: AxisScore(**axis) for name, axis in row.axes.items()},
    )


def criterion_run_values(organisation: str, position: int, run: CriterionRun) -> dict[str, object]:
    same = ("id", "weight", "score", "passed", "status", "created_at")
    return {
        **{name: getattr(run, name) for name in same},
        "organisation": organisation,
        "task_run": run.task_run_id,
        "position": position,
        "criterion": run.criterion_id,
        "label": without_nul(run.label),
        "assertion": None if run.assert_ is None else without_nul(run.assert_),
        "axis": None if run.axis is None else without_nul(run.axis),
        "details": without_nul(run.details),
        "evidence": without_nan(run.evidence),
    }


def criterion_run_of_row(row: Any) -> CriterionRun:
    named = {"task_run_id": row.task_run, "criterion_id": row.criterion, "assert_": row.assertion}
    return of_row(CriterionRun, row, **named)


def without_nul(text: str) -> str:
    """PostgreSQL has no NUL in a text, and neither has UTF-8 half of a character; evidence has both as JSON."""
    return text.replace("\0", "\N{SYMBOL FOR NULL}").encode("utf-8", "replace").decode()


def without_nan(value: Any) -> Any:
    """The same value with null in place of every NaN and infinity, which JSON can't hold."""
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
