"""Summarize the gradings of a job beyond its rewards: validity, failures, changes, flakiness and agreement."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.engine.jobs.job_runs import verdict_of
from assay.engine.jobs.reviews import Review, reviews_of
from assay.engine.jobs.trial_additions import History
from assay.evidence.run import Run
from assay.stats.agreement import Agreement, cohen_kappa, krippendorff_alpha, percent_agreement

if TYPE_CHECKING:
    from assay.dialects.evaluation.models import Grading, ValidityCheck

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
    """The majority of reviewers. A tie is no verdict."""
    votes = Counter(verdicts.values())
    return None if votes[True] == votes[False] else votes[True] > votes[False]


@dataclass(frozen=True, slots=True)
class GradingChange:
    """A trial whose newest grading has another reward than its first. None means no reward."""

    trial: str
    step: str | None
    first: float | None
    latest: float | None
    number: int


@dataclass(frozen=True, slots=True)
class TagGroup:
    """Failures of one category from one source, and the trials that have them."""

    category: str
    source: str
    trials: list[str]


@dataclass(frozen=True, slots=True)
class ReasonGroup:
    """Trials whose gradings have no reward from the verifier, for the same reason."""

    reason_code: str
    trials: list[str]


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """Facts of a job's gradings beyond rewards. ``used`` says which gradings the report's numbers come from.

    All counts are of trials: one with several steps counts once.
    """

    used: str
    graded: int
    graded_again: int
    unparseable: int
    schema_violations: int
    incomplete: int
    changes: list[GradingChange]
    flaky: list[str]
    taxonomy: list[TagGroup]
    reasons: list["ReasonGroup"]
    reviews: list[Review]
    disagreements: list[Review]


def report_histories(histories: Iterable[History], used: str, runs: Mapping[str, Run]) -> EvaluationReport | None:
    """The summary of a job's gradings, annotations and tags; None if none of its trials has any.

    ``runs`` are all runs of the job by their names.
    """
    known = [one for one in histories if one.gradings or one.annotations or one.tags]
    if not known:
        return None
    reviews = [review for history in known for review in reviews_of(history, runs.get(history.trial), used)]
    shown = {history.trial: history.used(used) for history in known}
    return EvaluationReport(
        used=used,
        graded=sum(bool(history.gradings) for history in known),
        graded_again=sum(history.graded_again() for history in known),
        unparseable=_trials_with(shown, lambda one: not one.output_parseable),
        schema_violations=_trials_with(shown, lambda one: one.output_parseable and not one.schema_valid),
        incomplete=_trials_with(shown, lambda one: not one.verifier_completed),
        changes=[change for history in known for change in _changes(history)],
        flaky=[history.trial for history in known if any(one.is_flaky for one in history.gradings)],
        taxonomy=_taxonomy(shown, known),
        reasons=_reasons(shown),
        reviews=reviews,
        disagreements=[review for review in reviews if review.contradicts],
    )


def _trials_with(shown: "dict[str, list[Grading]]", holds: "Callable[[ValidityCheck], bool]") -> int:
    """The number of trials in which something holds for the validity of a step."""
    return sum(any(holds(one.result.validity) for one in steps) for steps in shown.values())


def _changes(history: History) -> Iterator[GradingChange]:
    for before, after in zip(history.first(), history.latest(), strict=True):
        one, other = _reward(before), _reward(after)
        if one != other:
            yield GradingChange(history.trial, after.step, one, other, after.number)


def _reward(grading: "Grading") -> float | None:
    """The reward of a grading; None, and not 0, if its verifier didn't complete."""
    return grading.result.reward if grading.result.validity.verifier_completed else None


def _taxonomy(shown: "dict[str, list[Grading]]", histories: Iterable[History]) -> list[TagGroup]:
    """The failures by category and source. Categories of reviewers always have the source "human"."""
    groups: dict[tuple[str, str], list[str]] = {}
    for history in histories:
        tags = {
            (tag.category, tag.source.value)
            for one in shown[history.trial]
            for tag in one.result.error_taxonomy or ()
        }
        tags |= {(category, "human") for one in history.annotations for category in one.categories}
        tags |= {(one.tag.category, one.tag.source.value) for one in history.tags}
        for tag in sorted(tags):
            groups.setdefault(tag, []).append(history.trial)
    return [TagGroup(category, source, trials) for (category, source), trials in sorted(groups.items())]


def _reasons(shown: "dict[str, list[Grading]]") -> list[ReasonGroup]:
    groups: dict[str, list[str]] = {}
    for trial, gradings in shown.items():
        for reason in dict.fromkeys(one.reason_code for one in gradings if one.reason_code is not None):
            groups.setdefault(reason, []).append(trial)
    return [ReasonGroup(reason, trials) for reason, trials in sorted(groups.items())]
