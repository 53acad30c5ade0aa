"""The variance of rewards by its source, and what wavers."""

import random

import pytest

from assay.stats.interval import CantSay, Interval
from assay.stats.means import clustered_mean
from assay.stats.noise import VarianceParts, variance_parts, wavering, without_verifier_noise


def made(tasks: int, attempts: int, gradings: int, spreads: tuple[float, float, float]) -> list[list[list[float]]]:
    """Rewards with known standard deviations of tasks, attempts and verifier."""
    source = random.Random(4)
    of_task, of_attempt, of_verifier = spreads
    found = []
    for _ in range(tasks):
        task = source.gauss(0.5, of_task)
        runs = [source.gauss(task, of_attempt) for _ in range(attempts)]
        found.append([[source.gauss(run, of_verifier) for _ in range(gradings)] for run in runs])
    return found


def test_the_parts_are_found_again() -> None:
    parts = variance_parts(made(3000, 3, 3, (0.3, 0.2, 0.1)))
    assert isinstance(parts, VarianceParts)
    assert parts.tasks == pytest.approx(0.09, rel=0.1)
    assert parts.attempts == pytest.approx(0.04, rel=0.1)
    assert parts.verifier == pytest.approx(0.01, rel=0.1)
    assert parts.total == pytest.approx(0.14, rel=0.1)


def test_a_balanced_table_by_hand() -> None:
    """Two tasks, two attempts: means 0.5 and 1, within-task variances 0.5 and 0."""
    parts = variance_parts([[[0.0], [1.0]], [[1.0], [1.0]]])
    assert parts == VarianceParts(tasks=0.0, attempts=0.25, verifier=None)


def test_what_was_not_repeated_is_not_known() -> None:
    once = variance_parts([[[0.0]], [[1.0]]])
    assert once == VarianceParts(tasks=0.5, attempts=None, verifier=None)
    graded = variance_parts([[[0.0, 0.5]], [[1.0, 1.0]]])
    assert isinstance(graded, VarianceParts)
    assert graded.attempts is None
    assert graded.verifier == 0.0625


@pytest.mark.parametrize(
    ("tasks", "reason"),
    [([], "there are no rewards"), ([[[1.0], [0.0]]], "one task says nothing about others")],
)
def test_what_cant_be_said(tasks: list[list[list[float]]], reason: str) -> None:
    assert variance_parts(tasks) == CantSay(reason)


def test_a_steady_verifier_would_narrow_the_interval() -> None:
    tasks = made(900, 2, 3, (0.2, 0.1, 0.3))
    found = clustered_mean([[run[0] for run in task] for task in tasks]).interval
    steady = without_verifier_noise(tasks, variance_parts(tasks))
    assert isinstance(found, Interval)
    assert isinstance(steady, Interval)
    wide, narrow = found.high - found.low, steady.high - steady.low
    # Variances of a task: 0.04 + 0.01 / 2, and 0.09 / 2 of the verifier on top.
    assert narrow / wide == pytest.approx((0.045 / 0.09) ** 0.5, abs=0.03)


def test_without_a_second_grading_nothing_is_known_of_the_verifier() -> None:
    tasks = made(5, 2, 1, (0.2, 0.1, 0))
    assert without_verifier_noise(tasks, variance_parts(tasks)) == CantSay(
        "no run was graded twice, so the verifier's noise isn't known"
    )


def test_wavering_counts_what_differs_from_the_first_answer() -> None:
    found = wavering("t", [[1.0, 1.0, 0.0], [0.0], [], [0.5, 0.5]])
    assert found is not None
    assert (found.changed, found.looks, found.rate) == (1, 3, 1 / 3)
    assert found.interval.low < 1 / 3 < found.interval.high
    assert wavering("t", [[1.0], [0.0]]) is None
