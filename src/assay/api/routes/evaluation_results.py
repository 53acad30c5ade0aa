"""EvaluationResults of runs: given as they are, or made from what a verifier wrote."""

from typing import Any, Final, Self

from pydantic import Field, model_validator

from assay.api.routing import ApiCall, Routes, always
from assay.dialects.criteria.resources import Text
from assay.dialects.evaluation.models import EvaluationResult
from assay.engine.service.evaluation_results import (
    EvaluationResultResource,
    result_of_artifacts,
    run_id_of,
    run_of_result,
)
from assay.formats.strict_model import Name, StrictModel

routes = Routes()
GIVEN: Final = "given"
VERIFIER: Final = "verifier"


class ResultOwner(StrictModel):
    """The trial that a result is of. One that isn't known yet is added."""

    job: Name
    name: Name
    task: Name
    agent: Name
    model: Name | None = None
    dataset: Text = Field(default="", max_length=150)


class VerifierArtifacts(StrictModel):
    """The files that a verifier wrote, as texts; one that is left out wasn't written. And how it ended."""

    reward_json: str | None = Field(default=None, max_length=1_000_000)
    reward_txt: str | None = Field(default=None, max_length=1_000_000)
    details_json: str | None = Field(default=None, max_length=1_000_000)
    exit_code: int | None = 0
    timed_out: bool = False


class NewEvaluationResult(StrictModel):
    """A result, or the artifacts that it is made from; and the run that it is of, by its id or as a trial."""

    run_id: str | None = Field(default=None, min_length=1, max_length=200)
    trial: ResultOwner | None = None
    result: EvaluationResult | None = None
    verifier: VerifierArtifacts | None = None

    @model_validator(mode="after")
    def _one_of_each(self) -> Self:
        if (self.run_id is None) == (self.trial is None):
            raise ValueError("must have either run_id or trial")
        if (self.result is None) == (self.verifier is None):
            raise ValueError("must have either result or verifier")
        return self


@routes.post(
    "/evaluation-results",
    EvaluationResultResource,
    body=NewEvaluationResult,
    also=(404, 409),
    location="/evaluation-results",
)
def create_evaluation_result(call: ApiCall) -> Any:
    """Put an EvaluationResult on a run, or have one made from a verifier's reward.json and details.json.

    Output that can't be parsed forbids a reward above 0. A reward that is missing or unusable is 0.0 with
    verifier_completed = false and a reason code, and such a trial has no score.
    """
    service, body = call.service, call.body
    if body.result is not None:
        result, reason, origin = body.result, None, GIVEN
    else:
        made = result_of_artifacts(**body.verifier.model_dump())
        result, reason, origin = made.result, made.reason_code, VERIFIER
    run = _run(call, result, reason)
    return service.evaluations.add(call.organisation, run, origin, result, reason)


routes.resource(
    "/evaluation-results",
    EvaluationResultResource,
    lambda service: service.evaluations,
    filters={"run_id": ("run", "only those of this run")},
    final=always,
    list_evaluation_results="EvaluationResults, the newest first.",
    get_evaluation_result="One EvaluationResult. It never changes.",
)


def _run(call: ApiCall, result: EvaluationResult, reason: str | None) -> str:
    """The id of the run. Raises ``NotFoundError``, ``ConflictError`` for a trial with another result."""
    service, told = call.service, call.body
    if told.run_id is not None:
        return service.imports.run(call.organisation, told.run_id).id
    run = run_of_result(told.trial.model_dump(), result, reason)
    service.imports.add_runs(call.organisation, [run])
    return run_id_of(service.storage, call.organisation, told.trial.job, told.trial.name)
