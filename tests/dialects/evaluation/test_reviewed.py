"""A result with what reviewers and others said later: the reward stays, and how far they agree is told."""

from collections.abc import Sequence
from typing import Any

import pytest

from assay.dialects.evaluation.models import (
    AddedTag,
    Annotation,
    ConfidenceInterval,
    ConfidenceMetadata,
    ErrorSource,
    ErrorTag,
    Judgment,
)
from assay.dialects.evaluation.steps import inter_rater_agreement, with_reviews
from tests.dialects.evaluation.gradings import STARTED, grading


def said(reviewer: str, judgment: str, **more: Any) -> Annotation:
    return Annotation(reviewer_id=reviewer, judgment=Judgment(judgment), timestamp=STARTED, **more)


@pytest.mark.statement("evaluation.annotation-keeps-reward", "evaluation.uncertainty-recorded")
def test_a_result_carries_its_annotations_and_their_agreement() -> None:
    before = grading(1, 0.93).result
    reviews = [said("r1", "fail", categories=["unit mismatch"], notes="volts"), said("r2", "pass")]
    found = with_reviews(before, reviews)
    assert (found.reward, found.validity, found.breakdown) == (0.93, before.validity, before.breakdown)
    assert found.annotations == reviews
    assert found.confidence == ConfidenceMetadata(annotator_count=2, inter_rater_agreement=0.0)
    assert found.error_taxonomy == [
        ErrorTag(category="unit mismatch", description="volts", source=ErrorSource.HUMAN)
    ]


def test_what_the_verifier_and_others_said_is_kept_beside_it() -> None:
    before = grading(1, tags=(("time-out", "mechanical"),), method="range of 2", span=(0.5, 1.0)).result
    tag = ErrorTag(category="off by one", description="row 3", source=ErrorSource.JUDGE)
    later = AddedTag(tag=tag, added_by="judge", timestamp=STARTED)
    found = with_reviews(before, [said("r1", "pass")], [later])
    assert [one.category for one in found.error_taxonomy or ()] == ["time-out", "off by one"]
    assert found.confidence == ConfidenceMetadata(
        annotator_count=1,
        inter_rater_agreement=None,
        confidence_interval=ConfidenceInterval(low=0.5, high=1.0),
        confidence_method="range of 2",
    )


def test_without_reviews_nothing_changes() -> None:
    before = grading(1, tags=(("time-out", "mechanical"),)).result
    assert with_reviews(before, []) == before


@pytest.mark.parametrize(
    ("judgments", "agreement"),
    [
        ((), None),
        ((("a", "pass"),), None),
        ((("a", "pass"), ("b", "pass")), 1.0),
        ((("a", "pass"), ("b", "fail")), 0.0),
        ((("a", "pass"), ("b", "pass"), ("c", "fail")), 1 / 3),
        # Who defers has no opinion, and of two verdicts of one reviewer the last counts.
        ((("a", "pass"), ("b", "defer")), None),
        ((("a", "fail"), ("b", "pass"), ("a", "pass")), 1.0),
    ],
)
def test_agreement_is_the_share_of_pairs_who_say_the_same(
    judgments: Sequence[tuple[str, str]], agreement: float | None
) -> None:
    assert inter_rater_agreement([said(*one) for one in judgments]) == agreement
