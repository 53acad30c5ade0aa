"""Estimates from repeated attempts, with their denominators: pass@1, pass@k and pass^k over tasks.

An estimate for k uses only the tasks with at least k attempts. The value is the mean over those tasks, or None if
there are none, and comes with the number of tasks.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from assay.core.pass_at_k import pass_at_k, pass_hat_k
from assay.core.total import mean


class Attempts(NamedTuple):
    """The attempts at one task, and how many of them succeeded."""

    n: int
    c: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over the tasks with enough attempts. ``value`` is None if there are no such tasks."""

    k: int
    value: float | None
    tasks: int
    tasks_with_too_few_attempts: int


def estimate_pass_at_k(tasks: Mapping[str, Attempts], k: int) -> Estimate:
    """The chance that at least one of k attempts at a task succeeds, on average over the tasks."""
    return _estimate(tasks.values(), k, pass_at_k)


def estimate_pass_hat_k(tasks: Mapping[str, Attempts], k: int) -> Estimate:
    """The chance that all of k attempts at a task succeed, on average over the tasks."""
    return _estimate(tasks.values(), k, pass_hat_k)


def _estimate(tasks: Collection[Attempts], k: int, estimator: Callable[[int, int, int], float | None]) -> Estimate:
    # Tasks with the same numbers of attempts and successes share an answer, so there are only a few.
    answers = {task: estimator(task.n, task.c, k) for task in set(tasks)}
    values = [answers[task] for task in tasks]
    known = [value for value in values if value is not None]
    return Estimate(k, mean(known) if known else None, len(known), len(values) - len(known))
