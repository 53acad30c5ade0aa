"""The one result of a trial with several steps, from the results of its steps.

The steps that count are all that ran, with the mean of their rewards, or only the last one. If one of them has no
usable reward, the trial has none: a measurement that broke halfway doesn't say how good the whole is. A step whose
output can't be parsed counts as 0; only if that is so for all of them, the trial's output isn't parseable either.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.core.total import mean
from assay.dialects.evaluation.ingest import Ingested
from assay.dialects.evaluation.models import EvaluationResult, ValidityCheck


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
