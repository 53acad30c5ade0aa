"""The reviews of a job: every verdict with the reward beside it, and whom it contradicts.

A run that passed says pass, one that failed or is unusable says fail; any other contradicts nobody. A judge says
what its last verdict says; without one that can be read, a judge that tagged a failure says fail. A reviewer who
defers contradicts nobody.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.engine.jobs.job_runs import verdict_of
from assay.engine.jobs.trial_additions import History
from assay.evidence.run import Run

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


def reviews_of(history: History, run: Run | None, used: str) -> Iterator[Review]:
    """All verdicts on one trial, beside what its run came to."""
    said = {
        VERIFIER: None if run is None else verdict_of(run.state),
        JUDGE: _verdict_of_judge(history, used),
    }
    others = {one.reviewer_id: one.judgment.value for one in history.annotations}
    for one in history.annotations:
        yield Review(
            trial=history.trial,
            reviewer_id=one.reviewer_id,
            judgment=one.judgment.value,
            reward=None if run is None else run.score,
            contradicts=list(_contradicted_sources(one, said, others)),
            categories=list(one.categories),
            notes=one.notes,
        )


def _verdict_of_judge(history: History, used: str) -> str | None:
    judge = None if history.gates is None else history.gates.judge
    if judge in ("PASS", "FAIL"):
        return judge.lower()
    shown = history.used(used)
    graded = [tag for one in shown for tag in one.result.error_taxonomy or ()]
    tags = [*graded, *(one.tag for one in history.tags)]
    return "fail" if any(tag.source.value == JUDGE for tag in tags) else None


def _contradicted_sources(
    one: "Annotation", said: Mapping[str, str | None], others: Mapping[str, str]
) -> Iterator[str]:
    judgment = one.judgment.value
    if judgment == "defer":
        return
    yield from (who for who, verdict in said.items() if verdict not in (None, judgment))
    for reviewer, other in others.items():
        if reviewer != one.reviewer_id and other not in ("defer", judgment):
            yield f"reviewer {reviewer}"
