"""Benchmarks, their versions and runs; tasks and their criteria."""

from dataclasses import asdict, replace
from typing import Any, Final

from pydantic import Field

from assay.adapters.machine.yaml_lines import marked_json
from assay.api.answers import unchanging
from assay.api.routing import ApiCall, Part, Routes
from assay.dialects.criteria.models import CriterionRun
from assay.dialects.criteria.resources import (
    MOST_CRITERIA,
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
    WholeBenchmark,
    Written,
)
from assay.engine.criteria.lint import lint
from assay.engine.schema_errors import about
from assay.formats.strict_model import Name, StrictModel

routes = Routes()
WHOLE: Final[dict[str, Any]] = {"location": "/benchmarks", "most_bytes": 64 * 1024 * 1024}
CRITERIA = Part(
    "criteria", TaskCriterion, lambda call, task: call.service.criteria.in_order(call.organisation, task)
)
TASK_RUNS = Part(
    "task_runs", TaskRun, lambda call, run: call.service.runs.of_benchmark_run(call.organisation, run)
)


class StartedBenchmarkRun(StrictModel):
    """A new benchmark run with its task runs. ``token`` is for the agent, and is shown only here."""

    benchmark_run: BenchmarkRun
    task_runs: list[TaskRun]
    token: str = Field(description="may start and complete the task runs of this benchmark run, and nothing else")


class AddedBenchmark(StrictModel):
    """A benchmark that was added whole, with all ids."""

    benchmark: Benchmark
    version: Version
    tasks: list[Any] = Field(description="each as GET /tasks/{id}?expand=criteria has it")


class LintedCriteria(StrictModel):
    """Criteria as a file has them, to be looked at. ``data`` is what they may refer to."""

    criteria: list[Written] = Field(max_length=MOST_CRITERIA)
    data: Written = Field(default_factory=dict)


class LintFinding(StrictModel):
    """A likely mistake: by which rule, where, and why. ``message`` says the last two in a sentence."""

    rule: str
    line: int | None
    place: str
    why: str
    message: str


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


routes.resource(
    "/tasks",
    Task,
    lambda service: service.tasks,
    body=NewTask,
    create_task="Add a task, with its criteria.",
    list_tasks="The tasks, the newest first.",
    get_task="One task.",
    replace_task="Change a task with its criteria. Versions and runs that exist keep the task as it was.",
    tagged=True,
    part=CRITERIA,
)
routes.resource(
    "/tasks/{id}/criteria",
    TaskCriterion,
    lambda service: service.criteria,
    body=NewCriterion,
    also=(409,),
    location="/criteria",
    create_criterion=(
        "Add a criterion to a task. It is kept as it is written; one that can't be used fails when it is graded."
    ),
    list_criteria_of_task="The criteria of a task, the newest first.",
)


@routes.lists("/criteria", TaskCriterion, query={"task_id": "only those of this task"}, also=(404,))
def list_criteria(call: ApiCall) -> Any:
    """The criteria of all tasks, the newest first."""
    return call.service.criteria.within(call.organisation, call.filter("task_id"), call.slice)


routes.resource(
    "/criteria",
    TaskCriterion,
    lambda service: service.criteria,
    body=NewCriterion,
    get_criterion="One criterion of a task.",
    replace_criterion="Change a criterion of a task. Versions and runs that exist keep it as it was.",
    delete_criterion="Remove a criterion from its task. Versions and runs that exist keep it.",
    tagged=True,
)


@routes.post("/criteria/lint", list[LintFinding], body=LintedCriteria)
def lint_criteria(call: ApiCall) -> Any:
    """Likely mistakes in criteria, as ``assay criteria lint`` finds them. Nothing is stored."""
    sent = marked_json(call.content.decode())
    return [{**asdict(one), "message": about(one.place, one.why)} for one in lint(sent.value, sent.lines, {})]


@routes.post("/criteria/try", TriedCriterion, body=NewTrial, also=(404,))
def try_out_criterion(call: ApiCall) -> Any:
    """Hold a criterion against a playground as it is now. No run is graded, and neither of them changes."""
    service, new = call.service, call.body
    task = None if new.task_id is None else service.tasks.get(call.organisation, new.task_id)
    data = {} if task is None else task.data
    run = service.grade.try_out(call.organisation, new.playground_id, new.criterion, data)
    return tried_answer(run)


def tried_answer(run: CriterionRun) -> dict[str, object]:
    """How a criterion came out that belongs to no run."""
    return run.model_dump(mode="json", by_alias=True, include=set(TriedCriterion.model_fields))


routes.resource(
    "/benchmarks",
    Benchmark,
    lambda service: service.benchmarks,
    body=NewBenchmark,
    also=(409,),
    create_benchmark="Add a benchmark. It can be run once it has a version.",
    list_benchmarks="The benchmarks, the newest first.",
    get_benchmark="One benchmark, by its id or its slug.",
)


@routes.post("/benchmarks/bulk", AddedBenchmark, body=WholeBenchmark, also=(409,), **WHOLE)
def create_whole_benchmark(call: ApiCall) -> Any:
    """Add a benchmark with its tasks and their criteria, as its first version: all of it, or nothing."""
    service, organisation = call.service, call.organisation
    version = service.versions.add_whole(organisation, call.body, service.tasks)
    asked = replace(call, query={"expand": CRITERIA.name})
    tasks = [service.tasks.get(organisation, task.task_id) for task in version.tasks]
    return {
        "benchmark": service.benchmarks.get(organisation, call.body.slug),
        "version": version,
        "tasks": [CRITERIA.shown(asked, task, task.id) for task in tasks],
    }


routes.resource(
    "/benchmarks/{id}/versions",
    Version,
    lambda service: service.versions,
    body=NewVersion,
    location="",
    create_version="Freeze tasks as the next version of a benchmark.",
    list_versions="The versions of a benchmark, the newest first.",
)


@routes.get("/benchmarks/{id}/versions/{version}", Version)
def get_version(call: ApiCall) -> Any:
    """One version of a benchmark, by its number."""
    benchmark = call.service.benchmarks.get(call.organisation, call.id)
    return unchanging(call.service.versions.named(call.organisation, f"{benchmark.slug}@{call.path['version']}"))


@routes.post(
    "/benchmark-runs",
    StartedBenchmarkRun,
    body=NewBenchmarkRun,
    also=(404,),
    secret=True,
    location="/benchmark-runs",
)
def create_benchmark_run(call: ApiCall) -> Any:
    """Create a run of all tasks of a version, with a token for the agent."""
    run, token = call.service.benchmark_runs.begin(call.organisation, call.body)
    return {
        "benchmark_run": call.service.benchmark_runs.get(call.organisation, run),
        "task_runs": call.service.runs.of_benchmark_run(call.organisation, run),
        "token": token,
    }


routes.resource(
    "/benchmark-runs",
    BenchmarkRun,
    lambda service: service.benchmark_runs,
    final=lambda run: run.status is not Status.ACTIVE,
    part=TASK_RUNS,
    list_benchmark_runs="The benchmark runs, the newest first.",
    get_benchmark_run="One benchmark run. It has a score once every task run has ended.",
)


@routes.lists("/benchmark-runs/{id}/task-runs", TaskRun)
def list_task_runs_of_benchmark_run(call: ApiCall) -> Any:
    """The task runs of a benchmark run, the newest first."""
    run = call.service.benchmark_runs.get(call.organisation, call.id)
    return call.service.runs.slice(call.organisation, call.slice, benchmark_run=run.id)
