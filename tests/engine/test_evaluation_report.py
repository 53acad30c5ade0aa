"""What gradings say beyond rewards: validity, failures by category, changes, flakiness, disagreement."""

from collections.abc import Mapping, Sequence

import pytest

from assay.dialects.evaluation.models import AddedTag, Annotation, ErrorSource, ErrorTag, Grading, Judgment
from assay.dialects.harbor.trial import Trial
from assay.engine.jobs.job_runs import JobQuestion, run_of_trial
from assay.engine.jobs.reviews import Review
from assay.engine.jobs.trial_additions import History
from assay.engine.report.evaluation_report import (
    EvaluationReport,
    GradingChange,
    ReasonGroup,
    TagGroup,
    report_histories,
)
from assay.evidence.run import Gates
from tests.dialects.evaluation.gradings import STARTED, grading

MISSING = None


def said(reviewer: str, judgment: str, categories: Sequence[str] = (), notes: str | None = None) -> Annotation:
    return Annotation(
        reviewer_id=reviewer,
        judgment=Judgment(judgment),
        timestamp=STARTED,
        categories=list(categories),
        notes=notes,
    )


def history(trial: str, *records: Grading, verdicts: tuple[tuple[str, str], ...] = ()) -> History:
    """A trial's gradings, and verdicts as pairs of reviewer and judgment."""
    annotations = [said(reviewer, judgment, [], "why") for reviewer, judgment in verdicts]
    return History(trial, list(records), annotations)


def _trial(name: str, own: Mapping[str, float]) -> Trial:
    rewards = {"reward": own[name]} if name in own else None
    return Trial(name=name, task="a", agent="solver", rewards=rewards, verified=name in own)


def report(
    *histories: History, used: str = "latest", threshold: float = 1.0, own: Mapping[str, float] | None = None
) -> EvaluationReport:
    question = JobQuestion(grading=used, threshold=threshold)
    runs = {one.trial: run_of_trial("job", _trial(one.trial, own or {}), one, question) for one in histories}
    found = report_histories(histories, used, runs)
    assert found is not None
    return found


def test_categories_of_reviewers_are_grouped_as_found_by_people() -> None:
    verdicts = [said("r1", "fail", ["unit mismatch"]), said("r2", "fail", ["unit mismatch"])]
    found = report(History("a", [grading(1, 1.0)], verdicts), History("b", [], verdicts[:1]))
    assert found.taxonomy == [TagGroup("unit mismatch", "human", ["a", "b"])]


def test_no_records_no_report() -> None:
    assert report_histories([], "first", {}) is None


def test_trials_and_gradings_are_counted() -> None:
    found = report(
        history("a", grading(1)),
        history("b", grading(1), grading(2)),
        history("c", grading(1, step="one"), grading(2, step="two")),
        history("d", verdicts=(("r1", "defer"),)),
    )
    assert (found.graded, found.graded_again) == (3, 1)


@pytest.mark.statement("evaluation.flags-in-reports")
@pytest.mark.parametrize(("used", "counts"), [("first", (1, 1, 1)), ("latest", (0, 0, 1))])
def test_the_flags_surface_in_the_report(used: str, counts: tuple[int, int, int]) -> None:
    """They tell "the agent was wrong" from "the agent did not produce anything usable"."""
    found = report(
        history("unparseable", grading(1, 0.0, parseable=False, schema_valid=False), grading(2)),
        history("violation", grading(1, 0.5, schema_valid=False), grading(2)),
        history("incomplete", grading(1, MISSING), grading(2, MISSING)),
        history("wrong", grading(1, 0.0)),
        used=used,
    )
    assert (found.unparseable, found.schema_violations, found.incomplete) == counts
    assert found.used == used


@pytest.mark.statement("evaluation.flags-in-reports", "evaluation.missing-reward")
def test_a_missing_reward_is_told_apart_from_a_real_zero() -> None:
    """Notes, evaluation 5: in what is incomplete, and in what changed."""
    found = report(
        history("a", grading(1, 0.0), grading(2, MISSING)), history("b", grading(1, MISSING), grading(2, 0.0))
    )
    assert found.incomplete == 1
    assert found.changes == [GradingChange("a", None, 0.0, None, 2), GradingChange("b", None, None, 0.0, 2)]


@pytest.mark.parametrize(
    ("records", "changes"),
    [
        ([grading(1, 1.0)], []),
        ([grading(1, 1.0), grading(2, 1.0)], []),
        ([grading(1, MISSING), grading(2, MISSING)], []),
        ([grading(1, 1.0), grading(2, 0.5)], [GradingChange("a", None, 1.0, 0.5, 2)]),
        ([grading(1, 1.0), grading(2, 0.0), grading(3, 1.0)], []),
        ([grading(1, 1.0), grading(2, 0.0), grading(3, 0.25)], [GradingChange("a", None, 1.0, 0.25, 3)]),
        (
            [grading(1, 1.0, step="one"), grading(2, 0.0, step="two"), grading(3, 0.5, step="two")],
            [GradingChange("a", "two", 0.0, 0.5, 3)],
        ),
    ],
)
def test_changes_are_between_the_first_and_the_newest(
    records: list[Grading], changes: list[GradingChange]
) -> None:
    for used in ("first", "latest"):
        assert report(history("a", *records), used=used).changes == changes


def test_a_trial_is_flaky_if_one_of_its_gradings_says_so() -> None:
    found = report(
        history("a", grading(1), grading(2, flaky=True), grading(3, flaky=False)),
        history("b", grading(1), grading(2, flaky=False)),
        used="first",
    )
    assert found.flaky == ["a"]


@pytest.mark.statement("evaluation.tags-grouped")
def test_failures_are_grouped_by_category_and_source() -> None:
    found = report(
        history("a", grading(tags=(("time-out", "mechanical"), ("unit mismatch", "judge")))),
        history("b", grading(tags=(("unit mismatch", "mechanical"),))),
        history("c", grading(tags=(("unit mismatch", "judge"), ("unit mismatch", "judge")))),
        history("d", grading()),
    )
    assert found.taxonomy == [
        TagGroup("time-out", "mechanical", ["a"]),
        TagGroup("unit mismatch", "judge", ["a", "c"]),
        TagGroup("unit mismatch", "mechanical", ["b"]),
    ]


@pytest.mark.parametrize(("used", "category"), [("first", "time-out"), ("latest", "killed")])
def test_the_failures_are_those_of_the_gradings_that_are_shown(used: str, category: str) -> None:
    records = (grading(1, tags=(("time-out", "mechanical"),)), grading(2, tags=(("killed", "mechanical"),)))
    assert [group.category for group in report(history("a", *records), used=used).taxonomy] == [category]


@pytest.mark.statement("evaluation.disagreement-visible")
@pytest.mark.parametrize(
    ("reward", "judgment", "threshold", "differ"),
    [
        (1.0, "pass", 1.0, False),
        (1.0, "fail", 1.0, True),
        (0.0, "pass", 1.0, True),
        (0.0, "fail", 1.0, False),
        (0.5, "pass", 1.0, False),
        (0.5, "pass", 0.5, False),
        (0.5, "fail", 0.5, True),
        # A reward between the two is neither a pass nor a fail, so nobody contradicts it.
        (0.93, "fail", 1.0, False),
        (0.93, "pass", 1.0, False),
        (0.93, "fail", 0.9, True),
        (0.93, "pass", 0.9, False),
        (0.93, "defer", 1.0, False),
        (MISSING, "pass", 1.0, True),
        (MISSING, "fail", 1.0, False),
        # To defer is no opinion.
        (1.0, "defer", 1.0, False),
        (0.0, "defer", 1.0, False),
    ],
)
def test_where_reviewer_and_verifier_differ(
    reward: float | None, judgment: str, threshold: float, differ: bool
) -> None:
    """Disagreement stays visible, with the reward as it is: no verdict changes it."""
    found = report(history("a", grading(1, reward), verdicts=(("r1", judgment),)), threshold=threshold)
    # Without a usable reward, the run counts as 0.
    said = Review("a", "r1", judgment, reward or 0.0, ["verifier"] if differ else [], [], "why")
    assert found.reviews == [said]
    assert found.disagreements == ([said] if differ else [])


def test_every_reviewer_who_differs_is_named() -> None:
    found = report(history("a", grading(1, 1.0), verdicts=(("r1", "fail"), ("r2", "pass"), ("r1", "fail"))))
    assert [(one.reviewer_id, one.judgment, one.contradicts) for one in found.disagreements] == [
        ("r1", "fail", ["verifier", "reviewer r2"]),
        ("r2", "pass", ["reviewer r1"]),
        ("r1", "fail", ["verifier", "reviewer r2"]),
    ]


@pytest.mark.parametrize(
    ("verdicts", "contradicts"),
    [
        ((("r1", "pass"), ("r2", "fail")), [["reviewer r2"], ["verifier", "reviewer r1"]]),
        ((("r1", "pass"), ("r2", "pass")), [[], []]),
        ((("r1", "pass"), ("r2", "defer")), [[], []]),
        # The last word of a reviewer is what others contradict.
        ((("r1", "fail"), ("r2", "pass"), ("r1", "pass")), [["verifier", "reviewer r2"], [], []]),
    ],
)
def test_reviewers_who_contradict_each_other_are_named(
    verdicts: tuple[tuple[str, str], ...], contradicts: list[list[str]]
) -> None:
    found = report(history("a", grading(1, 1.0), verdicts=verdicts))
    assert [one.contradicts for one in found.reviews] == contradicts


@pytest.mark.parametrize(
    ("judge", "tagged", "passed", "failed"),
    [
        ("PASS", False, [], ["verifier", "judge"]),
        ("FAIL", False, ["judge"], ["verifier"]),
        ("unparseable", False, [], ["verifier"]),
        # A verdict says more than a tag; one that can't be read says nothing.
        ("PASS", True, [], ["verifier", "judge"]),
        ("unparseable", True, ["judge"], ["verifier"]),
    ],
)
def test_a_judges_verdict_may_be_contradicted(
    judge: str, tagged: bool, passed: list[str], failed: list[str]
) -> None:
    graded = grading(1, 1.0, tags=(("unit mismatch", "judge"),) if tagged else ())
    for judgment, contradicts in (("pass", passed), ("fail", failed), ("defer", [])):
        found = report(History("a", [graded], [said("r1", judgment)], [], Gates(judge=judge)))
        assert [one.contradicts for one in found.reviews] == [contradicts]


@pytest.mark.parametrize(("judgment", "contradicts"), [("pass", ["judge"]), ("fail", ["verifier"]), ("defer", [])])
@pytest.mark.parametrize("later", [False, True])
def test_a_judge_that_found_a_failure_is_contradicted_by_a_pass(
    judgment: str, contradicts: list[str], later: bool
) -> None:
    """Be the judge's tag the verifier's, or added afterwards."""
    found = ErrorTag(category="unit mismatch", source=ErrorSource.JUDGE)
    tags = [AddedTag(tag=found, added_by="judge", timestamp=STARTED)] if later else []
    graded = grading(1, 1.0, tags=() if later else (("unit mismatch", "judge"),))
    said_so = History("a", [graded], [said("r1", judgment)], tags)
    assert [one.contradicts for one in report(said_so).reviews] == [contradicts]


def test_tags_that_were_added_later_are_grouped_with_the_others() -> None:
    tag = ErrorTag(category="unit mismatch", source=ErrorSource.JUDGE)
    later = AddedTag(tag=tag, added_by="judge", timestamp=STARTED)
    found = report(
        History("a", [grading(1)], [], [later]), history("b", grading(tags=(("unit mismatch", "judge"),)))
    )
    assert found.taxonomy == [TagGroup("unit mismatch", "judge", ["a", "b"])]


@pytest.mark.parametrize(("used", "reward", "differ"), [("first", 0.0, True), ("latest", 1.0, False)])
def test_disagreement_is_with_the_reward_that_is_shown(used: str, reward: float, differ: bool) -> None:
    """A report of the first gradings must not show a reward of the newest."""
    found = report(history("a", grading(1, 0.0), grading(2, 1.0), verdicts=(("r1", "pass"),)), used=used)
    assert [one.reward for one in found.disagreements] == ([reward] if differ else [])


@pytest.mark.parametrize(
    ("own", "judgment", "differ"),
    [
        ({"a": 1.0}, "pass", []),
        ({"a": 1.0}, "fail", [1.0]),
        ({"a": 0.0}, "pass", [0.0]),
        ({"b": 1.0}, "pass", [0.0]),
        ({}, "fail", []),
    ],
)
def test_a_run_that_was_never_graded_has_its_own_reward(
    own: Mapping[str, float], judgment: str, differ: list[float]
) -> None:
    """As in harbor's own jobs."""
    found = report(history("a", verdicts=(("r1", judgment),)), own=own)
    assert [one.reward for one in found.disagreements] == differ


def test_a_grading_is_heard_before_the_runs_own_reward() -> None:
    found = report(history("a", grading(1, 0.0), verdicts=(("r1", "pass"),)), own={"a": 1.0})
    assert [one.reward for one in found.disagreements] == [0.0]


@pytest.mark.parametrize(
    ("rewards", "judgment", "differ"),
    [
        ((1.0, 1.0), "pass", []),
        ((0.0, 0.0), "pass", [0.0]),
        ((0.0, 0.0), "fail", []),
        ((MISSING, 1.0), "pass", [0.0]),
        ((MISSING, 1.0), "fail", []),
        ((1.0, 1.0), "fail", [1.0]),
        # Between a pass and a fail.
        ((0.0, 1.0), "pass", []),
        ((1.0, 0.5), "fail", []),
    ],
)
def test_a_run_of_several_steps_has_one_reward(
    rewards: tuple[float | None, float], judgment: str, differ: list[float]
) -> None:
    records = [grading(number, reward, step=f"step {number}") for number, reward in enumerate(rewards, start=1)]
    found = report(history("a", *records, verdicts=(("r1", judgment),)))
    assert [one.reward for one in found.disagreements] == differ


@pytest.mark.parametrize(
    ("used", "expected"),
    [
        ("first", [ReasonGroup("reward_missing", ["a", "c"]), ReasonGroup("reward_out_of_range", ["b"])]),
        ("latest", [ReasonGroup("reward_missing", ["c"]), ReasonGroup("reward_out_of_range", ["b"])]),
    ],
)
def test_why_there_is_no_reward_is_grouped_by_reason(used: str, expected: list[ReasonGroup]) -> None:
    """Each with its own reason code: notes, evaluation 5."""
    found = report(
        history("a", grading(1, MISSING), grading(2, 1.0)),
        history("b", grading(1, MISSING, reason_code="reward_out_of_range")),
        history("c", grading(1, MISSING)),
        history("d", grading(1, 0.0)),
        used=used,
    )
    assert found.reasons == expected
