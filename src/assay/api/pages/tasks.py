"""Tasks and their criteria: list, add, change, and try a criterion against a playground."""

import json
from typing import Any

from pydantic import Field

from assay.api.pages.calls import ServiceCall, add_list
from assay.api.pages.criterion_examples import ASSERTIONS, MEANINGS
from assay.core.errors import InputError, MeasurementError
from assay.dialects.criteria.models import Weight
from assay.dialects.criteria.resources import NewTask, Task, TaskCriterion, Text, Written
from assay.engine.explorer.list_slices import SliceRequest
from assay.engine.service.grading import problem_with
from assay.formats.strict_model import Name, StrictModel
from assay.web.declared_forms import ShownForm, fill_form, read_form
from assay.web.routing import CHANGE, READ, PageAnswer, PageRoutes
from assay.web.task_run_view import CriterionView, view_criterion

routes: PageRoutes[ServiceCall] = PageRoutes()
MOST_PLAYGROUNDS = 100


class TaskForm(NewTask):
    """``instruction`` is what the agent is asked. ``data`` has values that criteria refer to.

    ``timeout_s`` is how long a run may take; without it, there is no limit.
    """

    instruction: Text = Field(default="", json_schema_extra={"format": "multiline"})


class CriterionForm(StrictModel):
    """``label`` says what is checked. ``axis`` groups criteria, such as correctness or safety.

    ``weight`` is how much it counts. ``assertion`` is what must be true; its ``assert`` says where to look.
    """

    label: Name
    axis: Name | None = None
    weight: Weight = 1
    assertion: Written


add_list(routes, "tasks", lambda service: service.tasks, TaskForm, leave_out=("criteria",))


@routes.add("GET", "/tasks/{id}", *READ)
def task(call: ServiceCall) -> PageAnswer:
    """One task with its criteria."""
    found = call.service.tasks.get(call.organisation, call.path["id"])
    return _task(call, found, fill_form(TaskForm, found.model_dump(), ("criteria",)))


@routes.add("POST", "/tasks/{id}", *CHANGE)
def change_task(call: ServiceCall) -> PageAnswer:
    """Change a task; its criteria stay."""
    found = call.service.tasks.get(call.organisation, call.path["id"])
    new, form = read_form(TaskForm, call.form, ("criteria",))
    if new is None:
        return _task(call, found, form)
    call.service.tasks.replace(call.organisation, found.id, new, keep_criteria=True)
    return call.go(call.site.to(f"tasks/{found.id}"))


def _task(call: ServiceCall, found: Task, form: ShownForm) -> PageAnswer:
    criteria = call.service.criteria.in_order(call.organisation, found.id)
    problems = {one.id: problem_with(_own_fields(one), found.data) for one in criteria}
    return call.page(
        "task.html",
        title=found.name,
        status=form.status,
        task=found,
        form=form,
        criteria=criteria,
        problems=problems,
        playgrounds=_playgrounds(call),
    )


def _own_fields(criterion: TaskCriterion) -> dict[str, Any]:
    """A criterion as it was written, without where it belongs."""
    return criterion.model_dump(exclude={"id", "task_id"})


@routes.add("GET", "/tasks/{id}/criterion", *READ)
def new_criterion(call: ServiceCall) -> PageAnswer:
    """The form of a new criterion, with an example in it if one is asked for."""
    found = call.service.tasks.get(call.organisation, call.path["id"])
    example = ASSERTIONS.get(call.query.get("example"))
    return _criterion(call, found, None, fill_form(CriterionForm, {"assertion": example} if example else {}))


@routes.add("POST", "/tasks/{id}/criterion", *CHANGE)
def add_criterion(call: ServiceCall) -> PageAnswer:
    """Add the criterion, or only try it."""
    found = call.service.tasks.get(call.organisation, call.path["id"])
    return _take_form(call, found, None)


@routes.add("GET", "/criteria/{id}", *READ)
def criterion(call: ServiceCall) -> PageAnswer:
    """One criterion, to be changed or tried."""
    found = call.service.criteria.get(call.organisation, call.path["id"])
    task = call.service.tasks.get(call.organisation, found.task_id)
    return _criterion(call, task, found, fill_form(CriterionForm, _own_fields(found)))


@routes.add("POST", "/criteria/{id}", *CHANGE)
def change_criterion(call: ServiceCall) -> PageAnswer:
    """Change the criterion, or only try it."""
    found = call.service.criteria.get(call.organisation, call.path["id"])
    return _take_form(call, call.service.tasks.get(call.organisation, found.task_id), found)


@routes.add("POST", "/criteria/{id}/remove", *CHANGE)
def remove_criterion(call: ServiceCall) -> PageAnswer:
    found = call.service.criteria.get(call.organisation, call.path["id"])
    call.service.criteria.remove(call.organisation, found.id)
    return call.go(call.site.to(f"tasks/{found.task_id}"))


def _take_form(call: ServiceCall, task: Task, found: TaskCriterion | None) -> PageAnswer:
    new, form = read_form(CriterionForm, call.form)
    if new is None:
        return _criterion(call, task, found, form)
    written = new.model_dump(mode="json")
    if call.form.get("action") == "try":
        return _show_trial(call, task, found, form, written)
    problem = problem_with(written, task.data)
    if problem is not None:
        return _criterion(call, task, found, form.wrong("assertion", problem))
    if found is None:
        call.service.criteria.add(call.organisation, task.id, written)
    else:
        call.service.criteria.replace(call.organisation, found.id, written)
    return call.go(call.site.to(f"tasks/{task.id}"))


def _show_trial(
    call: ServiceCall, task: Task, found: TaskCriterion | None, form: ShownForm, written: Written
) -> PageAnswer:
    """How the criterion comes out as it is entered. Nothing is kept of it."""
    try:
        run = call.service.grade.try_out(call.organisation, call.form.get("playground"), written, task.data)
    except (InputError, MeasurementError) as error:
        return _criterion(call, task, found, form, broken=str(error))
    return _criterion(call, task, found, form, tried=view_criterion(run))


def _criterion(
    call: ServiceCall,
    task: Task,
    found: TaskCriterion | None,
    form: ShownForm,
    *,
    tried: CriterionView | None = None,
    broken: str | None = None,
) -> PageAnswer:
    return call.page(
        "criterion.html",
        title="New criterion" if found is None else str(found.label),
        status=422 if broken else form.status,
        task=task,
        criterion=found,
        form=form,
        tried=tried,
        broken=broken,
        playgrounds=_playgrounds(call),
        playground=call.form.get("playground") or call.query.get("playground"),
        examples={kind: (meaning, json.dumps(ASSERTIONS[kind], indent=2)) for kind, meaning in MEANINGS.items()},
    )


def _playgrounds(call: ServiceCall) -> list[tuple[str, str]]:
    """The newest playgrounds, to choose from."""
    rows = call.service.playgrounds.slice(call.organisation, SliceRequest(MOST_PLAYGROUNDS)).rows
    return [(row.id, f"{row.id} · {row.created_at:%Y-%m-%d %H:%M}") for row in rows]
