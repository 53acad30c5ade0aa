"""Runs of tasks: start, complete, cancel, and what came of them."""

from dataclasses import replace
from typing import Any

from pydantic import Field

from assay.api.answers import ApiAnswer, json_answer, resource_from, unchanging
from assay.api.routes.work import shown_work, without_reason
from assay.api.routing import ApiCall, Part, Routes, always
from assay.dialects.criteria.models import AxisScore, CriterionRun, Verdict
from assay.dialects.criteria.resources import NewTaskRun, Phase, Status, TaskRun, Text
from assay.engine.service.do_work import queue_completion
from assay.engine.service.keys import Scope
from assay.engine.service.storage import Transaction
from assay.engine.service.task_runs import (
    Completed,
    cancel_task_run,
    end_overdue,
    fail_task_run,
    start_task_run,
)
from assay.formats.strict_model import StrictModel

routes = Routes()


class Started(StrictModel):
    """A run that is going on. ``instruction`` is what the agent is asked."""

    id: str
    status: Status
    phase: Phase
    task_id: str
    name: str
    instruction: str
    playground_id: str
    started_at: Any
    deadline_at: Any


class GradedTask(StrictModel):
    """How a run came out. For a run that is ``scored``, criterion runs have neither details nor evidence."""

    id: str
    status: Status
    phase: Phase
    verdict: Verdict
    score: float
    axes: dict[str, AxisScore]
    criterion_runs: list[CriterionRun]


class Reason(StrictModel):
    """Why a run ends without being completed."""

    reason: Text | None = Field(default=None)


routes.resource(
    "/task-runs",
    TaskRun,
    lambda service: service.runs,
    body=NewTaskRun,
    also=(404,),
    filters={
        "benchmark_run_id": ("benchmark_run", "only those of this benchmark run"),
        "task_id": ("task", "only those of this task"),
        "status": ("status", "only those with this status"),
        "verdict": ("verdict", "only those with this verdict"),
    },
    create_task_run="Create a run of one task, outside of a benchmark run. The task is frozen as it is now.",
    list_task_runs="The runs of tasks, the newest first.",
)


CRITERION_RUNS = Part(
    "criterion_runs",
    CriterionRun,
    lambda call, run: call.service.runs.criterion_runs_of(call.key.owner, run),
)


@routes.get("/task-runs/{id}", CRITERION_RUNS.answer(TaskRun), query=CRITERION_RUNS.query)
def get_task_run(call: ApiCall) -> Any:
    """One run of a task."""
    run = call.service.runs.task_run(call.key.owner, call.id)
    if end_overdue(call.service.runs, call.organisation, run, call.service.host.now()):
        run = call.service.runs.task_run(call.key.owner, run.id)
    told = CRITERION_RUNS.shown(call, run, run.id)
    return told if run.status is Status.ACTIVE else unchanging(told)


AGENTS = (Scope.ADMIN, Scope.GRADER, Scope.RUN)


@routes.post("/task-runs/{id}/start", Started, *AGENTS, also=(404, 409))
def start(call: ApiCall) -> Any:
    """Start a run: its time begins. Starting it again changes nothing. One at a time in a benchmark run."""
    run = start_task_run(call.service.runs, call.key.owner, call.id)
    snapshot = call.service.runs.snapshot(call.organisation, run.snapshot)
    return resource_from(Started, run, name=snapshot.name, instruction=snapshot.instruction)


@routes.post("/task-runs/{id}/complete", GradedTask, *AGENTS, also=(202, 404, 409), noted=False)
def complete(call: ApiCall) -> Any:
    """Grade a started run: hold the criteria of its task against its playground.

    The first completion within the time of the run is accepted: from then on the deadline no longer applies, and
    the state of that moment is graded, however late. The answer of a second request is that of the first: a run
    is graded once. If a source can't be reached, the answer is 503 and the run can be completed again. A run whose
    time is over before is timed_out, with a score of 0. With the header ``Prefer: respond-async``, the answer is
    202, and a worker grades the run.
    """
    audit, entry = call.service.audit, (call.key, "complete", call.id, call.request)
    noted: list[str] = []

    def note(rows: Transaction) -> None:
        audit.add_within(rows, *entry)
        noted.append(call.id)

    later = _completed_later(call) if "respond-async" in call.headers.get("prefer", "") else None
    answer = later or completed_answer(call.service.complete(call.key.owner, call.id, note))
    if not noted:
        audit.add_done(*entry)
    return answer


def _completed_later(call: ApiCall) -> ApiAnswer | None:
    """Leave a run to a worker whose completion is accepted. None for one that needs none, or came too late."""
    added = queue_completion(call.service.runs, call.service.work, call.key.owner, call.id)
    if added is None:
        return None
    told = without_reason(added) if call.key.scope is Scope.RUN else shown_work(added)
    headers = {"Preference-Applied": "respond-async", "Retry-After": "1", "Location": f"/v1/work/{added.id}"}
    return replace(json_answer(told, 202), headers=headers)


def completed_answer(done: Completed) -> dict[str, Any]:
    """The completion on the wire. A scored run doesn't tell an agent what it is graded by."""
    run = done.run
    left_out = {"details", "evidence"} if run.scored else set()
    named = ("id", "status", "phase", "verdict", "score", "axes")
    return {
        **{name: getattr(run, name) for name in named},
        "criterion_runs": [one.model_dump(mode="json", exclude=left_out) for one in done.criterion_runs]
        if left_out
        else done.criterion_runs,
    }


@routes.post("/task-runs/{id}/cancel", TaskRun, body=Reason, also=(404, 409))
def cancel(call: ApiCall) -> Any:
    """Cancel a run that has not ended. It doesn't count."""
    return cancel_task_run(call.service.runs, call.key.owner, call.id, call.body.reason)


@routes.post("/task-runs/{id}/fail", TaskRun, body=Reason, also=(404, 409))
def fail(call: ApiCall) -> Any:
    """End a run that broke on the agent's side. It counts as 0."""
    return fail_task_run(call.service.runs, call.key.owner, call.id, call.body.reason)


routes.resource(
    "/criterion-runs",
    CriterionRun,
    lambda service: service.criterion_runs,
    filters={"task_run_id": ("task_run", "only those of this task run")},
    final=always,
    evidence=True,
    list_criterion_runs="How criteria came out, the newest first.",
    get_criterion_run="How one criterion came out, with its details and all evidence, also for a scored run.",
)
