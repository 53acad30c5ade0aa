"""The one result of a trial with steps: all that ran, or the last one, and nothing mixed up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.dialects.evaluation.models import ErrorSource, ErrorTag, EvaluationResult, ValidityCheck
from assay.dialects.evaluation.steps import StepResult, result_of_steps

MISSING = None


def step(
    name: str, reward: float | None = 1.0, *, parseable: bool = True, schema_valid: bool = True
) -> StepResult:
    """A step. A reward of None is one that the verifier didn't give."""
    validity = ValidityCheck(
        output_parseable=parseable,
        schema_valid=parseable and schema_valid,
        verifier_completed=reward is not None,
        errors=[] if reward is not None else ["no reward"],
    )
    tags = None if reward is not None else [ErrorTag(category="missing artifact", source=ErrorSource.MECHANICAL)]
    result = EvaluationResult(
        reward=reward or 0.0,
        validity=validity,
        breakdown={"part": reward} if reward else None,
        error_taxonomy=tags,
    )
    return StepResult(name, result, None if reward is not None else "reward_missing")


@pytest.mark.parametrize(
    ("rewards", "final", "reward", "completed"),
    [
        ((1.0, 0.5), False, 0.75, True),
        ((1.0, 0.5), True, 0.5, True),
        ((0.0, 0.0), False, 0.0, True),
        # A measurement that broke halfway doesn't say how good the whole is.
        ((1.0, MISSING), False, 0.0, False),
        ((MISSING, 1.0), False, 0.0, False),
        # With final, only the last step counts.
        ((MISSING, 1.0), True, 1.0, True),
        ((1.0, MISSING), True, 0.0, False),
    ],
)
def test_the_reward_and_whether_there_is_one(
    rewards: tuple[float | None, ...], final: bool, reward: float, completed: bool
) -> None:
    found = result_of_steps([step(str(number), one) for number, one in enumerate(rewards)], final=final)
    assert (found.result.reward, found.result.validity.verifier_completed) == (reward, completed)
    assert found.reason_code == (None if completed else "reward_missing")


@pytest.mark.parametrize(
    ("steps", "parseable", "reward"),
    [
        ((step("a", 0.0, parseable=False), step("b", 1.0)), True, 0.5),
        ((step("a", 0.0, parseable=False), step("b", 0.0, parseable=False)), False, 0.0),
    ],
)
def test_output_that_can_not_be_parsed_counts_as_0_and_makes_the_trial_unusable_only_if_there_is_no_other(
    steps: tuple[StepResult, ...], parseable: bool, reward: float
) -> None:
    found = result_of_steps(steps, final=False).result
    assert (found.validity.output_parseable, found.validity.schema_valid, found.reward) == (
        parseable,
        False,
        reward,
    )


def test_everything_that_the_steps_say_is_kept() -> None:
    found = result_of_steps([step("build", 0.5), step("test", MISSING)], final=False).result
    assert found.breakdown == {"build": {"part": 0.5}}
    assert found.validity.errors == ["step test: no reward"]
    assert [tag.category for tag in found.error_taxonomy or ()] == ["missing artifact"]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_the_mean_lies_between_the_steps(rewards: list[float]) -> None:
    found = result_of_steps([step(str(number), one) for number, one in enumerate(rewards)], final=False).result
    assert min(rewards) <= found.reward + 1e-15
    assert found.reward <= max(rewards) + 1e-15
