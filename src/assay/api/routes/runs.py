"""Runs of every kind: find them, read their gradings and EvaluationResults, and note what reviewers say."""

from dataclasses import replace
from datetime import datetime
from typing import Any, Final, Literal, Self

from msgspec.structs import fields
from pydantic import ConfigDict, Field, create_model, model_validator

from assay.api.routing import ApiCall, Routes, always
from assay.api.service import Service
from assay.dialects.criteria.resources import Status, Text
from assay.dialects.evaluation.models import Annotation, EvaluationResult
from assay.engine.explorer.run_query import FILTERS, SHAPES, parse_run_query
from assay.engine.service.errors import ConflictError
from assay.engine.service.evaluation_results import (
    EvaluationResultResource,
    result_of_artifacts,
    run_id_of,
    run_of_result,
)
from assay.evidence.run import Run
from assay.formats.strict_model import Name, StrictModel

routes = Routes()
# Task runs are runs of the explorer, so what reviewers say about them is kept there.
of_task_runs = Routes()
GIVEN: Final = "given"
VERIFIER: Final = "verifier"
_LISTED = {"sort": SHAPES["sort"], "columns": SHAPES["columns"], **FILTERS}


_SHOWN: Final = Run(job="", name="", task="").shown().keys()
# NaN and infinite numbers are null in JSON.
_AS_JSON: Final = {
    "rewards": dict[str, float | int | None] | None,
    "axes": dict[str, float | None],
    "created_at": datetime,
}
_FIELDS: Final[dict[str, Any]] = {
    one.name: (_AS_JSON.get(one.name, one.type), ...) for one in fields(Run) if one.name in _SHOWN
}
_MEANING: Final = (
    "A trial of a job, a coding run or a task run. NaN and infinite rewards are null here; the store has them."
)
RunResource: Final = create_model("RunResource", __base__=StrictModel, __doc__=_MEANING, **_FIELDS)


class Group(StrictModel):
    """The runs with one value of a field. ``states`` adds up to ``runs``; ``scored`` are those that have a score.

    ``mean`` and ``pass_share`` are over the scored ones.
    """

    value: str | None
    runs: int
    states: dict[str, int]
    scored: int
    mean: float | None
    passed: int
    pass_share: float | None


class NewAnnotation(StrictModel):
    """A reviewer's verdict: pass, fail or defer."""

    reviewer_id: Name
    reviewer_discipline: Name | None = None
    judgment: Literal["pass", "fail", "defer"]
    categories: list[Name] = Field(default_factory=list, max_length=100)
    notes: Text | None = None


class AnnotationResource(Annotation):
    """A reviewer's verdict on a run. It stands beside the reward and never replaces it."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    id: str
    run_id: str


@routes.lists("/runs", RunResource, query=_LISTED)
def list_runs(call: ApiCall) -> Any:
    """Runs of every kind, the newest first unless another order is asked for."""
    return call.service.imports.slice(call.organisation, parse_run_query(call.pairs)).each(Run.shown)


@routes.get("/runs/groups", list[Group], query={"by": f"{SHAPES['by']} (default: task)", **FILTERS})
def group_runs(call: ApiCall) -> Any:
    """How many runs there are for each value of a field, the mean of their scores, and how many pass."""
    return call.service.imports.groups(call.organisation, parse_run_query(call.pairs))


@routes.get("/runs/{id}", RunResource)
def get_run(call: ApiCall) -> Any:
    """One run."""
    return call.service.imports.run(call.organisation, call.id).shown()


@routes.get("/runs/{id}/gradings", list[dict[str, Any]], noted=True)
def list_gradings(call: ApiCall) -> Any:
    """The gradings of a run, the oldest first."""
    return call.service.imports.gradings(call.organisation, call.id)


@routes.post("/runs/{id}/annotations", AnnotationResource, body=NewAnnotation, status=201)
def annotate_run(call: ApiCall) -> Any:
    """Note a reviewer's verdict on a run."""
    return annotate(call.service, call.organisation, call.id, call.body)


def annotate(service: Service, organisation: str, run: str, new: NewAnnotation) -> dict[str, Any]:
    """Keep a reviewer's verdict, with the time."""
    record = {**new.model_dump(), "timestamp": service.host.now().isoformat()}
    whole = Annotation.model_validate(record).model_dump(mode="json")
    return service.imports.annotate(organisation, run, whole)


@routes.lists("/runs/{id}/annotations", AnnotationResource)
def list_annotations(call: ApiCall) -> Any:
    """Reviewers' annotations of a run, newest first."""
    return call.service.imports.annotations(call.organisation, call.id, call.slice)


@of_task_runs.post(
    "/task-runs/{id}/annotations", AnnotationResource, body=NewAnnotation, status=201, also=(404, 409)
)
def annotate_task_run(call: ApiCall) -> Any:
    """Note a reviewer's verdict on a task run that has ended."""
    return annotate_run(_of_run(call))


@of_task_runs.lists("/task-runs/{id}/annotations", AnnotationResource, also=(404, 409))
def list_task_run_annotations(call: ApiCall) -> Any:
    """Reviewers' annotations of a task run that has ended, newest first."""
    return list_annotations(_of_run(call))


def _of_run(call: ApiCall) -> ApiCall:
    """The same about the run that the task run is. Raises ``NotFoundError``, ``ConflictError``."""
    run = call.service.runs.task_run(call.key.owner, call.id)
    if run.status is Status.ACTIVE:
        raise ConflictError(f"the task run must have ended, but it is {run.status.value}")
    identity = run_id_of(call.service.storage, call.organisation, run.benchmark_run_id or "", run.id)
    return replace(call, path={**call.path, "id": identity})


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
    run = _run_of(call, result, reason)
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


def _run_of(call: ApiCall, result: EvaluationResult, reason: str | None) -> str:
    """The id of the run. Raises ``NotFoundError``, ``ConflictError`` for a trial with another result."""
    service, told = call.service, call.body
    if told.run_id is not None:
        return service.imports.run(call.organisation, told.run_id).id
    run = run_of_result(told.trial.model_dump(), result, reason)
    service.imports.add_runs(call.organisation, [run])
    return run_id_of(service.storage, call.organisation, told.trial.job, told.trial.name)
