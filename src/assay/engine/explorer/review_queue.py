"""The review queue: which run a reviewer looks at next, what they may know of it, and how far all of them agree.

The fewest annotations come first; among as many, the runs on which somebody disagrees: scorers and judge, or a
reviewer and the verdict. A run that the reviewer has judged already isn't in their queue any more.

A queue may be blind: then the machine's verdict, and what others said, is hidden until the reviewer has decided.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from assay.dialects.evaluation.models import Annotation
from assay.dialects.scorers.report import OverallVerdict
from assay.engine.jobs.reviews import Review, reviews_of
from assay.engine.jobs.trial_additions import History
from assay.engine.report.evaluation_report import RaterAgreement, report_agreement
from assay.evidence.run import Gates, Run, State
from assay.judge.judge_stored import CELLS, why_left_out

MOST_REVIEWED: Final = 5000


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many runs a queue has, and how many of them nobody has judged."""

    runs: int
    unreviewed: int


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A run with everything that reviewers said about it, the oldest first."""

    run: Run
    annotations: Sequence[Annotation]


@dataclass(frozen=True, slots=True)
class GateCount:
    """How many runs have the same answers of checks and judge."""

    checks: str | None
    judge: str | None
    runs: int


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A run as one reviewer sees it. Where it is ``hidden``, ``reviews`` is empty and the run has no verdicts."""

    run: Run
    reviews: Sequence[Review]
    own: Annotation | None
    hidden: bool


_HIDDEN: Final[Mapping[str, Any]] = {
    **dict.fromkeys(("checks", "judge", "score", "rewards", "failure_mode", "reason", "cause", "validity")),
    "suspicion": None,
    **dict.fromkeys(("gates_disagree", "reviewer_disagrees"), False),
    "state": State.PENDING,
    "axes": {},
}
"""What tells the machine's verdict, with what a blind queue shows instead."""


def item_of(reviewed: Reviewed, reviewer: str, *, blind: bool) -> ReviewItem:
    """A run as a reviewer may see it."""
    own = next((one for one in reversed(reviewed.annotations) if one.reviewer_id == reviewer), None)
    if blind and own is None:
        return ReviewItem(msgspec.structs.replace(reviewed.run, **_HIDDEN), (), None, hidden=True)
    return ReviewItem(reviewed.run, reviews(reviewed), own, hidden=False)


def reviews(reviewed: Reviewed) -> list[Review]:
    """Every verdict on a run, with whom it contradicts."""
    return list(reviews_of(_history(reviewed), reviewed.run, "first"))


def agreement(reviewed: Sequence[Reviewed]) -> list[RaterAgreement]:
    """How far reviewers agree with each other, with the verifier and with the judge."""
    return report_agreement([_history(one) for one in reviewed], {one.run.id: one.run for one in reviewed})


@dataclass(frozen=True, slots=True)
class TwoByTwo:
    """Runs by what checks and judge say: how many are in each cell, and how many in none, with the reason."""

    cells: Mapping[str, int]
    left_out: Mapping[str, int]

    @property
    def runs(self) -> int:
        return sum(self.cells.values())


def two_by_two(counts: Sequence[GateCount]) -> TwoByTwo:
    cells, left_out = dict.fromkeys(CELLS.values(), 0), dict[str, int]()
    for one in counts:
        checks = OverallVerdict(one.checks) if one.checks in {each.value for each in OverallVerdict} else None
        why = why_left_out(checks, one.judge if one.judge in ("PASS", "FAIL", "unparseable") else None)
        if why is None:
            cells[CELLS[checks is OverallVerdict.PASS, one.judge == "PASS"]] += one.runs
        else:
            left_out[why] = left_out.get(why, 0) + one.runs
    return TwoByTwo(cells, left_out)


def _history(reviewed: Reviewed) -> History:
    run = reviewed.run
    return History(run.id, [], list(reviewed.annotations), gates=Gates(judge=run.judge))
