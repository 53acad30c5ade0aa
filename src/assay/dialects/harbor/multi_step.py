"""Multi-step trials: when to stop, and how the trial's rewards follow from those of its steps."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from assay.core.total import total
from assay.dialects.harbor.rewards import Rewards


class Strategy(Enum):
    """How a trial's rewards follow from those of its steps. Harbor's default is MEAN."""

    MEAN = "mean"
    FINAL = "final"


@dataclass(frozen=True, slots=True)
class Step:
    """The outcome of one step: whether the verifier gave a result, its rewards (may be None), and an exception."""

    verified: bool
    rewards: Rewards | None = None
    exception_type: str | None = None


@dataclass(frozen=True, slots=True)
class TrialRewards:
    """The verifier result of a whole trial. In harbor, no result and a result without rewards are different."""

    rewards: Rewards | None


def stops_after(step: Step, min_reward: float | Mapping[str, float] | None) -> bool:
    """Whether the trial ends after this step.

    An exception stops the trial unless the verifier gave a result. A reward below the threshold stops it too: a
    missing key counts as minus infinity, and NaN is not below anything.
    """
    if step.exception_type is not None and not step.verified:
        return True
    if min_reward is None:
        return False
    thresholds = min_reward if isinstance(min_reward, Mapping) else {"reward": min_reward}
    rewards = (step.rewards or {}) if step.verified else {}
    return any(rewards.get(key, -math.inf) < threshold for key, threshold in thresholds.items())


def trial_rewards(steps: Sequence[Step], strategy: Strategy | None = None) -> TrialRewards | None:
    """The trial's verifier result from the steps that ran; None if there is no result."""
    if strategy is Strategy.FINAL:
        return TrialRewards(steps[-1].rewards) if steps and steps[-1].verified else None
    verified = [step.rewards or {} for step in steps if step.verified]
    keys = dict.fromkeys(key for rewards in verified for key in rewards)
    if not keys:
        return None
    count = len(verified)
    return TrialRewards({key: total(rewards.get(key, 0) for rewards in verified) / count for key in keys})
