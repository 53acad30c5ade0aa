"""Benchmarks, their versions and runs; tasks and their criteria."""

from datetime import timedelta
from typing import Any

from pydantic import Field

from assay.api.answers import unchanging
from assay.api.routing import Call, Routes
from assay.api.service import Service
from assay.dialects.criteria.models import CriterionRun
from assay.dialects.criteria.resources import (
    Benchmark,
    BenchmarkRun,
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
from assay.formats.strict_model import Name, StrictModel

routes = Routes()


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


@routes.post("/tasks", Task, body=NewTask, status=201)
def create_task(call: Call) -> Any:
    """Add a task, with its criteria."""
    return call.service.tasks.add(call.organisation, call.body)


@routes.lists("/tasks", Task)
def list_tasks(call: Call) -> Any:
    """The tasks, the newest first."""
    return call.service.tasks.page(call.organisation, call.page)


@routes.get("/tasks/{id}", Task)
def get_task(call: Call) -> Any:
    """One task."""
    return call.service.tasks.task(call.organisation, call.id)


@routes.put("/tasks/{id}", Task, body=NewTask)
def replace_task(call: Call) -> Any:
    """Change a task with its criteria. Versions and runs that exist keep the task as it was."""
    return call.service.tasks.replace(call.organisation, call.id, call.body)


@routes.post("/tasks/{id}/criteria", TaskCriterion, body=NewCriterion, status=201, also=(404, 409))
def create_criterion(call: Call) -> Any:
    """Add a criterion to a task. It is kept as it is written; one that can't be used fails when it is graded."""
    return call.service.tasks.add_criterion(call.organisation, call.id, call.body)


@routes.lists("/tasks/{id}/criteria", TaskCriterion)
def list_criteria_of_task(call: Call) -> Any:
    """The criteria of a task, the newest first."""
    return call.service.tasks.criteria(call.organisation, call.id, call.page)


@routes.lists("/criteria", TaskCriterion, query={"task_id": "only those of this task"}, also=(404,))
def list_criteria(call: Call) -> Any:
    """The criteria of all tasks, the newest first."""
    return call.service.tasks.criteria(call.organisation, call.filter("task_id"), call.page)


@routes.get("/criteria/{id}", TaskCriterion)
def get_criterion(call: Call) -> Any:
    """One criterion of a task."""
    return call.service.tasks.criterion(call.organisation, call.id)


@routes.put("/criteria/{id}", TaskCriterion, body=NewCriterion)
def replace_criterion(call: Call) -> Any:
    """Change a criterion of a task. Versions and runs that exist keep it as it was."""
    return call.service.tasks.replace_criterion(call.organisation, call.id, call.body)


@routes.delete("/criteria/{id}")
def delete_criterion(call: Call) -> Any:
    """Remove a criterion from its task. Versions and runs that exist keep it."""
    call.service.tasks.remove_criterion(call.organisation, call.id)


@routes.post("/criteria/try", TriedCriterion, body=NewTrial, also=(404,))
def try_out_criterion(call: Call) -> Any:
    """Hold a criterion against a playground as it is now. No run is graded, and neither of them changes."""
    service, new = call.service, call.body
    task = None if new.task_id is None else service.tasks.task(call.organisation, new.task_id)
    data = {} if task is None else task.data
    run = try_criterion(service.try_out, call.organisation, new.playground_id, new.criterion, data)
    return tried_answer(run)


def tried_answer(run: CriterionRun) -> dict[str, object]:
    """How a criterion came out that belongs to no run."""
    return run.model_dump(mode="json", by_alias=True, include=set(TriedCriterion.model_fields))


@routes.post("/benchmarks", Benchmark, body=NewBenchmark, status=201, also=(409,))
def create_benchmark(call: Call) -> Any:
    """Add a benchmark. It can be run once it has a version."""
    return call.service.benchmarks.add(call.organisation, call.body)


@routes.lists("/benchmarks", Benchmark)
def list_benchmarks(call: Call) -> Any:
    """The benchmarks, the newest first."""
    return call.service.benchmarks.page(call.organisation, call.page)


@routes.get("/benchmarks/{id}", Benchmark)
def get_benchmark(call: Call) -> Any:
    """One benchmark, by its id or its slug."""
    return call.service.benchmarks.benchmark(call.organisation, call.id)


@routes.post("/benchmarks/{id}/versions", Version, body=NewVersion, status=201)
def create_version(call: Call) -> Any:
    """Freeze tasks as the next version of a benchmark."""
    return call.service.benchmarks.add_version(call.organisation, call.id, call.body)


@routes.lists("/benchmarks/{id}/versions", Version)
def list_versions(call: Call) -> Any:
    """The versions of a benchmark, the newest first."""
    return call.service.benchmarks.versions(call.organisation, call.id, call.page)


@routes.get("/benchmarks/{id}/versions/{version}", Version)
def get_version(call: Call) -> Any:
    """One version of a benchmark, by its number."""
    benchmark = call.service.benchmarks.benchmark(call.organisation, call.id)
    return unchanging(
        call.service.benchmarks.version(call.organisation, f"{benchmark.slug}@{call.path['version']}")
    )


@routes.post("/benchmark-runs", StartedBenchmarkRun, body=NewBenchmarkRun, status=201, also=(404,))
def create_benchmark_run(call: Call) -> Any:
    """Create a run of all tasks of a version, with a token for the agent."""
    run, token = started_run(call.service, call.organisation, call.body)
    return {
        "benchmark_run": call.service.benchmarks.run(call.organisation, run),
        "task_runs": call.service.runs.of_benchmark_run(call.organisation, run),
        "token": token,
    }


def started_run(service: Service, organisation: str, new: NewBenchmarkRun) -> tuple[str, str]:
    """The id of a new benchmark run, and the token for its agent."""
    version = service.benchmarks.version(organisation, new.benchmark)
    run = service.runs.add_benchmark_run(organisation, version, new)
    ends = service.host.now() + timedelta(seconds=new.token_s)
    issued = issue_key(service.keys, service.host, Owner(organisation, run), Scope.RUN, f"run {run}", ends)
    return run, issued.secret


@routes.lists("/benchmark-runs", BenchmarkRun)
def list_benchmark_runs(call: Call) -> Any:
    """The benchmark runs, the newest first."""
    return call.service.benchmarks.runs(call.organisation, call.page)


@routes.get("/benchmark-runs/{id}", BenchmarkRun)
def get_benchmark_run(call: Call) -> Any:
    """One benchmark run. It has a score once every task run has ended."""
    run = call.service.benchmarks.run(call.organisation, call.id)
    return run if run.status is Status.ACTIVE else unchanging(run)


@routes.lists("/benchmark-runs/{id}/task-runs", TaskRun)
def list_task_runs_of_benchmark_run(call: Call) -> Any:
    """The task runs of a benchmark run, the newest first."""
    run = call.service.benchmarks.run(call.organisation, call.id)
    return call.service.runs.page(Owner(call.organisation), call.page, benchmark_run=run.id)
