"""How outcomes add up: means, minima, the gate and the axes."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.grading import Placed, Placement
from assay.core.outcome import Errored, NotApplicable, Outcome, Scored
from assay.core.rollup import Unscored, Verdict, by_axis, gate, lowest, weighted_mean
from tests.core.strategies import errored, not_applicable, outcomes, placed, scored

PASSED, FAILED = Scored(1, passed=True), Scored(0, passed=False)
NA, BROKEN = NotApplicable("does not arise"), Errored("broke", "RuntimeError")


def one(outcome: Outcome, weight: float = 1, *, required: bool = True) -> Placed:
    return Placed(Placement("a check", weight, required=required), outcome)


@pytest.mark.parametrize(
    ("outcomes_", "left_out", "zero"),
    [
        ([], None, None),
        ([one(NA), one(NA)], None, 0.0),
        ([one(BROKEN)], None, 0.0),
        ([one(PASSED)], 1.0, 1.0),
        ([one(PASSED), one(FAILED)], 0.5, 0.5),
        ([one(PASSED), one(NA)], 1.0, 0.5),
        ([one(PASSED), one(BROKEN), one(BROKEN)], 1.0, 0.3333333333333333),
        ([one(PASSED, 3), one(FAILED, 1)], 0.75, 0.75),
        ([one(PASSED, 0), one(FAILED, 1)], 0.0, 0.0),
        ([one(PASSED, 0), one(FAILED, 0)], None, None),
        ([one(Scored(0.1, passed=False)) for _ in range(10)], 0.1, 0.1),
        (
            [one(Scored(0.1, passed=False)), one(Scored(0.2, passed=False))],
            0.15000000000000002,
            0.15000000000000002,
        ),
    ],
)
def test_weighted_mean(outcomes_: list[Placed], left_out: float | None, zero: float | None) -> None:
    assert weighted_mean(outcomes_, Unscored.LEFT_OUT) == left_out
    assert weighted_mean(outcomes_, Unscored.ZERO) == zero


@pytest.mark.parametrize(
    ("outcomes_", "left_out", "zero"),
    [
        ([], None, None),
        ([one(NA)], None, 0.0),
        ([one(PASSED), one(Scored(0.3, passed=False), 0)], 0.3, 0.3),
        ([one(PASSED), one(BROKEN)], 1.0, 0.0),
    ],
)
def test_lowest_ignores_weights(outcomes_: list[Placed], left_out: float | None, zero: float | None) -> None:
    assert lowest(outcomes_, Unscored.LEFT_OUT) == left_out
    assert lowest(outcomes_, Unscored.ZERO) == zero


@pytest.mark.parametrize(
    ("outcomes_", "verdict"),
    [
        ([], Verdict.NOT_APPLICABLE),
        ([one(NA), one(NA, required=False)], Verdict.NOT_APPLICABLE),
        ([one(PASSED)], Verdict.PASS),
        ([one(PASSED), one(NA)], Verdict.PASS),
        ([one(PASSED), one(FAILED)], Verdict.FAIL),
        ([one(PASSED), one(BROKEN)], Verdict.FAIL),
        ([one(PASSED), one(FAILED, required=False)], Verdict.PASS),
        ([one(PASSED), one(BROKEN, required=False)], Verdict.PASS),
        ([one(FAILED), one(PASSED, required=False)], Verdict.FAIL),
        ([one(NA), one(FAILED, required=False)], Verdict.PASS),
        # Whether it passed is the check's own word: a score of 1 may fail, and one of 0 may pass.
        ([one(Scored(1, passed=False))], Verdict.FAIL),
        ([one(Scored(0, passed=True))], Verdict.PASS),
    ],
)
def test_gate(outcomes_: list[Placed], verdict: Verdict) -> None:
    assert gate(outcomes_) is verdict


@given(st.lists(placed(scored), min_size=1))
def test_a_mean_lies_between_the_lowest_and_the_highest_score_that_weigh_anything(
    all_placed: list[Placed],
) -> None:
    weighing = [p.outcome.score for p in all_placed if p.placement.weight and isinstance(p.outcome, Scored)]
    found = weighted_mean(all_placed, Unscored.LEFT_OUT)
    if found is None:
        assert weighing == []
    else:
        assert min(weighing) <= found <= max(weighing)


@pytest.mark.parametrize("weights", [(1e308, 1e308), (1.7e308, 1.7e308), (1e308, 5e-324)])
@pytest.mark.parametrize("scores", [(1.0, 1.0), (0.0, 1.0), (0.3, 0.3)])
def test_weights_as_large_as_a_float_goes_still_give_a_mean(
    weights: tuple[float, float], scores: tuple[float, float]
) -> None:
    pairs = list(zip(scores, weights, strict=True))
    exact = sum(Fraction(s) * Fraction(w) for s, w in pairs) / sum(Fraction(w) for w in weights)
    found = weighted_mean([one(Scored(score, passed=True), weight) for score, weight in pairs], Unscored.ZERO)
    assert found == pytest.approx(float(exact), rel=1e-12)


@given(st.lists(placed()), placed(not_applicable))
def test_what_does_not_apply_enters_nothing(all_placed: list[Placed], na: Placed) -> None:
    more = [*all_placed, na]
    assert gate(more) is gate(all_placed)
    assert weighted_mean(more, Unscored.LEFT_OUT) == weighted_mean(all_placed, Unscored.LEFT_OUT)
    assert lowest(more, Unscored.LEFT_OUT) == lowest(all_placed, Unscored.LEFT_OUT)


@given(st.lists(placed(not_applicable)))
def test_silence_is_no_pass(all_na: list[Placed]) -> None:
    assert gate(all_na) is Verdict.NOT_APPLICABLE
    assert weighted_mean(all_na, Unscored.LEFT_OUT) is None


@given(st.lists(placed()), placed(outcomes, required=st.just(False)))
def test_an_advisory_outcome_never_flips_the_gate(all_placed: list[Placed], advisory: Placed) -> None:
    before, after = gate(all_placed), gate([*all_placed, advisory])
    if before is Verdict.NOT_APPLICABLE:
        assert after is not Verdict.FAIL
    else:
        assert after is before


@given(st.lists(placed()), placed(errored, required=st.just(True)))
def test_a_required_check_that_broke_fails_the_gate(all_placed: list[Placed], broken: Placed) -> None:
    assert gate([*all_placed, broken]) is Verdict.FAIL


@given(st.lists(placed()))
def test_left_out_is_never_below_zero_counted(all_placed: list[Placed]) -> None:
    kept, zeroed = weighted_mean(all_placed, Unscored.LEFT_OUT), weighted_mean(all_placed, Unscored.ZERO)
    assert kept is None or (zeroed is not None and zeroed <= kept + 1e-12)


@given(st.lists(placed()))
def test_every_outcome_stands_on_its_one_axis_in_order(all_placed: list[Placed]) -> None:
    axes = by_axis(all_placed)
    assert list(axes) == list(dict.fromkeys(p.placement.axis for p in all_placed))
    for axis, members in axes.items():
        assert members == [p for p in all_placed if p.placement.axis == axis]
