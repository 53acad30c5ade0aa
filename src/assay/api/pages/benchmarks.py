"""Benchmarks and their versions: list, add, freeze tasks as a version, and begin a run."""

from assay.api.pages.calls import ServiceCall, asked_for, grading_tabs, list_page
from assay.core.errors import InputError
from assay.dialects.criteria.resources import Benchmark, NewBenchmark, NewVersion
from assay.engine.explorer.list_slices import SliceRequest
from assay.engine.service.errors import ConflictError
from assay.web.model_forms import ShownForm, blank_form, read_form
from assay.web.routing import CHANGE, READ, PageAnswer, PageRoutes

routes: PageRoutes[ServiceCall] = PageRoutes()
MOST_TASKS = 100


@routes.add("GET", "/benchmarks", *READ, word="Benchmarks")
def benchmarks(call: ServiceCall) -> PageAnswer:
    """All benchmarks, the newest first."""
    return _benchmarks(call, blank_form(NewBenchmark))


def _benchmarks(call: ServiceCall, form: ShownForm, status: int = 200) -> PageAnswer:
    rows = call.service.benchmarks.slice(call.organisation, asked_for(call))
    shown = {"benchmarks": rows.rows, "form": form, "tabs": grading_tabs(call)}
    return list_page(call, "benchmarks.html", "Benchmarks", rows, status=status, **shown)


@routes.add("POST", "/benchmarks", *CHANGE)
def add_benchmark(call: ServiceCall) -> PageAnswer:
    new = read_form(NewBenchmark, call.form)
    if new.value is None:
        return _benchmarks(call, new.form, 422)
    try:
        made = call.service.benchmarks.add(call.organisation, new.value)
    except ConflictError as error:
        return _benchmarks(call, new.form.wrong("slug", str(error)), 422)
    return call.go(call.site.to(f"benchmarks/{made.slug}"))


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
