"""Benchmark runs: the list, and one of them with its mean, what that is of, and its task runs."""

from datetime import timedelta

from assay.api.pages.calls import ServiceCall
from assay.api.pages.lists import around, asked_for, grading_tabs
from assay.api.pages.task_runs import names_of
from assay.dialects.criteria.resources import NewBenchmarkRun
from assay.engine.service.keys import Owner, Scope, issue_key
from assay.engine.service.task_run_view import BenchmarkView
from assay.web.model_forms import sent
from assay.web.routing import CHANGE, READ, PageAnswer, PageRoutes, trouble

routes: PageRoutes[ServiceCall] = PageRoutes()


@routes.add("GET", "/benchmark-runs", *READ)
def benchmark_runs(call: ServiceCall) -> PageAnswer:
    """All benchmark runs, the newest first."""
    rows = call.service.benchmarks.runs(call.organisation, asked_for(call))
    found = call.service.benchmarks.shown(rows)
    return call.page(
        "benchmark_runs.html",
        title="Benchmark runs",
        runs=found,
        around=around(call, rows),
        tabs=grading_tabs(call),
    )


@routes.add("GET", "/benchmark-runs/{id}", *READ)
def benchmark_run(call: ServiceCall) -> PageAnswer:
    """One benchmark run."""
    return _shown(call, call.path["id"])


@routes.add("POST", "/benchmark-runs", *CHANGE)
def add_benchmark_run(call: ServiceCall) -> PageAnswer:
    """A run of all tasks of a version. The token for the agent is shown once, on the page that answers."""
    new = sent(NewBenchmarkRun, call.form)
    if new.value is None:
        return trouble(call, 422, " ".join(new.form.errors.values()))
    service = call.service
    version = service.benchmarks.version(call.organisation, new.value.benchmark)
    run = service.runs.add_benchmark_run(call.organisation, version, new.value)
    ends = service.host.now() + timedelta(seconds=new.value.token_s)
    issued = issue_key(service.keys, service.host, Owner(call.organisation, run), Scope.RUN, f"run {run}", ends)
    return _shown(call, run, issued.secret)


def _shown(call: ServiceCall, identity: str, secret: str | None = None) -> PageAnswer:
    run = call.service.benchmarks.run(call.organisation, identity)
    task_runs = call.service.runs.of_benchmark_run(call.organisation, run.id)
    names = names_of(call, task_runs)
    view = BenchmarkView(run, [(one, names[one.id]) for one in task_runs])
    return call.page("benchmark_run.html", title=f"Run of {run.benchmark}", view=view, secret=secret)
