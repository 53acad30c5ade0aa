"""A score function for verl."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from assay.rewards.loops.graders import Graders, ToOutput, answer


def verl_score(
    graders: Graders,
    *,
    no_reward: float,
    key: str = "task",
    output: ToOutput = answer,
    deadline: float | None = None,
) -> Callable[..., Awaitable[dict[str, float]]]:
    """A function for ``custom_reward_function``. ``extra_info`` has the path of each example's task under ``key``.

    verl wants a number for every output, so the caller says what one without a reward gets.
    """

    async def compute_score(solution_str: str, extra_info: Mapping[str, Any], **_: Any) -> dict[str, float]:
        grading = await graders.grade(extra_info[key], output(solution_str), deadline=deadline)
        return {
            "score": grading.rewards_or(no_reward),
            "no_reward": float(grading.reward is None),
            "flagged": float(bool(grading.flags)),
        }

    return compute_score
