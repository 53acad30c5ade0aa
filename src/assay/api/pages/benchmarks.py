"""Benchmarks and their versions: list, add, freeze tasks as a version, and begin a run."""

from assay.api.pages.calls import ServiceCall, add_list, asked_for, grading_tabs, list_page
from assay.core.errors import InputError
from assay.dialects.criteria.resources import Benchmark, NewBenchmark, NewVersion
from assay.engine.explorer.list_slices import SliceRequest
from assay.web.routing import CHANGE, READ, PageAnswer, PageRoutes

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
