"""Section 4.5: how the steps of a trial become its rewards, and when it stops."""

import math
from collections.abc import Mapping, Sequence

import pytest

from assay.dialects.harbor.rewards import Step, Strategy, TrialRewards, stops_after, trial_rewards
from tests.builders import typed_values

MEAN, FINAL = Strategy.MEAN, Strategy.FINAL
UNVERIFIED, NULL, EMPTY = Step(verified=False), Step(verified=True), Step(verified=True, rewards={})


def gave(**rewards: float) -> Step:
    return Step(verified=True, rewards=rewards)


@pytest.mark.statement("harbor.step-final", "harbor.step-mean")
@pytest.mark.parametrize(
    ("strategy", "steps", "expected"),
    [
        (MEAN, [gave(reward=1), gave(reward=0)], {"reward": 0.5}),
        (None, [gave(reward=1), gave(reward=0)], {"reward": 0.5}),
        (MEAN, [gave(reward=1)], {"reward": 1.0}),
        (MEAN, [gave(reward=1.0), gave(reward=0.4)], {"reward": 0.7}),
        (MEAN, [gave(reward=0.1)] * 10, {"reward": 0.1}),
        # A missing key counts 0.
        (MEAN, [gave(a=1), gave(b=1)], {"a": 0.5, "b": 0.5}),
        # Null and {} count in the denominator; a step without a verifier result does not.
        (MEAN, [gave(reward=1), NULL], {"reward": 0.5}),
        (MEAN, [gave(reward=1), EMPTY], {"reward": 0.5}),
        (MEAN, [gave(reward=1), UNVERIFIED], {"reward": 1.0}),
        (MEAN, [UNVERIFIED, gave(reward=1), NULL, EMPTY], {"reward": 0.3333333333333333}),
        (MEAN, [gave(reward=math.nan), gave(reward=1)], {"reward": math.nan}),
        # The last step that ran, verbatim.
        (FINAL, [gave(reward=1), gave(reward=0)], {"reward": 0}),
        (FINAL, [gave(reward=1), EMPTY], {}),
        (FINAL, [gave(a=1, b=0.5)], {"a": 1, "b": 0.5}),
    ],
)
def test_the_trials_rewards(
    strategy: Strategy | None, steps: Sequence[Step], expected: Mapping[str, float]
) -> None:
    found = trial_rewards(steps, strategy)
    assert found is not None
    assert typed_values(found.rewards) == typed_values(expected)


@pytest.mark.parametrize(
    ("strategy", "steps"),
    [(MEAN, []), (MEAN, [UNVERIFIED]), (MEAN, [NULL, EMPTY]), (FINAL, []), (FINAL, [gave(reward=1), UNVERIFIED])],
)
def test_no_verifier_result_at_all(strategy: Strategy, steps: Sequence[Step]) -> None:
    assert trial_rewards(steps, strategy) is None


def test_a_last_step_with_null_rewards_is_a_result_without_rewards() -> None:
    assert trial_rewards([gave(reward=1), NULL], FINAL) == TrialRewards(None)


def raised(*, verified: bool) -> Step:
    return Step(verified=verified, rewards={"reward": 1} if verified else None, exception_type="AgentTimeoutError")


@pytest.mark.statement("harbor.step-min-reward")
@pytest.mark.parametrize(
    ("step", "min_reward", "stops"),
    [
        (gave(reward=1), None, False),
        (UNVERIFIED, None, False),
        # An exception stops the trial unless the verifier gave a result all the same.
        (raised(verified=False), None, True),
        (raised(verified=True), None, False),
        # A plain number is about the key "reward".
        (gave(reward=1), 1, False),
        (gave(reward=0.5), 0.5, False),
        (gave(reward=0.49), 0.5, True),
        (gave(other=1), 0.5, True),
        # A missing key is minus infinity, and NaN is not below anything.
        (NULL, 0, True),
        (EMPTY, -1e308, True),
        (UNVERIFIED, 0, True),
        (gave(reward=math.nan), 0.5, False),
        (gave(other=1), -math.inf, False),
        # By key: every threshold must hold.
        (gave(a=1, b=0), {"a": 1}, False),
        (gave(a=1, b=0), {"a": 1, "b": 0.5}, True),
        (gave(a=1), {"b": 0}, True),
        (gave(a=1), {}, False),
    ],
)
def test_when_a_trial_stops(step: Step, min_reward: float | Mapping[str, float] | None, stops: bool) -> None:
    assert stops_after(step, min_reward) is stops
