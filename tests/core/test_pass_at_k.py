"""The estimators against exact combinatorics."""

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.pass_at_k import pass_at_k, pass_hat_k

CLOSE = 1e-12


def exact_pass_at_k(n: int, c: int, k: int) -> Fraction:
    return 1 - Fraction(comb(n - c, k), comb(n, k))


def exact_pass_hat_k(n: int, c: int, k: int) -> Fraction:
    return Fraction(comb(c, k), comb(n, k))


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int, int]:
    n = draw(st.integers(1, 200))
    return n, draw(st.integers(0, n)), draw(st.integers(1, n))


def value(found: float | None) -> float:
    assert found is not None
    return found


@given(counts())
def test_pass_at_k_is_the_share_of_subsets_with_a_success(nck: tuple[int, int, int]) -> None:
    assert abs(Fraction(value(pass_at_k(*nck))) - exact_pass_at_k(*nck)) < CLOSE


@given(counts())
def test_pass_hat_k_is_the_share_of_subsets_of_successes_only(nck: tuple[int, int, int]) -> None:
    assert abs(Fraction(value(pass_hat_k(*nck))) - exact_pass_hat_k(*nck)) < CLOSE


@given(counts())
def test_both_are_probabilities_and_all_is_never_likelier_than_one(nck: tuple[int, int, int]) -> None:
    at, hat = value(pass_at_k(*nck)), value(pass_hat_k(*nck))
    assert 0 <= at <= 1
    assert 0 <= hat <= 1
    assert hat <= at + CLOSE


@given(counts())
def test_more_tries_and_more_successes_never_hurt_pass_at_k(nck: tuple[int, int, int]) -> None:
    n, c, k = nck
    here = value(pass_at_k(n, c, k))
    assert k == n or here <= value(pass_at_k(n, c, k + 1)) + CLOSE
    assert c == n or here <= value(pass_at_k(n, c + 1, k)) + CLOSE


@given(counts())
def test_more_tries_never_help_pass_hat_k_and_more_successes_never_hurt(nck: tuple[int, int, int]) -> None:
    n, c, k = nck
    here = value(pass_hat_k(n, c, k))
    assert k == n or value(pass_hat_k(n, c, k + 1)) <= here + CLOSE
    assert c == n or here <= value(pass_hat_k(n, c + 1, k)) + CLOSE


@given(st.integers(1, 100), st.integers(1, 100))
def test_the_ends_are_exact(n: int, k: int) -> None:
    if n < k:
        return
    assert (pass_at_k(n, 0, k), pass_at_k(n, n, k)) == (0.0, 1.0)
    assert (pass_hat_k(n, 0, k), pass_hat_k(n, n, k)) == (0.0, 1.0)


@given(counts(), st.integers(1, 50))
def test_too_few_attempts_say_nothing(nck: tuple[int, int, int], more: int) -> None:
    n, c, _ = nck
    assert pass_at_k(n, c, n + more) is None
    assert pass_hat_k(n, c, n + more) is None


@pytest.mark.parametrize(("n", "c", "k"), [(1, 2, 1), (1, -1, 1), (-1, 0, 1), (3, 1, 0), (3, 1, -2)])
def test_impossible_counts_are_refused(n: int, c: int, k: int) -> None:
    for estimator in (pass_at_k, pass_hat_k):
        with pytest.raises(ValueError, match="must"):
            estimator(n, c, k)


@pytest.mark.statement("harbor.pass-estimate")
def test_the_last_bits_are_harbors() -> None:
    assert repr(pass_at_k(5, 1, 2)) == "0.3999999999999999"
