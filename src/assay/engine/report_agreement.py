"""How far reviewers agree among each other, with the verifier, and with a judge."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from assay.engine.history import History
from assay.stats.agreement import Agreement, cohen_kappa, krippendorff_alpha, percent_agreement

# Agreement on a single run is no measure of anything.
FEWEST = 2


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """The agreement of two raters, or of all reviewers among each other."""

    between: str
    measures: list[Agreement]


def report_agreement(
    histories: Iterable[History], verifier: Mapping[str, bool], judge: Mapping[str, bool] | None = None
) -> list[RaterAgreement]:
    """The agreement on the trials that were reviewed. ``verifier`` and ``judge`` say which trials passed."""
    reviews = {history.trial: _verdicts(history) for history in histories}
    reviews = {trial: verdicts for trial, verdicts in reviews.items() if verdicts}
    if not reviews:
        return []
    return [*_among(reviews), *_with("the verifier", reviews, verifier), *_with("the judge", reviews, judge or {})]


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


def _with(
    name: str, reviews: Mapping[str, Mapping[str, bool]], passed: Mapping[str, bool]
) -> Iterator[RaterAgreement]:
    """The reviewers' majority and another rater. A tie is no verdict."""
    both = [(_majority(verdicts), passed.get(trial)) for trial, verdicts in reviews.items()]
    if sum(one is not None and other is not None for one, other in both) >= FEWEST:
        people, other = zip(*both, strict=True)
        items = [list(pair) for pair in both]
        yield RaterAgreement(
            f"reviewers and {name}",
            [percent_agreement(people, other), cohen_kappa(people, other), krippendorff_alpha(items)],
        )


def _majority(verdicts: Mapping[str, bool]) -> bool | None:
    votes = Counter(verdicts.values())
    return None if votes[True] == votes[False] else votes[True] > votes[False]
