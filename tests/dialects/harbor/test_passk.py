"""Section 4: which groups have pass@k, for which k, and its value."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import harbor
from assay.dialects.harbor.job_stats import eligible_k, pass_at_k_of_group

Rewards = Sequence[Mapping[str, float] | None]


@pytest.mark.statement("harbor.pass-k-values")
@pytest.mark.parametrize(
    ("attempts", "expected"),
    [
        (0, []),
        (1, []),
        (2, [2]),
        (3, [2]),
        (4, [2, 4]),
        (5, [2, 4, 5]),
        (8, [2, 4, 5, 8]),
        (10, [2, 4, 5, 8, 10]),
        (16, [2, 4, 5, 8, 10, 15, 16]),
        (20, [2, 4, 5, 8, 10, 15, 16, 20]),
    ],
)
def test_k_from_the_fewest_attempts(attempts: int, expected: list[int]) -> None:
    assert eligible_k(attempts) == expected


@given(st.integers(0, 2000))
def test_k_is_a_power_of_two_or_a_multiple_of_five(attempts: int) -> None:
    wanted = [k for k in range(2, attempts + 1) if k % 5 == 0 or math.log2(k).is_integer()]
    assert eligible_k(attempts) == wanted


@pytest.mark.statement("harbor.pass-estimate")
@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [
        (5, 0, 2, "0.0"),
        (5, 1, 2, "0.3999999999999999"),  # The document rounds this to 0.4; harbor's own loop does not.
        (5, 5, 2, "1.0"),
        (10, 3, 5, "0.9166666666666667"),
        (4, 2, 2, "0.8333333333333334"),
        (2, 1, 2, "1.0"),
    ],
)
def test_spot_checks(n: int, c: int, k: int, expected: str) -> None:
    assert repr(harbor.pass_at_k(n, c, k)) == expected
    assert float(expected) == pytest.approx(float(1 - Fraction(comb(n - c, k), comb(n, k))), abs=1e-15)


ONE, ZERO = {"reward": 1}, {"reward": 0}


@pytest.mark.statement("harbor.pass-none", "harbor.pass-one-key")
@pytest.mark.parametrize(
    ("tasks", "rewards", "expected"),
    [
        ("", [], {}),
        ("a", [ONE], {}),
        ("aa", [ONE, ZERO], {2: 1.0}),
        ("aa", [ZERO, ZERO], {2: 0.0}),
        ("aabb", [ONE, ZERO, ZERO, ZERO], {2: 0.5}),
        ("abab", [ONE, ZERO, ZERO, ZERO], {2: 0.5}),
        # The task with the fewest attempts decides on k; with one attempt there is none.
        ("aaaab", [ONE, ZERO, ZERO, ZERO, ONE], {}),
        ("aaaabb", [ONE, ZERO, ZERO, ZERO, ONE, ONE], {2: 0.75}),
        # A trial without rewards is a failed attempt.
        ("aa", [ONE, None], {2: 1.0}),
        ("aa", [None, None], {2: 0.0}),
        # Any number that is 0 or 1, under any name.
        ("aa", [{"x": 1.0}, {"y": 0.0}], {2: 1.0}),
        ("aa", [{"x": -0.0}, {"x": 0}], {2: 0.0}),
        # One reward that is not 0 or 1, or not alone, disables pass@k for the whole group.
        ("aabb", [ONE, ONE, ONE, {"reward": 0.5}], {}),
        ("aa", [ONE, {"reward": math.nan}], {}),
        ("aa", [ONE, {"reward": math.inf}], {}),
        ("aa", [ONE, {"reward": -1}], {}),
        ("aa", [ONE, {"reward": 2}], {}),
        ("aa", [ONE, {}], {}),
        ("aa", [ONE, {"reward": 1, "speed": 1}], {}),
    ],
)
def test_a_group(tasks: str, rewards: Rewards, expected: dict[int, float]) -> None:
    assert pass_at_k_of_group(list(tasks), rewards) == expected


@pytest.mark.statement("harbor.pass-mean")
def test_five_attempts_at_two_tasks() -> None:
    rewards = [ONE, ZERO, ZERO, ZERO, ZERO, ONE, ONE, ZERO, ZERO, ZERO]
    found = pass_at_k_of_group(list("aaaaabbbbb"), rewards)
    exact = {k: sum(1 - Fraction(comb(5 - c, k), comb(5, k)) for c in (1, 2)) / 2 for k in (2, 4, 5)}
    assert list(found) == [2, 4, 5]
    assert found == pytest.approx({k: float(value) for k, value in exact.items()}, abs=1e-15)
