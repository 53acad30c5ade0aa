"""How much data shows a difference: against statsmodels, against trying it out, and the corners."""

import math
import random
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.stats.interval import CantSay, Interval
from assay.stats.means import clustered_mean
from assay.stats.paired import PairedTask
from assay.stats.power import (
    Goal,
    Variances,
    attempts_needed,
    cheapest_attempts,
    tasks_needed,
    variances_of_pairs,
)
from tests.stats.oracles import oracle


@pytest.mark.parametrize("one", oracle("power"))
def test_tasks_are_within_one_of_statsmodels(one: Any) -> None:
    goal = Goal(one["effect"], one["power"], 1 - one["alpha"])
    found = tasks_needed(Variances(1.0, 0.0), 1, goal)
    assert found == pytest.approx(math.ceil(one["n"]), abs=1)


def test_as_many_tasks_as_are_said_show_the_difference_as_often() -> None:
    source = random.Random(8)
    needed = tasks_needed(Variances(0.01, 0.08), 2, Goal(0.06))
    assert isinstance(needed, int)
    shown = 0
    for _ in range(400):
        differences = [source.gauss(0.06, 0.1) + source.gauss(0, (0.08 / 2) ** 0.5) for _ in range(needed)]
        interval = clustered_mean([[one] for one in differences]).interval
        assert isinstance(interval, Interval)
        shown += interval.low > 0
    assert shown / 400 == pytest.approx(0.8, abs=0.06)


def test_attempts_help_only_so_far() -> None:
    variances = Variances(0.01, 0.2)
    assert tasks_needed(variances, 1, Goal(0.05)) == 662
    assert tasks_needed(variances, 8, Goal(0.05)) == 112
    assert attempts_needed(variances, 112, Goal(0.05)) == 8
    assert isinstance(attempts_needed(variances, 20, Goal(0.05)), CantSay)
    assert tasks_needed(Variances(1e9, 0), 1, Goal(1e-9)) == CantSay("more than 10,000,000 tasks")


def test_variances_of_a_pilot_are_found_again() -> None:
    source = random.Random(3)
    tasks = []
    for number in range(2000):
        gain = source.gauss(0, 0.2)
        first, second = ([source.gauss(of, 0.3) for _ in range(3)] for of in (0.0, gain))
        tasks.append(PairedTask(str(number), first, second))
    found = variances_of_pairs(tasks)
    assert isinstance(found, Variances)
    assert found.tasks == pytest.approx(0.04, rel=0.15)
    assert found.attempts == pytest.approx(0.18, rel=0.1)


def test_without_repeated_attempts_all_is_between_tasks() -> None:
    found = variances_of_pairs([PairedTask("a", [0.0], [1.0]), PairedTask("b", [0.0], [0.0])])
    assert found == Variances(0.5, 0.0)
    assert isinstance(variances_of_pairs([]), CantSay)


@pytest.mark.parametrize(
    ("variances", "of_task", "of_attempt", "best"),
    [
        (Variances(0.01, 0.16), 0, 1, 1),
        (Variances(0.01, 0.16), 1, 1, 4),
        (Variances(0.01, 0.16), 4, 1, 8),
        (Variances(0.0, 0.16), 4, 1, math.inf),
        (Variances(0.1, 0.0), 4, 1, 1),
    ],
)
def test_attempts_pay_where_tasks_cost(
    variances: Variances, of_task: float, of_attempt: float, best: float
) -> None:
    assert cheapest_attempts(variances, of_task, of_attempt) == pytest.approx(best)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: Goal(0), "the difference must be a finite number above 0, got 0"),
        (lambda: Goal(math.nan), "the difference must be a finite number above 0, got nan"),
        (lambda: Goal(0.1, 1.0), "the power must be from 0.5 to below 1, got 1"),
        (lambda: Variances(-1, 0), "the variance between tasks must be a finite number of at least 0, got -1"),
        (lambda: Variances(0, math.inf), "the variance of attempts must be a finite number"),
    ],
)
def test_what_cant_be_asked(ask: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        ask()
