"""A score is a finite number from 0 to 1, and nothing else passes for one."""

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.outcome import Errored, NotApplicable, Scored


@pytest.mark.parametrize("score", [0, 1, 0.0, 1.0, 0.5, 5e-324, math.nextafter(1, 0), -0.0])
def test_a_score_from_0_to_1_is_kept_as_it_is(score: float) -> None:
    outcome = Scored(score, passed=True)
    assert repr(outcome.score) == repr(score)


@pytest.mark.parametrize(
    "score",
    [
        math.nan,
        math.inf,
        -math.inf,
        True,
        False,
        -0.1,
        1.1,
        2,
        -1,
        math.nextafter(1, 2),
        pytest.param(10**400, id="huge"),
    ],
)
def test_anything_else_is_refused(score: float) -> None:
    with pytest.raises(ValueError, match="a score must be a finite number from 0 to 1, got "):
        Scored(score, passed=True)


@given(st.floats().filter(lambda score: not 0 <= score <= 1))
def test_no_float_outside_gets_in(score: float) -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        Scored(score, passed=False)


@pytest.mark.parametrize("outcome", [Scored(1, passed=True), NotApplicable("n"), Errored("e", "E")])
def test_an_outcome_does_not_change(outcome: object) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        outcome.summary = "another"  # type: ignore[attr-defined]


def test_only_a_score_has_a_number() -> None:
    assert not hasattr(NotApplicable("n"), "score")
    assert not hasattr(Errored("e", "E"), "score")
