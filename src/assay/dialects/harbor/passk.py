"""Harbor's pass@k: which groups have it, for which k, and its value.

A group has pass@k only if every trial with rewards has exactly one reward, which is 0 or 1. A trial without
rewards is a failed attempt. k starts at 2: harbor never reports pass@1.
"""

from collections.abc import Iterable, Sequence

from assay.core.pass_at_k import chance_of_a_success
from assay.core.total import mean
from assay.dialects.harbor.rewards import Rewards


def eligible_k(attempts: int) -> list[int]:
    """Powers of two and multiples of five, from 2 up to the number of attempts."""
    powers = {2**i for i in range(1, attempts.bit_length())}
    return sorted(k for k in powers | set(range(5, attempts + 1, 5)) if k <= attempts)


def pass_at_k_of_group(tasks: Sequence[str], rewards: Sequence[Rewards | None]) -> dict[int, float]:
    """pass@k of a group, by k: the mean over its tasks. Empty if the group has no pass@k."""
    attempts = count_successes(tasks, rewards)
    if not attempts:
        return {}
    fewest = min(n for n, _ in attempts.values())
    return {k: mean([chance_of_a_success(n, c, k) for n, c in attempts.values()]) for k in eligible_k(fewest)}


def count_successes(tasks: Iterable[str], rewards: Iterable[Rewards | None]) -> dict[str, tuple[int, int]] | None:
    """Attempts and successes of each task; None if a trial's rewards aren't a single 0 or 1."""
    counts: dict[str, tuple[int, int]] = {}
    for task, reward in zip(tasks, rewards, strict=True):
        success = 0
        if reward is not None:
            if len(reward) != 1:
                return None
            value = next(iter(reward.values()))
            if value not in (0, 1):
                return None
            success = int(value)
        n, c = counts.get(task, (0, 0))
        counts[task] = (n + 1, c + success)
    return counts
