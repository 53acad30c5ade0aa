"""The rubric scorer: normalise, clamp, combine, round. Notes, evaluation 4, line by line."""

import json
import math
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from assay.dialects.evaluation.rubric import Dimension, DimensionScore, Rubric, Strategy, score_rubric
from assay.evaluation import ingest
from tests.builders import typed
from tests.dialects.evaluation.evidence import left

MEAN, MIN = Strategy.WEIGHTED_MEAN, Strategy.MIN


def rubric(strategy: Strategy = MEAN, **weights: float) -> Rubric:
    """A rubric whose dimensions have these weights."""
    return Rubric(dimensions=[Dimension(name=name, weight=weights[name]) for name in weights], strategy=strategy)


def out_of(**tops: float) -> Rubric:
    """A rubric whose dimensions have these top scores."""
    return Rubric(dimensions=[Dimension(name=name, max_score=tops[name]) for name in tops])


@pytest.mark.statement("evaluation.rubric-weighted-mean", "evaluation.rubric-min", "evaluation.rubric-edges")
@pytest.mark.parametrize(
    ("weights", "scores", "mean", "worst"),
    [
        ({"a": 1, "b": 1}, {"a": 1, "b": 0}, 0.5, 0.0),
        ({"a": 2, "b": 1}, {"a": 1, "b": 0.5}, 0.8333, 0.5),
        ({"a": 1}, {"a": 0.3}, 0.3, 0.3),
        ({"a": 3, "b": 1}, {"a": 0, "b": 1}, 0.25, 0.0),
        # Weights are relative.
        ({"a": 300, "b": 100}, {"a": 0, "b": 1}, 0.25, 0.0),
        ({"a": 0.003, "b": 0.001}, {"a": 0, "b": 1}, 0.25, 0.0),
        # A weight of 0 leaves its dimension out of the mean, and `min` ignores weights.
        ({"a": 0, "b": 1}, {"a": 0, "b": 1}, 1.0, 0.0),
        ({"a": 0, "b": 0}, {"a": 1, "b": 1}, 0.0, 1.0),
        ({"a": 0}, {"a": 1}, 0.0, 1.0),
        # No dimensions.
        ({}, {}, 0.0, 0.0),
        # The mean of ten 0.1 is 0.1.
        (dict.fromkeys("abcdefghij", 1), dict.fromkeys("abcdefghij", 0.1), 0.1, 0.1),
        # Huge weights do not overflow.
        ({"a": 1e308, "b": 1e308}, {"a": 1, "b": 0}, 0.5, 0.0),
        ({"a": 5e-324, "b": 5e-324}, {"a": 1, "b": 0}, 0.5, 0.0),
    ],
)
def test_the_table_of_strategies(
    weights: Mapping[str, float], scores: Mapping[str, float], mean: float, worst: float
) -> None:
    """``weighted_mean`` is sum(normalised * weight) / sum(weight); with ``min`` the worst dimension wins."""
    assert score_rubric(rubric(MEAN, **weights), scores).reward == mean
    assert score_rubric(rubric(MIN, **weights), scores).reward == worst


@pytest.mark.statement("evaluation.rubric-weighted-mean")
def test_the_default_is_the_weighted_mean() -> None:
    assert Rubric(dimensions=[]).strategy is MEAN
    assert Rubric.model_validate_json('{"dimensions": []}').strategy is MEAN


def test_a_dimension_counts_once_and_is_out_of_1_unless_it_says_otherwise() -> None:
    found = Rubric.model_validate_json('{"dimensions": [{"name": "a"}]}').dimensions[0]
    assert (found.weight, found.max_score, found.description) == (1.0, 1.0, None)


@pytest.mark.statement("evaluation.rubric-normalises", "evaluation.rubric-edges")
@pytest.mark.parametrize(
    ("score", "top", "normalised"),
    [
        (0.95, 1, 0.95),
        (7, 10, 0.7),
        (10, 10, 1.0),
        # Clamped to [0, 1].
        (11, 10, 1.0),
        (-1, 10, 0.0),
        (1e308, 1e-308, 1.0),
        (-1e308, 1e-308, 0.0),
        (0, 10, 0.0),
        (5e-324, 1e308, 0.0),
        # A top score of 0 or less makes the dimension 0.
        (1, 0, 0.0),
        (0, 0, 0.0),
        (1, -1, 0.0),
        (-1, -1, 0.0),
        (1, -0.0, 0.0),
    ],
)
def test_a_score_is_normalised_and_clamped(score: float, top: float, normalised: float) -> None:
    found = score_rubric(out_of(a=top), {"a": score})
    assert found.dimensions == [DimensionScore("a", score, top, normalised, None)]
    assert found.reward == round(normalised, 4)


@pytest.mark.statement("evaluation.rubric-edges")
@pytest.mark.parametrize("given_score", [{}, {"a": None}])
def test_a_dimension_without_a_score_is_0_and_says_so(given_score: Mapping[str, Any]) -> None:
    found = score_rubric(rubric(a=1, b=1), {**given_score, "b": 1})
    assert found.reward == 0.5
    assert found.dimensions[0] == DimensionScore("a", 0.0, 1.0, 0.0, "No score provided")
    assert found.to_details()["a"] == {"score": 0.0, "max_score": 1.0, "evidence": "No score provided"}


def test_the_worst_dimension_may_be_the_one_without_a_score() -> None:
    assert score_rubric(rubric(MIN, a=1, b=1), {"b": 1}).reward == 0.0


@pytest.mark.statement("evaluation.rubric-rounds")
@pytest.mark.parametrize(
    ("scores", "reward"),
    [
        ({"a": 1, "b": 0, "c": 0}, 0.3333),
        ({"a": 1, "b": 1, "c": 0}, 0.6667),
        ({"a": 0.00004, "b": 0.00004, "c": 0.00004}, 0.0),
        ({"a": 0.00006, "b": 0.00006, "c": 0.00006}, 0.0001),
        ({"a": 0.99996, "b": 0.99996, "c": 0.99996}, 1.0),
        ({"a": -0.0, "b": -0.0, "c": -0.0}, 0.0),
    ],
)
def test_rewards_round_to_four_decimals(scores: Mapping[str, float], reward: float) -> None:
    assert typed(score_rubric(rubric(a=1, b=1, c=1), scores).reward) == typed(reward)


def test_evidence_is_kept() -> None:
    found = score_rubric(rubric(a=1), {"a": {"score": 0.5, "evidence": "half right"}})
    assert found.to_details() == {"a": {"score": 0.5, "max_score": 1.0, "evidence": "half right"}}


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        ({"b": 1}, "the rubric has no dimension b"),
        ({"c": 1, "b": 1, "a": 1}, "the rubric has no dimension b, c"),
        ({"a": True}, "the score of a must be a finite number, got True"),
        ({"a": "1"}, "the score of a must be a finite number, got '1'"),
        ({"a": math.nan}, "the score of a must be a finite number, got nan"),
        ({"a": math.inf}, "the score of a must be a finite number, got inf"),
        ({"a": [1]}, "must be a finite number"),
        ({"a": {"score": True}}, "the score of a must be a finite number, got True"),
        ({"a": {"score": math.nan, "evidence": "x"}}, "the score of a must be a finite number, got nan"),
        ({"a": {"score": 95, "max_score": 100}}, "the max_score of a must be 1 as in the rubric, got 100"),
        ({"a": {"score": 1, "max_score": None}}, "the max_score of a must be 1 as in the rubric, got None"),
        ({"a": {"scores": 1}}, "the score of a has an unknown key scores"),
    ],
)
def test_a_mistake_of_the_caller_is_refused(scores: Mapping[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        score_rubric(rubric(a=1), scores)


@pytest.mark.parametrize("score", [10**400, -(10**400)], ids=["huge", "hugely negative"])
def test_a_whole_number_beyond_every_float_is_clamped_or_refused_but_no_crash(score: int) -> None:
    try:
        assert score_rubric(rubric(a=1), {"a": score}).reward in (0.0, 1.0)
    except ValueError as refused:
        assert "the score of a" in str(refused)  # noqa: PT017 - either answer will do


@pytest.mark.statement("evaluation.rubric-strategy-known")
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"dimensions": [], "strategy": "median"}', "strategy"),
        ('{"dimensions": [], "strategy": "MIN"}', "strategy"),
        ('{"dimensions": [], "strategy": ""}', "strategy"),
        ('{"dimensions": [], "strategy": null}', "strategy"),
        ("{}", "dimensions"),
        ('{"dimensions": [{"name": "a"}, {"name": "a"}]}', "but several are called a"),
        ('{"dimensions": [{"name": ""}]}', "dimensions.0.name"),
        ('{"dimensions": [{"name": "a", "weight": -1}]}', "dimensions.0.weight"),
        ('{"dimensions": [{"name": "a", "weight": NaN}]}', "dimensions.0.weight"),
        ('{"dimensions": [{"name": "a", "weight": Infinity}]}', "dimensions.0.weight"),
        ('{"dimensions": [{"name": "a", "weight": "1"}]}', "dimensions.0.weight"),
        ('{"dimensions": [{"name": "a", "weight": true}]}', "dimensions.0.weight"),
        ('{"dimensions": [{"name": "a", "max_score": Infinity}]}', "dimensions.0.max_score"),
        ('{"dimensions": [{"name": "a", "wieght": 1}]}', "dimensions.0.wieght"),
        ('{"dimensions": [], "rollup": "min"}', "rollup"),
    ],
)
def test_a_bad_rubric_is_refused_when_it_is_loaded(text: str, says: str) -> None:
    """An unknown strategy is never a silent default."""
    with pytest.raises(ValidationError, match=says.replace(".", r"\.")):
        Rubric.model_validate_json(text)


def test_the_strategies_are_the_documents() -> None:
    assert [one.value for one in Strategy] == ["weighted_mean", "min"]


# --- Properties ---

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
NUMBERS = FLOATS | st.integers(-1000, 1000)
DIMENSIONS = st.lists(
    st.tuples(st.floats(0, allow_infinity=False), FLOATS, st.none() | NUMBERS), min_size=1, max_size=6
)


@pytest.mark.statement("evaluation.rubric-rounds")
@given(DIMENSIONS, st.sampled_from(Strategy))
@example([(1e308, 1.0, 1), (1e308, 1.0, 0)], MEAN)
@example([(5e-324, 1.0, 1), (5e-324, 1.0, 1)], MEAN)
def test_a_reward_lies_within_0_and_1_and_between_the_extremes(
    dimensions: list[tuple[float, float, float | None]], strategy: Strategy
) -> None:
    known = Rubric(
        dimensions=[Dimension(name=str(i), weight=w, max_score=top) for i, (w, top, _) in enumerate(dimensions)],
        strategy=strategy,
    )
    found = score_rubric(known, {str(i): s for i, (_, _, s) in enumerate(dimensions) if s is not None})
    assert 0 <= found.reward <= 1
    assert all(0 <= one.normalised <= 1 for one in found.dimensions)
    assume(strategy is MIN or any(weight > 0 for weight, _, _ in dimensions))
    lowest = min(one.normalised for one in found.dimensions)
    highest = max(one.normalised for one in found.dimensions)
    assert lowest - 0.00005 - 1e-12 <= found.reward <= highest + 0.00005 + 1e-12


@given(DIMENSIONS, st.sampled_from(Strategy))
def test_details_round_trip_through_ingest(
    dimensions: list[tuple[float, float, float | None]], strategy: Strategy
) -> None:
    """What the scorer says is what the record holds: reward and breakdown."""
    known = Rubric(
        dimensions=[Dimension(name=str(i), weight=w, max_score=top) for i, (w, top, _) in enumerate(dimensions)],
        strategy=strategy,
    )
    scores = {str(i): {"score": s, "evidence": "é"} for i, (_, _, s) in enumerate(dimensions) if s is not None}
    score = score_rubric(known, scores)
    reward, details = json.dumps({"reward": score.reward}), json.dumps(score.to_details())
    found = ingest(left(reward.encode(), details=details.encode()))
    assert (found.result.reward, found.reason_code) == (score.reward, None)
    assert found.result.breakdown == score.to_details()


@given(st.dictionaries(st.sampled_from("abc"), st.floats(0, 1), min_size=3))
def test_the_order_of_scores_does_not_matter(scores: dict[str, float]) -> None:
    known = rubric(a=1, b=2, c=3)
    backwards = dict(reversed(scores.items()))
    assert score_rubric(known, scores) == score_rubric(known, backwards)


@given(DIMENSIONS)
def test_the_worst_is_never_better_than_the_mean(dimensions: list[tuple[float, float, float | None]]) -> None:
    assume(any(weight > 0 for weight, _, _ in dimensions))
    parts = [Dimension(name=str(i), weight=w, max_score=top) for i, (w, top, _) in enumerate(dimensions)]
    scores = {str(i): s for i, (_, _, s) in enumerate(dimensions) if s is not None}
    worst = score_rubric(Rubric(dimensions=parts, strategy=MIN), scores).reward
    assert worst <= score_rubric(Rubric(dimensions=parts), scores).reward


@pytest.mark.parametrize("given", [None, {}, {"score": None}, {"evidence": "the judge said nothing"}])
def test_a_dimension_without_a_score_counts_0_and_says_so(given: Any) -> None:
    found = score_rubric(rubric(a=1), {"a": given})
    assert found.reward == 0.0
    assert found.to_details() == {"a": {"score": 0.0, "max_score": 1.0, "evidence": "No score provided"}}


def test_details_can_be_scored_again() -> None:
    """What ``to_details`` gives has the top score of each dimension, which is the rubric's own."""
    one = Rubric(dimensions=[Dimension(name="a", max_score=10.0), Dimension(name="b", weight=3.0)])
    found = score_rubric(one, {"a": {"score": 7, "evidence": "x"}, "b": 0.25})
    assert score_rubric(one, found.to_details()) == found
