"""A result together with what came after it: reviewers' verdicts, and tags that were added later.

The reward and the validity stay as they are. What is filled in: annotations, the categories of reviewers as tags,
added tags, how many reviewers there are and how far they agree. Records on disk are never changed by this.
"""

from collections.abc import Sequence
from itertools import combinations

from assay.dialects.evaluation.added_tag import AddedTag
from assay.dialects.evaluation.models import (
    Annotation,
    ConfidenceMetadata,
    ErrorSource,
    ErrorTag,
    EvaluationResult,
    Judgment,
)


def with_reviews(
    result: EvaluationResult, annotations: Sequence[Annotation], added: Sequence[AddedTag] = ()
) -> EvaluationResult:
    """The result with everything that was said about it later."""
    tags = [
        *(result.error_taxonomy or ()),
        *(one.tag for one in added),
        *(tag for one in annotations for tag in human_tags(one)),
    ]
    confidence = _confidence(result.confidence, annotations) if annotations else result.confidence
    return result.model_copy(
        update={
            "error_taxonomy": tags or None,
            "confidence": confidence,
            "annotations": list(annotations) or None,
        }
    )


def human_tags(annotation: Annotation) -> list[ErrorTag]:
    """The categories of a reviewer as tags, with the notes as their description."""
    return [
        ErrorTag(category=category, description=annotation.notes, source=ErrorSource.HUMAN)
        for category in annotation.categories
        if category
    ]


def current_verdicts(annotations: Sequence[Annotation]) -> dict[str, Judgment]:
    """What each reviewer says now: of several verdicts of one reviewer, the last."""
    return {one.reviewer_id: one.judgment for one in annotations}


def inter_rater_agreement(annotations: Sequence[Annotation]) -> float | None:
    """The share of pairs of reviewers who say the same. Who defers has no opinion; None for fewer than two."""
    said = [one for one in current_verdicts(annotations).values() if one is not Judgment.DEFER]
    pairs = [one is other for one, other in combinations(said, 2)]
    return sum(pairs) / len(pairs) if pairs else None


def _confidence(known: ConfidenceMetadata | None, annotations: Sequence[Annotation]) -> ConfidenceMetadata:
    return (known or ConfidenceMetadata()).model_copy(
        update={
            "annotator_count": len(current_verdicts(annotations)),
            "inter_rater_agreement": inter_rater_agreement(annotations),
        }
    )
