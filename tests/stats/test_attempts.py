"""Means over tasks, with the tasks that had too few attempts in sight."""

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats.passes import Attempts, Estimate, estimate_pass_at_k, estimate_pass_hat_k

TASKS = {"easy": Attempts(4, 4), "hard": Attempts(4, 1), "hopeless": Attempts(4, 0), "once": Attempts(1, 1)}

attempts = st.integers(1, 12).flatmap(lambda n: st.integers(0, n).map(lambda c: Attempts(n, c)))


def test_one_attempt_is_enough_for_k_1() -> None:
    assert estimate_pass_at_k(TASKS, 1) == Estimate(1, 0.5625, tasks=4, tasks_with_too_few_attempts=0)
    assert estimate_pass_hat_k(TASKS, 1) == Estimate(1, 0.5625, tasks=4, tasks_with_too_few_attempts=0)


def test_a_task_with_too_few_attempts_is_left_out_and_counted() -> None:
    assert estimate_pass_at_k(TASKS, 2) == Estimate(2, 0.5, tasks=3, tasks_with_too_few_attempts=1)
    assert estimate_pass_hat_k(TASKS, 2) == Estimate(2, 1 / 3, tasks=3, tasks_with_too_few_attempts=1)


def test_where_no_task_has_enough_there_is_no_value() -> None:
    assert estimate_pass_at_k(TASKS, 5) == Estimate(5, None, tasks=0, tasks_with_too_few_attempts=4)
    assert estimate_pass_at_k({}, 1) == Estimate(1, None, tasks=0, tasks_with_too_few_attempts=0)


@given(st.dictionaries(st.text(), attempts), st.integers(1, 12))
def test_the_value_is_the_mean_over_the_tasks_that_had_enough(tasks: dict[str, Attempts], k: int) -> None:
    enough = [task for task in tasks.values() if task.n >= k]
    found = estimate_pass_at_k(tasks, k)
    assert (found.tasks, found.tasks_with_too_few_attempts) == (len(enough), len(tasks) - len(enough))
    if enough:
        exact = sum((1 - Fraction(comb(t.n - t.c, k), comb(t.n, k)) for t in enough), Fraction()) / len(enough)
        assert found.value == pytest.approx(float(exact), abs=1e-12)
    else:
        assert found.value is None
