"""A reward function for TRL's trainers."""

from collections.abc import Callable, Sequence
from typing import Any

from assay.rewards.loops.graders import Graders, ToOutput, answer


def trl_reward(
    graders: Graders, *, column: str = "task", output: ToOutput = answer, deadline: float | None = None
) -> Callable[..., list[float | None]]:
    """A function for ``reward_funcs``. The dataset's ``column`` has the path of each example's task.

    An output without a reward is None, which TRL leaves out of the mean. Parts and flags are logged as metrics.
    """

    def assay_reward(
        completions: Sequence[Any], log_metric: Callable[[str, float], None] | None = None, **columns: Any
    ) -> list[float | None]:
        texts = [one if isinstance(one, str) else one[-1]["content"] for one in completions]
        pairs = zip(columns[column], texts, strict=True)
        waiting = [graders.submit(task, output(text), deadline=deadline) for task, text in pairs]
        gradings = [one.result() for one in waiting]
        if log_metric is not None:
            log_metric("assay/no_reward", sum(one.reward is None for one in gradings) / len(gradings))
            log_metric("assay/flagged", sum(bool(one.flags) for one in gradings) / len(gradings))
            for name in {name for one in gradings for name in one.parts}:
                values = [one.parts[name] for one in gradings if name in one.parts]
                log_metric(f"assay/{name}", sum(values) / len(values))
        return [one.reward for one in gradings]

    return assay_reward
