"""How far reviewers agree among each other, and they, the verifier and a judge with each other."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.engine.jobs.job_runs import verdict_of
from assay.engine.jobs.trial_additions import History
from assay.evidence.run import Run
from assay.stats.agreement import Agreement, cohen_kappa, krippendorff_alpha, percent_agreement

# Agreement on a single run is no measure of anything.
FEWEST = 2


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """The agreement of two raters, or of all reviewers among each other."""

    between: str
    measures: list[Agreement]


def report_agreement(histories: Sequence[History], runs: Mapping[str, Run]) -> list[RaterAgreement]:
    """The agreement on the runs that were reviewed or judged. ``runs`` are all runs of the job by their names."""
    verdicts = {one.trial: verdict_of(runs[one.trial].state) for one in histories if one.trial in runs}
    verifier = {trial: verdict == "pass" for trial, verdict in verdicts.items() if verdict is not None}
    reviews = {history.trial: _verdicts(history) for history in histories}
    people = {trial: _majority(verdicts) for trial, verdicts in reviews.items()}
    # A verdict that can't be read is none.
    judge = {
        one.trial: one.gates.judge == "PASS"
        for one in histories
        if one.gates and one.gates.judge in ("PASS", "FAIL")
    }
    return [
        *_among(reviews),
        *_of_two("reviewers and the verifier", people, verifier),
        *_of_two("reviewers and the judge", people, judge),
        *_of_two("the verifier and the judge", judge, verifier),
    ]


def _verdicts(history: History) -> dict[str, bool]:
    """The latest verdict of each reviewer. One who defers has none."""
    latest = {one.reviewer_id: one.judgment.value for one in history.annotations}
    return {reviewer: verdict == "pass" for reviewer, verdict in latest.items() if verdict != "defer"}


def _among(reviews: Mapping[str, Mapping[str, bool]]) -> Iterator[RaterAgreement]:
    reviewers = sorted({reviewer for verdicts in reviews.values() for reviewer in verdicts})
    items = [[verdicts.get(reviewer) for reviewer in reviewers] for verdicts in reviews.values()]
    if sum(sum(one is not None for one in item) > 1 for item in items) < FEWEST:
        return
    measures = [krippendorff_alpha(items)]
    if len(reviewers) == 2:
        one, other = zip(*items, strict=True)
        measures = [percent_agreement(one, other), cohen_kappa(one, other), *measures]
    yield RaterAgreement("reviewers among each other", measures)


def _of_two(
    between: str, ratings: Mapping[str, bool | None], others: Mapping[str, bool]
) -> Iterator[RaterAgreement]:
    both = [(rating, others.get(trial)) for trial, rating in ratings.items()]
    if sum(one is not None and other is not None for one, other in both) >= FEWEST:
        one, other = zip(*both, strict=True)
        measures = [percent_agreement(one, other), cohen_kappa(one, other), krippendorff_alpha(both)]
        yield RaterAgreement(between, measures)


def _majority(verdicts: Mapping[str, bool]) -> bool | None:
    """What most reviewers say. A tie is no verdict."""
    votes = Counter(verdicts.values())
    return None if votes[True] == votes[False] else votes[True] > votes[False]
