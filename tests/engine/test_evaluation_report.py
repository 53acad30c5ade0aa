"""What gradings say beyond rewards: validity, failures by category, changes, flakiness, disagreement."""

from collections.abc import Mapping, Sequence

import pytest

from assay.dialects.evaluation.grading import Grading
from assay.dialects.evaluation.models import Annotation, Judgment
from assay.engine.evaluation_report import (
    Change,
    Disagreement,
    EvaluationReport,
    ReasonGroup,
    TagGroup,
    report_histories,
)
from assay.engine.history import History
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


def report(
    *histories: History, used: str = "latest", threshold: float = 1.0, own: Mapping[str, float] | None = None
) -> EvaluationReport:
    found = report_histories(histories, used, threshold, own or {})
    assert found is not None
    return found


def test_categories_of_reviewers_are_grouped_as_found_by_people() -> None:
    verdicts = [said("r1", "fail", ["unit mismatch"]), said("r2", "fail", ["unit mismatch"])]
    found = report(History("a", [grading(1, 1.0)], verdicts), History("b", [], verdicts[:1]))
    assert found.taxonomy == [TagGroup("unit mismatch", "human", ["a", "b"])]


def test_no_records_no_report() -> None:
    assert report_histories([], "first", 1.0, {}) is None


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
    assert found.changes == [Change("a", None, 0.0, None, 2), Change("b", None, None, 0.0, 2)]


@pytest.mark.parametrize(
    ("records", "changes"),
    [
        ([grading(1, 1.0)], []),
        ([grading(1, 1.0), grading(2, 1.0)], []),
        ([grading(1, MISSING), grading(2, MISSING)], []),
        ([grading(1, 1.0), grading(2, 0.5)], [Change("a", None, 1.0, 0.5, 2)]),
        ([grading(1, 1.0), grading(2, 0.0), grading(3, 1.0)], []),
        ([grading(1, 1.0), grading(2, 0.0), grading(3, 0.25)], [Change("a", None, 1.0, 0.25, 3)]),
        (
            [grading(1, 1.0, step="one"), grading(2, 0.0, step="two"), grading(3, 0.5, step="two")],
            [Change("a", "two", 0.0, 0.5, 3)],
        ),
    ],
)
def test_changes_are_between_the_first_and_the_newest(records: list[Grading], changes: list[Change]) -> None:
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
        (0.5, "pass", 1.0, True),
        (0.5, "pass", 0.5, False),
        (0.5, "fail", 0.5, True),
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
    assert found.disagreements == ([Disagreement("a", "r1", judgment, reward, "why")] if differ else [])


def test_every_reviewer_who_differs_is_named() -> None:
    found = report(history("a", grading(1, 1.0), verdicts=(("r1", "fail"), ("r2", "pass"), ("r1", "fail"))))
    assert [(one.reviewer_id, one.judgment) for one in found.disagreements] == [("r1", "fail"), ("r1", "fail")]


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
        ({"b": 1.0}, "pass", [None]),
        ({}, "fail", []),
    ],
)
def test_a_run_that_was_never_graded_has_its_own_reward(
    own: Mapping[str, float], judgment: str, differ: list[float | None]
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
        ((0.0, 1.0), "pass", [0.0]),
        ((1.0, 0.5), "pass", [0.5]),
        ((1.0, 0.5), "fail", []),
        ((MISSING, 1.0), "pass", [None]),
        ((1.0, 1.0), "fail", [1.0]),
    ],
)
def test_a_run_of_several_steps_passes_if_all_of_them_do(
    rewards: tuple[float | None, float], judgment: str, differ: list[float | None]
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
