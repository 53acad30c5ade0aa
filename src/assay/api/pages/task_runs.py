"""Task runs: the list, and one of them with its criteria, its evidence and what its playground recorded."""

from collections.abc import Callable, Sequence

from assay.api.pages.calls import ServiceCall, asked_for, grading_tabs, list_page
from assay.core.errors import MeasurementError
from assay.dialects.criteria.resources import NewTaskRun, Status, TaskRun
from assay.engine.report.charts import axes_svg
from assay.engine.service.keys import Owner
from assay.engine.service.task_runs import cancel_task_run, end_overdue, start_task_run
from assay.web.declared_forms import read_form
from assay.web.rendering import picture
from assay.web.routing import CHANGE, READ, PageAnswer, PageRoutes, trouble
from assay.web.task_run_view import view_task_run

routes: PageRoutes[ServiceCall] = PageRoutes()
FILTERS = {"status": "status", "verdict": "verdict", "task": "task_id", "benchmark_run": "benchmark_run_id"}


@routes.add("GET", "/task-runs", *READ)
def task_runs(call: ServiceCall) -> PageAnswer:
    """All task runs, the newest first."""
    wanted = {name: call.query.get(name) for name in FILTERS}
    given = {name: value or None for name, value in wanted.items()}
    rows = call.service.runs.slice(call.organisation, asked_for(call), **given)
    return list_page(
        call,
        "task_runs.html",
        "Task runs",
        rows,
        {name: value for name, value in wanted.items() if value},
        runs=rows.rows,
        names=names_of(call, rows.rows),
        wanted=wanted,
        tabs=grading_tabs(call),
        statuses=[one.value for one in Status],
    )


def names_of(call: ServiceCall, runs: Sequence[TaskRun]) -> dict[str, str]:
    """The names of runs' tasks, as they were frozen."""
    return {run.id: call.service.runs.snapshot(call.organisation, run.snapshot).name for run in runs}


@routes.add("GET", "/task-runs/{id}", *READ)
def task_run(call: ServiceCall) -> PageAnswer:
    """One task run."""
    service, owner = call.service, _owner(call)
    run = service.runs.task_run(owner, call.path["id"])
    end_overdue(service.runs, call.organisation, run, service.host.now())
    view = view_task_run(service.runs, service.records, owner, run.id)
    axes = view.run.axes or {}
    return call.page(
        "task_run.html",
        title=view.task.name,
        view=view,
        chart=picture(axes_svg(axes)) if len(axes) > 1 or (axes and "__default__" not in axes) else None,
    )


@routes.add("POST", "/task-runs", *CHANGE)
def add_task_run(call: ServiceCall) -> PageAnswer:
    """A new run of a task, with an empty playground unless one is named."""
    new, form = read_form(NewTaskRun, call.form)
    if new is None:
        return trouble(call, 422, " ".join(form.errors.values()))
    run = call.service.runs.add(call.organisation, new)
    return call.go(call.site.to(f"task-runs/{run.id}"))


@routes.add("POST", "/task-runs/{id}/start", *CHANGE)
def start_run(call: ServiceCall) -> PageAnswer:
    return _after_change(call, lambda: start_task_run(call.service.runs, _owner(call), call.path["id"]))


@routes.add("POST", "/task-runs/{id}/complete", *CHANGE)
def complete_run(call: ServiceCall) -> PageAnswer:
    """Grade a started run now."""
    return _after_change(call, lambda: call.service.complete(_owner(call), call.path["id"]))


@routes.add("POST", "/task-runs/{id}/cancel", *CHANGE)
def cancel_run(call: ServiceCall) -> PageAnswer:
    reason = call.form.get("reason") or None
    return _after_change(call, lambda: cancel_task_run(call.service.runs, _owner(call), call.path["id"], reason))


def _owner(call: ServiceCall) -> Owner:
    return Owner(call.organisation)


def _after_change(call: ServiceCall, change: Callable[[], object]) -> PageAnswer:
    """Back to the run, or why it can't be done. A source that is down scores nothing."""
    try:
        change()
    except MeasurementError as error:
        return trouble(call, 503, f"{error}; nothing is scored, and the run can be completed again")
    return call.go(call.site.to(f"task-runs/{call.path['id']}"))
