"""Benchmark runs: the list, and one of them with its mean, what that is of, and its task runs."""

from assay.api.pages.calls import ServiceCall, asked_for, grading_tabs, list_page
from assay.api.pages.task_runs import names_of
from assay.dialects.criteria.resources import NewBenchmarkRun
from assay.web.declared_forms import read_form
from assay.web.routing import CHANGE, READ, PageAnswer, PageRoutes, trouble

routes: PageRoutes[ServiceCall] = PageRoutes()


@routes.add("GET", "/benchmark-runs", *READ)
def benchmark_runs(call: ServiceCall) -> PageAnswer:
    """All benchmark runs, the newest first."""
    rows = call.service.benchmark_runs.slice(call.organisation, asked_for(call))
    tabs = grading_tabs(call)
    return list_page(call, "benchmark_runs.html", "Benchmark runs", rows, runs=rows.rows, tabs=tabs)


@routes.add("GET", "/benchmark-runs/{id}", *READ)
def benchmark_run(call: ServiceCall) -> PageAnswer:
    """One benchmark run."""
    run = call.service.benchmark_runs.get(call.organisation, call.path["id"])
    task_runs = call.service.runs.of_benchmark_run(call.organisation, run.id)
    return call.page(
        "benchmark_run.html",
        title=f"Run of {run.benchmark}",
        run=run,
        counted=run.counts.completed + run.counts.failed + run.counts.timed_out,
        task_runs=task_runs,
        names=names_of(call, task_runs),
    )


@routes.add("POST", "/benchmark-runs", *CHANGE)
def add_benchmark_run(call: ServiceCall) -> PageAnswer:
    """A run of all tasks of a version. The token for the agent is shown once, on the page that follows."""
    new, form = read_form(NewBenchmarkRun, call.form)
    if new is None:
        return trouble(call, 422, " ".join(form.errors.values()))
    run, secret = call.service.benchmark_runs.begin(call.organisation, new)
    return call.go(call.site.to(f"benchmark-runs/{run}"), secret)
