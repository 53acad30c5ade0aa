"""Task runs and criterion runs as rows of their tables."""

import math
from typing import Any

from sqlalchemy.engine import Row

from assay.dialects.criteria.models import AxisScore, CriterionRun, Verdict
from assay.dialects.criteria.resources import Phase, Status, TaskRun


def run_of_row(row: "Row[*tuple[Any, ...]]") -> TaskRun:
    return TaskRun.model_construct(
        id=row.id,
        benchmark_run_id=row.benchmark_run,
        task_id=row.task,
        playground_id=row.playground,
        scored=row.scored,
        status=Status(row.status),
        phase=Phase(row.phase),
        verdict=None if row.verdict is None else Verdict(row.verdict),
        score=row.score,
        axes=None if row.axes is None else {name: AxisScore(**one) for name, one in row.axes.items()},
        reason=row.reason,
        snapshot=row.snapshot,
        created_at=row.created_at,
        started_at=row.started_at,
        deadline_at=row.deadline_at,
        completion_requested_at=row.completion_requested_at,
        completed_at=row.completed_at,
    )


def criterion_run_values(organisation: str, position: int, run: CriterionRun) -> dict[str, object]:
    return {
        "id": run.id,
        "organisation": organisation,
        "task_run": run.task_run_id,
        "position": position,
        "criterion": run.criterion_id,
        "label": without_nul(run.label),
        "assertion": None if run.assert_ is None else without_nul(run.assert_),
        "axis": None if run.axis is None else without_nul(run.axis),
        "weight": run.weight,
        "score": run.score,
        "passed": run.passed,
        "status": run.status,
        "details": without_nul(run.details),
        "evidence": without_nan(run.evidence),
        "created_at": run.created_at,
    }


def criterion_run_of_row(row: "Row[*tuple[Any, ...]]") -> CriterionRun:
    return CriterionRun.model_construct(
        id=row.id,
        task_run_id=row.task_run,
        criterion_id=row.criterion,
        label=row.label,
        assert_=row.assertion,
        axis=row.axis,
        weight=row.weight,
        score=row.score,
        passed=row.passed,
        status=row.status,
        details=row.details,
        evidence=row.evidence,
        created_at=row.created_at,
    )


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
