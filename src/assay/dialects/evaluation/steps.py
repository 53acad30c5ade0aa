"""The one result of a trial with several steps, from the results of its steps.

The steps that count are all that ran, with the mean of their rewards, or only the last one. If one of them has no
usable reward, the trial has none: a measurement that broke halfway doesn't say how good the whole is. A step whose
output can't be parsed counts as 0; only if that is so for all of them, the trial's output isn't parseable either.

A result together with what came after it: reviewers' verdicts, and tags that were added later.

The reward and the validity stay as they are. What is filled in: annotations, the categories of reviewers as tags,
added tags, how many reviewers there are and how far they agree. Records on disk are never changed by this.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from assay.core.total import mean
from assay.dialects.evaluation.ingest import Ingested
from assay.dialects.evaluation.models import (
    AddedTag,
    Annotation,
    ConfidenceMetadata,
    ErrorSource,
    ErrorTag,
    EvaluationResult,
    Judgment,
    ValidityCheck,
)


@dataclass(frozen=True, slots=True)
class StepResult:
    """The result of one step, and the reason if its reward isn't the verifier's."""

    name: str
    result: EvaluationResult
    reason_code: str | None


def result_of_steps(steps: Sequence[StepResult], *, final: bool) -> Ingested:
    """The result of the trial. With ``final``, only the last step counts."""
    counted = steps[-1:] if final else steps
    broken = next((step for step in counted if not step.result.validity.verifier_completed), None)
    reasons = [step.reason_code for step in (counted if broken is None else (broken,)) if step.reason_code]
    return Ingested(
        EvaluationResult(
            reward=0.0 if broken is not None else mean([step.result.reward for step in counted]),
            validity=ValidityCheck(
                output_parseable=any(step.result.validity.output_parseable for step in counted),
                schema_valid=all(step.result.validity.schema_valid for step in counted),
                verifier_completed=broken is None,
                errors=[f"step {step.name}: {error}" for step in steps for error in step.result.validity.errors],
            ),
            breakdown=_breakdown(steps),
            error_taxonomy=[tag for step in steps for tag in step.result.error_taxonomy or ()] or None,
        ),
        reasons[0] if reasons else None,
    )


def _breakdown(steps: Sequence[StepResult]) -> dict[str, Any] | None:
    """The breakdown of each step, by its name."""
    return {step.name: step.result.breakdown for step in steps if step.result.breakdown is not None} or None


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
    """The reviewers' current verdicts: of several by one reviewer, the last."""
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
