"""A reward method for the tasks of verifiers."""

import importlib
from collections.abc import Callable
from typing import Any

from assay.core.errors import MeasurementError
from assay.rewards.loops.graders import Graders, ToOutput, answer


def verifiers_reward(
    graders: Graders,
    path: Callable[[Any], str],
    *,
    output: ToOutput = answer,
    weight: float = 1.0,
    deadline: float | None = None,
) -> Any:
    """A reward for the body of a ``Task``: ``assay = verifiers_reward(graders, lambda task: task.path)``.

    ``path`` tells the path of the task from its data. An output without a reward raises, so that verifiers records
    an error of the task and leaves its rewards empty.
    """

    async def assay(_self: Any, task: Any, trace: Any) -> float:
        grading = await graders.grade(path(task), output(trace.last_reply), deadline=deadline)
        if grading.reward is None:
            raise MeasurementError(grading.message or grading.reason or grading.state.value)
        return grading.reward

    return importlib.import_module("verifiers.v1").reward(weight=weight)(assay)
