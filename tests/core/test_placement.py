"""A weight is a finite number of at least 0."""

import math

import pytest

from assay.core.grading import Placement


def test_an_outcome_is_required_and_weighs_1_unless_said_otherwise() -> None:
    assert Placement("name") == Placement("name", weight=1, axis=None, required=True)


@pytest.mark.parametrize("weight", [0, 0.0, 1, 2.5, 1e308])
def test_a_weight_of_at_least_0_is_kept(weight: float) -> None:
    assert Placement("name", weight).weight == weight


@pytest.mark.parametrize(
    "weight", [-1, -1e-9, math.nan, math.inf, -math.inf, True, False, pytest.param(10**400, id="huge")]
)
def test_any_other_weight_is_refused(weight: float) -> None:
    with pytest.raises(ValueError, match="a weight must be a finite number of at least 0, got "):
        Placement("name", weight)
