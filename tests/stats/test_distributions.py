"""Quantiles and their inverse, against scipy, and logarithm and exponential, against the C library."""

import ast
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats.interval import (
    beta_cdf,
    beta_quantile,
    binomial_at_most,
    exp,
    ln,
    ln_gamma,
    normal_cdf,
    normal_quantile,
    t_cdf,
    t_quantile,
)
from tests.builders import REPO
from tests.stats.oracles import oracle

QUANTILES: dict[str, Any] = {"normal": normal_quantile, "t": t_quantile, "beta": beta_quantile}
CDFS: dict[str, Any] = {"normal": normal_cdf, "t": t_cdf, "beta": beta_cdf}


@pytest.mark.parametrize("one", oracle("distributions"), ids=lambda one: f"{one['of']}{one['args']}{one['p']}")
def test_quantiles_are_those_of_scipy(one: Any) -> None:
    found = QUANTILES[one["of"]](one["p"], *one["args"])
    assert found == pytest.approx(one["quantile"], rel=1e-9, abs=1e-12)
    assert CDFS[one["of"]](found, *one["args"]) == pytest.approx(one["p"], rel=1e-9)


@given(st.floats(1e-300, 1e300))
def test_the_logarithm_is_that_of_the_c_library(x: float) -> None:
    assert ln(x) == pytest.approx(math.log(x), rel=1e-15, abs=1e-16)


@given(st.floats(-700, 700))
def test_the_exponential_is_that_of_the_c_library(x: float) -> None:
    assert exp(x) == pytest.approx(math.exp(x), rel=1e-13)


def test_the_exponential_has_ends() -> None:
    assert (exp(-800), exp(800)) == (0, math.inf)


@given(st.floats(1e-3, 1e6))
def test_ln_gamma_is_that_of_the_c_library(x: float) -> None:
    assert ln_gamma(x) == pytest.approx(math.lgamma(x), rel=1e-12, abs=1e-13)


@given(st.integers(1, 60), st.floats(0.01, 0.99))
def test_the_binomial_adds_up(n: int, p: float) -> None:
    for c in range(n + 1):
        chance = math.fsum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(c + 1))
        assert binomial_at_most(c, n, p) == pytest.approx(chance, abs=1e-11)


def test_nothing_in_statistics_depends_on_the_machine() -> None:
    """Powers, logarithms and the like come from the C library, and differ in their last bit between machines."""
    allowed = {
        "fsum",
        "sqrt",
        "frexp",
        "ldexp",
        "isqrt",
        "isfinite",
        "isnan",
        "comb",
        "ceil",
        "floor",
        "inf",
        "lcm",
        "nan",
    }
    for path in (REPO / "src" / "assay" / "stats").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            assert not isinstance(node, ast.Pow), f"{path.name} uses a power"
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "math":
                assert node.attr in allowed, f"{path.name} uses math.{node.attr}"
