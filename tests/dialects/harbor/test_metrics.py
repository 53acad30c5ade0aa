"""Section 3: aggregation, and the rule for the keys of the answer."""

import math
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.dialects.harbor.job_stats import MAX, MEAN, METRICS, MIN, SUM, Aggregate
from tests.builders import typed_values

TWO_KEYS = [{"correctness": 1, "speed": 0.5}, {"correctness": 0, "speed": 1.0}]

Rewards = Sequence[Mapping[str, float] | None]


@pytest.mark.statement(
    "harbor.one-key",
    "harbor.more-keys",
    "harbor.aggregates",
    "harbor.none-counts-zero",
    "harbor.missing-key-zero",
    "harbor.empty-rewards-zero",
)
@pytest.mark.parametrize(
    ("metric", "rewards", "expected"),
    [
        # One reward key: the answer is keyed by the metric, and the reward key is lost.
        (MEAN, [{"reward": 1}, {"reward": 0}, {"reward": 1}], {"mean": 0.6666666666666666}),
        (MEAN, [{"reward": 1}], {"mean": 1.0}),
        (MAX, [{"reward": 1}, {"reward": 0.5}], {"max": 1}),
        (MIN, [{"reward": 1}, {"reward": 0.5}], {"min": 0.5}),
        (SUM, [{"reward": 1}, {"reward": 0.5}], {"sum": 1.5}),
        (SUM, [{"reward": 1}, {"reward": 1}], {"sum": 2}),
        (MEAN, [{"speed": 0.5}], {"mean": 0.5}),
        # More: keyed by reward key, and the metric's name is lost.
        (MEAN, TWO_KEYS, {"correctness": 0.5, "speed": 0.75}),
        (MAX, TWO_KEYS, {"correctness": 1, "speed": 1.0}),
        (MIN, TWO_KEYS, {"correctness": 0, "speed": 0.5}),
        (SUM, TWO_KEYS, {"correctness": 1, "speed": 1.5}),
        (MEAN, [{"a": 1}, {"b": 1}], {"a": 0.5, "b": 0.5}),
        # A trial without rewards counts 0, and so does a key that a trial does not have.
        (MEAN, [{"reward": 1}, None, None], {"mean": 0.3333333333333333}),
        (MAX, [{"reward": -1}, None], {"max": 0}),
        (MIN, [{"reward": 1}, None], {"min": 0}),
        (MEAN, [None, None], {"mean": 0.0}),
        (MEAN, [{}, {}], {"mean": 0.0}),
        (MEAN, [{"reward": 1}, {}], {"mean": 0.5}),
        (MEAN, [{"a": 1, "b": 1}, {"a": 1}, None], {"a": 0.6666666666666666, "b": 0.3333333333333333}),
        (MIN, [{"a": 1, "b": 1}, {"a": 1}], {"a": 1, "b": 0}),
        # The sum is compensated, and the order of trials counts for NaN.
        (MEAN, [{"reward": 0.1}] * 10, {"mean": 0.1}),
        (MEAN, [{"reward": math.nan}, {"reward": 1}], {"mean": math.nan}),
        (MAX, [{"reward": math.nan}, {"reward": 1}], {"max": math.nan}),
        (MAX, [{"reward": 1}, {"reward": math.nan}], {"max": 1}),
        (MEAN, [{"reward": math.inf}, {"reward": 1}], {"mean": math.inf}),
        (MEAN, [{"reward": math.inf}, {"reward": -math.inf}], {"mean": math.nan}),
    ],
)
def test_aggregation(metric: Aggregate, rewards: Rewards, expected: dict[str, float]) -> None:
    assert typed_values(metric.compute(rewards)) == typed_values(expected)


def test_keys_come_sorted() -> None:
    assert list(MEAN.compute([{"b": 1, "a": 1}])) == ["a", "b"]


@pytest.mark.statement("harbor.no-trials")
def test_nothing_has_no_mean_and_a_sum_of_0() -> None:
    with pytest.raises(ZeroDivisionError):
        MEAN.compute([])
    assert SUM.compute([]) == {"sum": 0}


def test_the_names_of_harbors_metrics() -> None:
    assert METRICS == {"mean": MEAN, "max": MAX, "min": MIN, "sum": SUM}


rewards_lists = st.lists(
    st.none() | st.dictionaries(st.sampled_from("abc"), st.floats(-100, 100), max_size=3), min_size=1
)


@given(rewards_lists, st.sampled_from(list(METRICS.values())))
def test_the_keys_follow_from_the_rewards_alone(rewards: Rewards, metric: Aggregate) -> None:
    keys = {key for reward in rewards if reward for key in reward}
    assert set(metric.compute(rewards)) == (keys if len(keys) > 1 else {metric.name})


@given(rewards_lists)
def test_min_mean_and_max_stand_in_this_order(rewards: Rewards) -> None:
    answers = [list(metric.compute(rewards).values()) for metric in (MIN, MEAN, MAX)]
    for low, middle, high in zip(*answers, strict=True):
        assert isinstance(low, int | float)
        assert isinstance(middle, int | float)
        assert isinstance(high, int | float)
        assert math.nextafter(low, -math.inf) <= middle <= math.nextafter(high, math.inf)
