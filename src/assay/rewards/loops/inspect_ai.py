"""A scorer for inspect."""

import importlib
from typing import Any

from assay.rewards.loops.graders import Graders, ToOutput, answer


def inspect_scorer(
    graders: Graders, *, key: str = "task", output: ToOutput = answer, deadline: float | None = None
) -> Any:
    """A scorer for a ``Task``. A sample's metadata has the path of its task under ``key``.

    An output without a reward is unscored, which inspect leaves out of its metrics.
    """
    scorer = importlib.import_module("inspect_ai.scorer")

    @scorer.scorer(metrics=[scorer.mean(), scorer.stderr()], name="assay")  # type: ignore[untyped-decorator]
    def assay() -> Any:
        async def score(state: Any, target: Any) -> Any:  # noqa: ARG001 - inspect calls it so
            text = state.output.completion
            grading = await graders.grade(state.metadata[key], output(text), deadline=deadline)
            told = {"state": grading.state.value, "parts": dict(grading.parts), "flags": dict(grading.flags)}
            if grading.reward is None:
                return scorer.Score.unscored(
                    reason="scoring_failed", answer=text, explanation=grading.message, metadata=told
                )
            return scorer.Score(value=grading.reward, answer=text, explanation=grading.message, metadata=told)

        return score

    return assay()
