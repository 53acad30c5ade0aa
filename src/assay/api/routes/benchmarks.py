"""Benchmarks, their versions and runs; tasks and their criteria."""

from datetime import timedelta
from typing import Any

from pydantic import Field

from assay.adapters.store.service.benchmarks import benchmark_of_row, version_of_row
from assay.adapters.store.service.run_rows import run_of_row
from assay.adapters.store.service.tasks import criterion_of_row, task_of_row
from assay.api.answers import Answer, shown, shown_page, unchanging
from assay.api.routing import Call, Routes
from assay.dialects.criteria.models import CriterionRun, StrictModel
from assay.dialects.criteria.resources import (
    Benchmark,
    BenchmarkRun,
    Name,
    NewBenchmark,
    NewBenchmarkRun,
    NewCriterion,
    NewTask,
    NewVersion,
    Status,
    Task,
    TaskCriterion,
    TaskRun,
    Version,
    Written,
)
from assay.engine.service.keys import Owner, Scope, issue_key
from assay.engine.service.try_criterion import try_criterion

routes = Routes()
WRITE = (Scope.ADMIN, Scope.GRADER)
READ = (Scope.ADMIN, Scope.GRADER, Scope.READER)


class StartedBenchmarkRun(StrictModel):
    """A new benchmark run with its task runs. ``token`` is for the agent, and is shown only here."""

    benchmark_run: BenchmarkRun
    task_runs: list[TaskRun]
    token: str = Field(description="may start and complete the task runs of this benchmark run, and nothing else")


class NewTrial(StrictModel):
    """A criterion to be tried: as it would be written in a task, whose data it can refer to if that is named."""

    criterion: Written
    playground_id: Name
    task_id: Name | None = None


class TriedCriterion(StrictModel):
    """How a criterion came out, without being stored."""

    label: str
    assert_: str | None = Field(serialization_alias="assert")
    axis: str | None
    weight: float
    score: float
    passed: bool
    status: str
    details: str
    evidence: dict[str, Any]


@routes.add("POST", "/tasks", *WRITE, body=NewTask, answer=Task, status=201)
def create_task(call: Call) -> Answer:
    """Add a task, with its criteria."""
    return shown(call.service.tasks.add(call.organisation, call.body), 201)


@routes.add("GET", "/tasks", *READ, answer=Task, lists=True)
def list_tasks(call: Call) -> Answer:
    """The tasks, the newest first."""
    asked = call.page
    rows = call.service.tasks.page(call.organisation, asked)
    return shown_page([task_of_row(row) for row in rows.rows], rows, asked.limit)


@routes.add("GET", "/tasks/{id}", *READ, answer=Task, also=(404,))
def get_task(call: Call) -> Answer:
    """One task."""
    return shown(call.service.tasks.task(call.organisation, call.path["id"]))


@routes.add("PUT", "/tasks/{id}", *WRITE, body=NewTask, answer=Task, also=(404,))
def replace_task(call: Call) -> Answer:
    """Change a task with its criteria. Versions and runs that exist keep the task as it was."""
    return shown(call.service.tasks.replace(call.organisation, call.path["id"], call.body))


@routes.add(
    "POST", "/tasks/{id}/criteria", *WRITE, body=NewCriterion, answer=TaskCriterion, status=201, also=(404, 409)
)
def create_criterion(call: Call) -> Answer:
    """Add a criterion to a task. It is kept as it is written; one that can't be used fails when it is graded."""
    return shown(call.service.tasks.add_criterion(call.organisation, call.path["id"], call.body), 201)


@routes.add("GET", "/tasks/{id}/criteria", *READ, answer=TaskCriterion, lists=True, also=(404,))
def list_criteria_of_task(call: Call) -> Answer:
    """The criteria of a task, the newest first."""
    return _criteria(call, call.path["id"])


@routes.add(
    "GET",
    "/criteria",
    *READ,
    answer=TaskCriterion,
    lists=True,
    query={"task_id": "only those of this task"},
    also=(404,),
)
def list_criteria(call: Call) -> Answer:
    """The criteria of all tasks, the newest first."""
    return _criteria(call, call.filter("task_id"))


def _criteria(call: Call, task: str | None) -> Answer:
    asked = call.page
    rows = call.service.tasks.criteria(call.organisation, task, asked)
    return shown_page([criterion_of_row(row) for row in rows.rows], rows, asked.limit)


@routes.add("GET", "/criteria/{id}", *READ, answer=TaskCriterion, also=(404,))
def get_criterion(call: Call) -> Answer:
    """One criterion of a task."""
    return shown(call.service.tasks.criterion(call.organisation, call.path["id"]))


@routes.add("PUT", "/criteria/{id}", *WRITE, body=NewCriterion, answer=TaskCriterion, also=(404,))
def replace_criterion(call: Call) -> Answer:
    """Change a criterion of a task. Versions and runs that exist keep it as it was."""
    return shown(call.service.tasks.replace_criterion(call.organisation, call.path["id"], call.body))


@routes.add("DELETE", "/criteria/{id}", *WRITE, status=204, also=(404,))
def delete_criterion(call: Call) -> Answer:
    """Remove a criterion from its task. Versions and runs that exist keep it."""
    call.service.tasks.remove_criterion(call.organisation, call.path["id"])
    return Answer(204, b"")


@routes.add("POST", "/criteria/try", *WRITE, body=NewTrial, answer=TriedCriterion, also=(404,))
def try_out_criterion(call: Call) -> Answer:
    """Hold a criterion against a playground as it is now. No run is graded, and neither of them changes."""
    service, new = call.service, call.body
    task = None if new.task_id is None else service.tasks.task(call.organisation, new.task_id)
    data = {} if task is None else task.data
    run = try_criterion(service.try_out, call.organisation, new.playground_id, new.criterion, data)
    return shown(tried_answer(run))


def tried_answer(run: CriterionRun) -> dict[str, object]:
    """How a criterion came out that belongs to no run."""
    return run.model_dump(mode="json", by_alias=True, include=set(TriedCriterion.model_fields))


@routes.add("POST", "/benchmarks", *WRITE, body=NewBenchmark, answer=Benchmark, status=201, also=(409,))
def create_benchmark(call: Call) -> Answer:
    """Add a benchmark. It can be run once it has a version."""
    return shown(call.service.benchmarks.add(call.organisation, call.body), 201)


@routes.add("GET", "/benchmarks", *READ, answer=Benchmark, lists=True)
def list_benchmarks(call: Call) -> Answer:
    """The benchmarks, the newest first."""
    asked = call.page
    rows = call.service.benchmarks.page(call.organisation, asked)
    return shown_page([benchmark_of_row(row) for row in rows.rows], rows, asked.limit)


@routes.add("GET", "/benchmarks/{id}", *READ, answer=Benchmark, also=(404,))
def get_benchmark(call: Call) -> Answer:
    """One benchmark, by its id or its slug."""
    return shown(call.service.benchmarks.benchmark(call.organisation, call.path["id"]))


@routes.add("POST", "/benchmarks/{id}/versions", *WRITE, body=NewVersion, answer=Version, status=201, also=(404,))
def create_version(call: Call) -> Answer:
    """Freeze tasks as the next version of a benchmark."""
    return shown(call.service.benchmarks.add_version(call.organisation, call.path["id"], call.body), 201)


@routes.add("GET", "/benchmarks/{id}/versions", *READ, answer=Version, lists=True, also=(404,))
def list_versions(call: Call) -> Answer:
    """The versions of a benchmark, the newest first."""
    asked = call.page
    slug, rows = call.service.benchmarks.versions(call.organisation, call.path["id"], asked)
    return shown_page([version_of_row(row, slug) for row in rows.rows], rows, asked.limit)


@routes.add("GET", "/benchmarks/{id}/versions/{version}", *READ, answer=Version, also=(404,))
def get_version(call: Call) -> Answer:
    """One version of a benchmark, by its number."""
    benchmark = call.service.benchmarks.benchmark(call.organisation, call.path["id"])
    return unchanging(
        call.service.benchmarks.version(call.organisation, f"{benchmark.slug}@{call.path['version']}")
    )


@routes.add(
    "POST",
    "/benchmark-runs",
    *WRITE,
    body=NewBenchmarkRun,
    answer=StartedBenchmarkRun,
    status=201,
    also=(404,),
)
def create_benchmark_run(call: Call) -> Answer:
    """Create a run of all tasks of a version, with a token for the agent."""
    service, new = call.service, call.body
    version = service.benchmarks.version(call.organisation, new.benchmark)
    run = service.runs.add_benchmark_run(call.organisation, version, new)
    ends = service.host.now() + timedelta(seconds=new.token_s)
    issued = issue_key(service.keys, service.host, Owner(call.organisation, run), Scope.RUN, f"run {run}", ends)
    return shown(
        {
            "benchmark_run": service.benchmarks.run(call.organisation, run),
            "task_runs": service.runs.of_benchmark_run(call.organisation, run),
            "token": issued.secret,
        },
        201,
    )


@routes.add("GET", "/benchmark-runs", *READ, answer=BenchmarkRun, lists=True)
def list_benchmark_runs(call: Call) -> Answer:
    """The benchmark runs, the newest first."""
    asked = call.page
    rows = call.service.benchmarks.runs(call.organisation, asked)
    return shown_page(call.service.benchmarks.shown(rows), rows, asked.limit)


@routes.add("GET", "/benchmark-runs/{id}", *READ, answer=BenchmarkRun, also=(404,))
def get_benchmark_run(call: Call) -> Answer:
    """One benchmark run. It has a score once every task run has ended."""
    run = call.service.benchmarks.run(call.organisation, call.path["id"])
    return shown(run) if run.status is Status.ACTIVE else unchanging(run)


@routes.add("GET", "/benchmark-runs/{id}/task-runs", *READ, answer=TaskRun, lists=True, also=(404,))
def list_task_runs_of_benchmark_run(call: Call) -> Answer:
    """The task runs of a benchmark run, the newest first."""
    asked = call.page
    run = call.service.benchmarks.run(call.organisation, call.path["id"])
    rows = call.service.runs.page(Owner(call.organisation), asked, benchmark_run=run.id)
    return shown_page([run_of_row(row) for row in rows.rows], rows, asked.limit)
