"""Paired differences and their tests, against scipy and statsmodels, and in the corners."""

import itertools
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats.interval import CantSay, Interval
from assay.stats.paired import Difference, PairedTask, mcnemar, paired_difference
from assay.stats.sign_flips import PValue, sign_flip_test
from tests.stats.oracles import oracle


def pairs(first: list[list[float]], second: list[list[float]]) -> list[PairedTask]:
    return [PairedTask(f"t{i}", a, b) for i, (a, b) in enumerate(zip(first, second, strict=True))]


def single(first: list[float], second: list[float]) -> list[PairedTask]:
    return pairs([[one] for one in first], [[one] for one in second])


def interval(found: Difference) -> Interval:
    assert isinstance(found.interval, Interval)
    return found.interval


def result(found: Difference) -> PValue:
    assert isinstance(found.test, PValue)
    return found.test


@pytest.mark.parametrize("one", oracle("paired"))
def test_the_permutation_test_is_that_of_scipy(one: Any) -> None:
    found = paired_difference(single(one["first"], one["second"]))
    whole = sign_flip_test([b - a for a, b in zip(one["first"], one["second"], strict=True)], 100 * 8 * 3)
    assert whole.p == pytest.approx(one["p"], abs=1e-9)
    # Drawn signs come close.
    assert result(found).p == pytest.approx(one["p"], abs=0.02)


@pytest.mark.parametrize("one", oracle("paired"))
def test_near_normal_differences_have_the_t_interval_of_scipy(one: Any) -> None:
    found = interval(paired_difference(single(one["first"], one["second"])))
    if found.method == "clustered t":
        assert (found.low, found.high) == pytest.approx(one["t"], abs=1e-9)
    else:
        assert found.low < one["t"][1]


@pytest.mark.parametrize("one", oracle("mcnemar"))
def test_mcnemar_is_that_of_statsmodels(one: Any) -> None:
    differences = [-1.0] * one["only_first"] + [1.0] * one["only_second"] + [0.0] * 10
    assert mcnemar(differences).p == pytest.approx(one["p"], abs=1e-9)


def test_mcnemar_of_thousands_is_that_of_hundreds() -> None:
    exact = 2 * sum(math.comb(2100, i) for i in range(1001)) / 2**2100
    assert mcnemar([1.0] * 1100 + [-1.0] * 1000).p == pytest.approx(exact, abs=1e-9)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_exact_counting_is_what_trying_all_signs_gives(numbers: list[int]) -> None:
    signs = itertools.product((-1, 1), repeat=len(numbers))
    sums = [abs(sum(s * n for s, n in zip(sign, numbers, strict=True))) for sign in signs]
    expected = sum(one >= abs(sum(numbers)) for one in sums) / len(sums)
    assert sign_flip_test([n / 4 for n in numbers], 4).p == pytest.approx(expected, abs=1e-12)


def test_drawing_and_the_normal_limit_come_close_to_counting() -> None:
    differences = [((i * 7919) % 11 - 4.6) / 10 for i in range(300)]
    exact = sign_flip_test(differences, 50)
    drawn = sign_flip_test(differences)
    many = sign_flip_test(differences * 10)
    assert (exact.method, drawn.method) == ("paired permutation, exact", "paired permutation, 9,999 draws")
    assert many.method == "paired permutation, normal for many tasks"
    assert drawn.p == pytest.approx(exact.p, abs=0.015)


def test_one_attempt_that_passes_or_fails_is_mcnemars() -> None:
    found = paired_difference(single([0, 0, 0, 1, 1, 0, 0, 0], [1, 1, 1, 1, 1, 0, 1, 1]))
    assert result(found) == PValue(0.0625, "McNemar, exact")
    assert interval(found).method == "Bonett and Price"
    # (6 - 1) / 10 with half a width of 1.96 * sqrt((0.7 - 0.25) / 10)
    assert (interval(found).low, interval(found).high) == pytest.approx((0.084228, 0.915772), abs=1e-6)


def test_pairing_sees_what_two_intervals_do_not() -> None:
    first = [[i / 20, i / 20] for i in range(20)]
    second = [[i / 20 + 0.04, i / 20 + 0.05 + 0.001 * (i % 3)] for i in range(20)]
    found = paired_difference(pairs(first, second))
    assert interval(found).low > 0.02
    assert result(found).p < 0.001


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ([], [], "there is no task that both have a reward for"),
        ([[1.0]], [[0.0]], "one task says nothing about others"),
        ([[math.nan], [0.0]], [[1.0], [1.0]], "the rewards of t0 must be finite and below 1e+100, got nan"),
        ([[0.0], [0.0]], [[1.0], [math.inf]], "the rewards of t1 must be finite and below 1e+100, got inf"),
    ],
)
def test_what_cant_be_said(first: list[list[float]], second: list[list[float]], reason: str) -> None:
    found = paired_difference(pairs(first, second))
    assert found.interval == found.test == CantSay(reason)


@pytest.mark.parametrize("value", [0.0, 1.0, 0.5])
def test_equal_differences_are_not_certain(value: float) -> None:
    found = paired_difference(pairs([[0.0, 0.0]] * 6, [[value, value]] * 6))
    assert interval(found).low < value - 0.3
    assert interval(found).low < interval(found).high
    assert found.smallest is not None


def test_the_same_rewards_show_no_difference() -> None:
    found = paired_difference(single([0.0, 1.0, 1.0], [0.0, 1.0, 1.0]))
    assert (found.value, result(found).p) == (0, 1)
    assert interval(found).low < 0 < interval(found).high


def test_rewards_beyond_1_can_be_compared() -> None:
    found = paired_difference(single([5.0, -3.0, 2.0, 8.0], [7.0, -2.0, 3.5, 9.0]))
    assert interval(found).low > 0


rewards = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1))
tasks = st.lists(st.tuples(st.lists(rewards, min_size=1, max_size=3), st.lists(rewards, min_size=1, max_size=3)),
                 min_size=2, max_size=12)  # fmt: skip


@given(tasks)
def test_turning_agents_around_turns_the_difference_around(made: list[tuple[list[float], list[float]]]) -> None:
    there = paired_difference([PairedTask("t", a, b) for a, b in made])
    back = paired_difference([PairedTask("t", b, a) for a, b in made])
    assert there.value is not None
    assert back.value is not None
    assert there.value == pytest.approx(-back.value, abs=1e-12)
    assert result(there).p == pytest.approx(result(back).p, abs=1e-12)
    assert interval(there).low == pytest.approx(-interval(back).high, abs=1e-9)
    assert interval(there).low < interval(there).high
    assert -1 <= interval(there).low <= there.value + 1e-9 <= interval(there).high + 2e-9
