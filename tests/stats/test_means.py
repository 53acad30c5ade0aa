"""Means of rewards with the task as the cluster: against others, in the corners, and the choice of a method."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats.interval import CantSay, Interval
from assay.stats.means import clustered_mean
from tests.stats.oracles import oracle

NAN, INF = math.nan, math.inf


def ends(tasks: list[list[float]]) -> tuple[float, float]:
    found = clustered_mean(tasks).interval
    assert isinstance(found, Interval)
    return found.low, found.high


@pytest.mark.parametrize("one", oracle("clustered"))
def test_the_error_is_that_of_statsmodels_and_inspect(one: Any) -> None:
    found = clustered_mean(one["tasks"])
    assert found.value == pytest.approx(one["mean"], abs=1e-9)
    assert found.standard_error == pytest.approx(one["error"], abs=1e-9)
    assert found.standard_error == pytest.approx(one["inspect"], abs=1e-9)


def test_near_normal_rewards_have_the_t_interval_of_statsmodels() -> None:
    checked = 0
    for one in oracle("clustered"):
        found = clustered_mean(one["tasks"]).interval
        assert isinstance(found, Interval)
        if found.method == "clustered t":
            assert (found.low, found.high) == pytest.approx(one["interval"], abs=1e-9)
            checked += 1
    assert checked == 2


def test_attempts_at_one_task_count_for_less_than_as_many_tasks() -> None:
    apart = ends([[1.0]] * 10 + [[0.0]] * 10)
    alike = ends([[1.0] * 4] * 10 + [[0.0] * 4] * 10)
    assert alike == apart
    mixed = ends([[1.0, 0.0, 1.0, 0.0]] * 20)
    assert mixed[1] - mixed[0] < 0.6 * (apart[1] - apart[0])


SKEWED = [[0.01 * i] for i in range(12)] + [[0.9], [0.95], [0.99]]
BEYOND_1 = [[10 * task[0]] for task in SKEWED]


@pytest.mark.parametrize(
    ("tasks", "method"),
    [
        ([[0.0], [1.0], [1.0]], "Wilson"),
        ([[0.0, 1.0], [1.0, 1.0], [0.0]], "Wilson, effective sample size"),
        ([[1.0, 1.0], [1.0]], "exact binomial"),
        ([[0.0]] * 3, "exact binomial"),
        ([[0.1 * i] for i in range(11)], "clustered t"),
        (SKEWED, "Wilson, effective sample size"),
        (BEYOND_1, "bootstrap-t over tasks"),
        (BEYOND_1 * 40, "clustered t"),
        ([[0.0]] * 12 + [[0.5]], "Wilson, effective sample size"),
        ([[0.0]] * 1200 + [[0.5]], "Wilson, effective sample size"),
        ([[-1.0], [2.0], [7.5]], "clustered t"),
    ],
)
def test_the_method_follows_from_the_rewards(tasks: list[list[float]], method: str) -> None:
    found = clustered_mean(tasks).interval
    assert isinstance(found, Interval)
    assert found.method == method
    assert found.low < found.high


@pytest.mark.parametrize(
    ("tasks", "value", "reason"),
    [
        ([], None, "there are no rewards"),
        ([[], []], None, "there are no rewards"),
        ([[0.5, 0.7]], 0.6, "one task says nothing about others"),
        ([[0.5], [0.5]], 0.5, "all rewards are equal"),
        ([[0.25, 0.75], [0.5, 0.5]], 0.5, "all tasks have the same mean reward"),
        ([[NAN], [1.0]], None, "a reward is NaN or infinite"),
        ([[1.0, -INF], [1.0]], None, "a reward is NaN or infinite"),
        ([[1e200], [1.0]], None, "a reward is beyond 1e+100"),
    ],
)
def test_what_cant_be_said(tasks: list[list[float]], value: float | None, reason: str) -> None:
    found = clustered_mean(tasks)
    assert found.value == (None if value is None else pytest.approx(value))
    assert found.interval == CantSay(reason)


def test_the_bootstrap_is_the_same_each_time_and_in_any_order() -> None:
    assert ends(BEYOND_1) == ends(BEYOND_1) == ends(BEYOND_1[::-1])


def test_the_bootstrap_gives_these_digits_on_every_machine() -> None:
    low, high = ends(BEYOND_1)
    assert (low.hex(), high.hex()) == ("0x1.9721ba7eb4f7cp-1", "0x1.46290a60f1203p+4")


rewards = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1))


@given(st.lists(st.lists(rewards, max_size=4), max_size=12))
def test_an_interval_of_rewards_from_0_to_1_stays_there(tasks: list[list[float]]) -> None:
    found = clustered_mean(tasks)
    if isinstance(found.interval, Interval):
        assert found.value is not None
        assert 0 <= found.interval.low < found.interval.high <= 1
        assert found.interval.low - 1e-9 <= found.value <= found.interval.high + 1e-9


@given(st.lists(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=3), max_size=6))
def test_no_reward_breaks_it(tasks: list[list[float]]) -> None:
    found = clustered_mean(tasks)
    if isinstance(found.interval, Interval):
        assert math.isfinite(found.interval.low)
        assert math.isfinite(found.interval.high)
