"""How far the reviewers of a job agree beyond chance."""

from collections.abc import Iterable

from assay.engine.history import History
from assay.stats.agreement import Agreement, krippendorff_alpha


def reviewer_agreement(histories: Iterable[History]) -> Agreement | None:
    """Krippendorff's alpha over the trials that two or more reviewers judged; None if there are none.

    The last verdict of each reviewer counts. Who defers has no opinion.
    """
    items = [_verdicts(history) for history in histories]
    judged = [verdicts for verdicts in items if len(verdicts) > 1]
    return krippendorff_alpha(judged) if judged else None


def _verdicts(history: History) -> list[str]:
    last = {one.reviewer_id: one.judgment.value for one in history.annotations}
    return [verdict for verdict in last.values() if verdict != "defer"]
