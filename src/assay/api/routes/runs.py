"""Runs of jobs that were imported: find them, read their gradings, and note what reviewers say."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from assay.adapters.store.service.imported import FILTERS, run_of_row
from assay.api.answers import Answer, shown, shown_page
from assay.api.routing import Call, Routes
from assay.dialects.criteria.models import StrictModel
from assay.dialects.criteria.resources import Name, Text
from assay.dialects.evaluation.models import Annotation
from assay.engine.service.keys import Scope

routes = Routes()
WRITE = (Scope.ADMIN, Scope.GRADER)
READ = (Scope.ADMIN, Scope.GRADER, Scope.READER)
_MEANINGS = {name: f"only runs with this {name.replace('_', ' ')}" for name in FILTERS}


class RunResource(StrictModel):
    """A trial of a job. NaN and infinite rewards are null here; the store has them."""

    id: str
    job: str
    name: str
    task: str
    agent: str
    model: str | None
    dataset: str
    status: str
    rewards: dict[str, float | int | None] | None
    score: float | None
    reason_code: str | None
    exception_type: str | None
    cost_usd: float | None
    started_at: str | None
    finished_at: str | None
    created_at: datetime


class Group(StrictModel):
    """The runs with one value of a field. ``mean`` is that of the scored ones."""

    value: str | None
    runs: int
    scored: int
    mean: float | None


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


@routes.add("GET", "/runs", *READ, answer=RunResource, lists=True, query=_MEANINGS)
def list_runs(call: Call) -> Answer:
    """Imported runs, the newest first."""
    asked = call.page
    rows = call.service.imports.page(call.organisation, _wanted(call), asked)
    return shown_page([run_of_row(row) for row in rows.rows], rows, asked.limit)


@routes.add(
    "GET",
    "/runs/groups",
    *READ,
    answer=list[Group],
    query={"by": f"the field to group by: {', '.join(FILTERS)} (default: task)", **_MEANINGS},
)
def group_runs(call: Call) -> Answer:
    """How many runs there are for each value of a field, and the mean of their scores."""
    return shown(call.service.imports.groups(call.organisation, call.filter("by") or "task", _wanted(call)))


@routes.add("GET", "/runs/{id}", *READ, answer=RunResource, also=(404,))
def get_run(call: Call) -> Answer:
    """One imported run."""
    return shown(call.service.imports.run(call.organisation, call.path["id"]))


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


def _wanted(call: Call) -> dict[str, str | None]:
    return {name: call.filter(name) for name in FILTERS}
