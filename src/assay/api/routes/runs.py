"""Runs of jobs that were imported: find them, read their gradings, and note what reviewers say."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from assay.adapters.store.service.run_values import run_of_row
from assay.api.answers import Answer, shown, shown_page
from assay.api.routing import Call, Routes
from assay.dialects.criteria.models import StrictModel
from assay.dialects.criteria.resources import Name, Text
from assay.dialects.evaluation.models import Annotation
from assay.engine.service.keys import Scope
from assay.engine.service.run_query import FILTERS, SHAPES, parse_run_query

routes = Routes()
WRITE = (Scope.ADMIN, Scope.GRADER)
READ = (Scope.ADMIN, Scope.GRADER, Scope.READER)
_LISTED = {"sort": SHAPES["sort"], "columns": SHAPES["columns"], **FILTERS}


class RunResource(StrictModel):
    """A trial of a job, a coding run or a task run. NaN and infinite rewards are null here; the store has them."""

    id: str
    kind: str
    job: str
    name: str
    task: str
    agent: str
    model: str | None
    dataset: str
    state: str
    reason: str | None
    cause: str | None
    checks: str | None
    judge: str | None
    run_status: str | None
    run_metrics_passed: bool | None
    validity: str | None
    failure_mode: str | None
    rewards: dict[str, float | int | None] | None
    score: float | None
    axes: dict[str, float | None]
    exception_type: str | None
    duration_sec: float | None
    cost_usd: float | None
    tokens: int | None
    metadata: dict[str, Any]
    gates_disagree: bool
    reviewers: int
    reviewer_disagrees: bool
    started_at: str | None
    finished_at: str | None
    began_at: datetime | None
    created_at: datetime


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


class AnnotationResource(StrictModel):
    """A reviewer's verdict on a run. It stands beside the reward and never replaces it."""

    id: str
    run_id: str
    reviewer_id: str
    reviewer_discipline: str | None
    timestamp: datetime
    judgment: str
    categories: list[str]
    notes: str | None


@routes.add("GET", "/runs", *READ, answer=RunResource, lists=True, query=_LISTED)
def list_runs(call: Call) -> Answer:
    """Runs of every kind, the newest first unless another order is asked for."""
    asked = parse_run_query(call.pairs)
    rows = call.service.imports.page(call.organisation, asked)
    return shown_page([run_of_row(row).shown() for row in rows.rows], rows, asked.page.limit)


@routes.add(
    "GET",
    "/runs/groups",
    *READ,
    answer=list[Group],
    query={"by": f"{SHAPES['by']} (default: task)", **FILTERS},
)
def group_runs(call: Call) -> Answer:
    """How many runs there are for each value of a field, the mean of their scores, and how many pass."""
    return shown(call.service.imports.groups(call.organisation, parse_run_query(call.pairs)))


@routes.add("GET", "/runs/{id}", *READ, answer=RunResource, also=(404,))
def get_run(call: Call) -> Answer:
    """One run."""
    return shown(call.service.imports.run(call.organisation, call.path["id"]).shown())


@routes.add("GET", "/runs/{id}/gradings", *READ, answer=list[dict[str, Any]], also=(404,))
def list_gradings(call: Call) -> Answer:
    """The gradings of a run, the oldest first."""
    return shown(call.service.imports.gradings(call.organisation, call.path["id"]))


@routes.add(
    "POST",
    "/runs/{id}/annotations",
    *WRITE,
    body=NewAnnotation,
    answer=AnnotationResource,
    status=201,
    also=(404,),
)
def annotate_run(call: Call) -> Answer:
    """Note a reviewer's verdict on a run."""
    record = {**call.body.model_dump(), "timestamp": call.service.host.now().isoformat()}
    whole = Annotation.model_validate(record).model_dump(mode="json")
    return shown(call.service.imports.annotate(call.organisation, call.path["id"], whole), 201)


@routes.add("GET", "/runs/{id}/annotations", *READ, answer=AnnotationResource, lists=True, also=(404,))
def list_annotations(call: Call) -> Answer:
    """What reviewers said about a run, the newest first."""
    asked = call.page
    rows = call.service.imports.annotations(call.organisation, call.path["id"], asked)
    return shown_page([{"id": row.id, "run_id": row.run, **row.record} for row in rows.rows], rows, asked.limit)
