"""Completions with ids and a time that are always the same."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import count
from typing import Any

from assay.dialects.criteria.models import AskedCriterion, Completion
from assay.engine.criteria import complete_run as engine
from assay.evidence.playground import Clock, PlaygroundState
from assay.evidence.verdict import Judge

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def complete(
    criteria: Sequence[AskedCriterion],
    data: Mapping[str, Any],
    state: PlaygroundState,
    judge: Judge | None = None,
    time: Clock | None = None,
) -> Completion:
    """As the use case does it. The ids are "1", "2" and so on."""
    numbers = count(1)
    stamp = engine.Stamp(AT, lambda: str(next(numbers)), "task-run-1")
    return engine.complete(criteria, data, state, stamp, judge, time)
