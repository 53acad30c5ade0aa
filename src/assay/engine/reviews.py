"""The reviews of a job: every verdict with the reward beside it, and whom it contradicts.

A verifier says pass with a reward of at least the threshold, and fail with 0 or no reward. With a reward between
the two it says neither, so that a reviewer who passes or fails the run doesn't agree with it. A judge says
what its last verdict says; without one that can be read, a judge that tagged a failure says fail. A reviewer who
defers contradicts nobody.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.engine.evaluation_summary import Evaluated
from assay.engine.history import History

if TYPE_CHECKING:
    from assay.dialects.evaluation.models import Annotation

VERIFIER, JUDGE = "verifier", "judge"


@dataclass(frozen=True, slots=True)
class Review:
    """One verdict of one reviewer, with the reward of the trial.

    ``contradicts`` has "verifier", "judge", and other reviewers as "reviewer NAME".
    """

    trial: str
    reviewer_id: str
    judgment: str
    reward: float | None
    contradicts: list[str]
    categories: list[str]
    notes: str | None


def reviews_of(
    history: History, evaluated: Evaluated | None, own: float | None, threshold: float
) -> Iterator[Review]:
    """All verdicts on one trial. ``own`` is the reward that a trial without gradings recorded."""
    reward = own if evaluated is None or evaluated.result is None else evaluated.reward
    said = {
        VERIFIER: _verdict_of_reward(reward, threshold),
        JUDGE: _verdict_of_judge(history, evaluated),
    }
    others = {one.reviewer_id: one.judgment.value for one in history.annotations}
    for one in history.annotations:
        yield Review(
            trial=history.trial,
            reviewer_id=one.reviewer_id,
            judgment=one.judgment.value,
            reward=reward,
            contradicts=list(_contradicted(one, said, others)),
            categories=list(one.categories),
            notes=one.notes,
        )


def _verdict_of_reward(reward: float | None, threshold: float) -> str:
    if reward is not None and reward >= threshold:
        return "pass"
    return "partial" if reward is not None and reward > 0 else "fail"


def _verdict_of_judge(history: History, evaluated: Evaluated | None) -> str | None:
    if history.judge in ("PASS", "FAIL"):
        return history.judge.lower()
    graded = evaluated.result.error_taxonomy if evaluated is not None and evaluated.result is not None else None
    tags = [*(graded or ()), *(one.tag for one in history.tags)]
    return "fail" if any(tag.source.value == JUDGE for tag in tags) else None


def _contradicted(one: "Annotation", said: Mapping[str, str | None], others: Mapping[str, str]) -> Iterator[str]:
    judgment = one.judgment.value
    if judgment == "defer":
        return
    yield from (who for who, verdict in said.items() if verdict not in (None, judgment))
    for reviewer, other in others.items():
        if reviewer != one.reviewer_id and other not in ("defer", judgment):
            yield f"reviewer {reviewer}"
