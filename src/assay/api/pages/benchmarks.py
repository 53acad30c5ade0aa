"""Benchmarks and their versions: list, add, freeze tasks as a version, and begin a run; and all of these runs."""

from assay.api.pages.calls import ServiceCall, add_list, asked_for, grading_tabs, list_page
from assay.api.pages.task_runs import names_of
from assay.core.errors import InputError
from assay.dialects.criteria.resources import Benchmark, NewBenchmark, NewBenchmarkRun, NewVersion
from assay.engine.explorer.list_slices import SliceRequest
from assay.web.declared_forms import read_form
from assay.web.routing import CHANGE, READ, PageAnswer, PageRoutes, trouble

routes: PageRoutes[ServiceCall] = PageRoutes()
MOST_TASKS = 100


add_list(routes, "benchmarks", lambda service: service.benchmarks, NewBenchmark, key="slug", tabs=grading_tabs)


@routes.add("GET", "/benchmarks/{id}", *READ)
def benchmark(call: ServiceCall) -> PageAnswer:
    """One benchmark with its versions."""
    return _benchmark(call, call.service.benchmarks.get(call.organisation, call.path["id"]))


@routes.add("POST", "/benchmarks/{id}/versions", *CHANGE)
def add_version(call: ServiceCall) -> PageAnswer:
    """Freeze the chosen tasks as the next version."""
    found = call.service.benchmarks.get(call.organisation, call.path["id"])
    chosen = call.form.all("task")
    if not chosen:
        return _benchmark(call, found, "choose at least one task")
    try:
        call.service.versions.add(call.organisation, found.id, NewVersion(tasks=chosen))
    except InputError as error:
        return _benchmark(call, found, str(error))
    return call.go(call.site.to(f"benchmarks/{found.slug}"))


def _benchmark(call: ServiceCall, found: Benchmark, wrong: str = "") -> PageAnswer:
    rows = call.service.versions.within(call.organisation, found.id, asked_for(call))
    return list_page(
        call,
        "benchmark.html",
        found.name,
        rows,
        status=422 if wrong else 200,
        benchmark=found,
        versions=rows.rows,
        tasks=call.service.tasks.slice(call.organisation, SliceRequest(MOST_TASKS)).rows,
        chosen=set(call.form.all("task")),
        wrong=wrong,
    )


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
