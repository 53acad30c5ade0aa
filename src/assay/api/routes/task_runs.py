"""Runs of tasks: start, complete, cancel, and what came of them."""

from typing import Any

from pydantic import Field

from assay.adapters.store.service.run_rows import criterion_run_of_row, run_of_row
from assay.api.answers import Answer, shown, shown_page, unchanging
from assay.api.routes.work import shown_work
from assay.api.routing import Call, Routes
from assay.core.errors import InputError
from assay.dialects.criteria.models import AxisScore, CriterionRun, StrictModel, Verdict
from assay.dialects.criteria.resources import NewTaskRun, Phase, Status, TaskRun, Text
from assay.engine.service.keys import Owner, Scope
from assay.engine.service.task_runs import (
    Completed,
    cancel_task_run,
    complete_task_run,
    end_overdue,
    fail_task_run,
    start_task_run,
)
from assay.engine.service.work import WorkKind

routes = Routes()
IDEMPOTENCY_KEY = "idempotency-key"


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


@routes.add(
    "POST", "/task-runs", Scope.ADMIN, Scope.GRADER, body=NewTaskRun, answer=TaskRun, status=201, also=(404,)
)
def create_task_run(call: Call) -> Answer:
    """Create a run of one task, outside of a benchmark run. The task is frozen as it is now."""
    return shown(call.service.runs.add(call.organisation, call.body), 201)


@routes.add(
    "GET",
    "/task-runs",
    Scope.ADMIN,
    Scope.GRADER,
    Scope.READER,
    answer=TaskRun,
    lists=True,
    query={
        "benchmark_run_id": "only those of this benchmark run",
        "task_id": "only those of this task",
        "status": "only those with this status",
        "verdict": "only those with this verdict",
    },
)
def list_task_runs(call: Call) -> Answer:
    """The runs of tasks, the newest first."""
    asked = call.page
    wanted = {name: call.filter(field) for name, field in _FILTERS.items()}
    rows = call.service.runs.page(Owner(call.organisation), asked, **wanted)
    return shown_page([run_of_row(row) for row in rows.rows], rows, asked.limit)


_FILTERS = {"benchmark_run": "benchmark_run_id", "task": "task_id", "status": "status", "verdict": "verdict"}


@routes.add("GET", "/task-runs/{id}", Scope.ADMIN, Scope.GRADER, Scope.READER, answer=TaskRun, also=(404,))
def get_task_run(call: Call) -> Answer:
    """One run of a task."""
    owner = Owner(call.organisation)
    run = call.service.runs.task_run(owner, call.path["id"])
    if end_overdue(call.service.runs, call.organisation, run, call.service.host.now()):
        run = call.service.runs.task_run(owner, run.id)
    return shown(run) if run.status is Status.ACTIVE else unchanging(run)


@routes.add("POST", "/task-runs/{id}/start", Scope.ADMIN, Scope.GRADER, Scope.RUN, answer=Started, also=(404, 409))
def start(call: Call) -> Answer:
    """Start a run: its time begins. Starting it again changes nothing. One at a time in a benchmark run."""
    run = start_task_run(call.service.runs, call.service.host, call.key.owner, call.path["id"])
    snapshot = call.service.runs.snapshot(call.organisation, run.snapshot)
    return shown(
        {
            "id": run.id,
            "status": run.status,
            "phase": run.phase,
            "task_id": run.task_id,
            "name": snapshot.name,
            "instruction": snapshot.instruction,
            "playground_id": run.playground_id,
            "started_at": run.started_at,
            "deadline_at": run.deadline_at,
        }
    )


@routes.add(
    "POST",
    "/task-runs/{id}/complete",
    Scope.ADMIN,
    Scope.GRADER,
    Scope.RUN,
    answer=GradedTask,
    also=(202, 404, 409),
)
def complete(call: Call) -> Answer:
    """Grade a started run: hold the criteria of its task against its playground.

    The answer of a second request is that of the first: a run is graded once. If a source can't be reached, the
    answer is 503 and the run can be completed again. A run whose time is over is timed_out, with a score of 0.
    With the header ``Prefer: respond-async`` the answer is 202, and a worker grades the run.
    """
    service = call.service
    if "respond-async" in call.headers.get("prefer", ""):
        later = _completed_later(call)
        if later is not None:
            return later
    done = complete_task_run(
        service.runs,
        service.host,
        service.grade,
        service.claims,
        call.key.owner,
        call.path["id"],
        _idempotency_key(call),
    )
    return shown(completed_answer(done))


def _completed_later(call: Call) -> Answer | None:
    """Leave a started run to a worker. None for one that needs none any more."""
    run = call.service.runs.task_run(call.key.owner, call.path["id"])
    if run.status is not Status.ACTIVE or run.phase is Phase.CREATED:
        return None
    added = call.service.work.add(call.organisation, WorkKind.COMPLETE_TASK_RUN, run.id)
    call.service.wake()
    told = shown_work(added)
    if call.key.scope is Scope.RUN:
        # Why a try failed names the sources that the agent is graded by.
        told["reason"] = None
    return shown(told, 202)


def completed_answer(done: Completed) -> dict[str, Any]:
    """The completion on the wire. A scored run doesn't tell an agent what it is graded by."""
    run = done.run
    left_out = {"details", "evidence"} if run.scored else set()
    return {
        "id": run.id,
        "status": run.status,
        "phase": run.phase,
        "verdict": run.verdict,
        "score": run.score,
        "axes": run.axes,
        "criterion_runs": [one.model_dump(mode="json", exclude=left_out) for one in done.criterion_runs]
        if left_out
        else done.criterion_runs,
    }


def _idempotency_key(call: Call) -> str | None:
    """That of a run token is its own: whether somebody else used the same one must not show."""
    written = call.headers.get(IDEMPOTENCY_KEY)
    if written is not None and not (0 < len(written) <= 200 and written.isascii() and written.isprintable()):
        raise InputError("Idempotency-Key must be 1 to 200 printable ASCII characters")
    mine = call.key.benchmark_run
    return written if written is None or mine is None else f"{mine}/{written}"


@routes.add(
    "POST",
    "/task-runs/{id}/cancel",
    Scope.ADMIN,
    Scope.GRADER,
    body=Reason,
    answer=TaskRun,
    also=(404, 409),
)
def cancel(call: Call) -> Answer:
    """Cancel a run that has not ended. It doesn't count."""
    owner, reason = Owner(call.organisation), call.body.reason
    return shown(cancel_task_run(call.service.runs, call.service.host, owner, call.path["id"], reason))


@routes.add(
    "POST", "/task-runs/{id}/fail", Scope.ADMIN, Scope.GRADER, body=Reason, answer=TaskRun, also=(404, 409)
)
def fail(call: Call) -> Answer:
    """End a run that broke on the agent's side. It counts as 0."""
    owner, reason = Owner(call.organisation), call.body.reason
    return shown(fail_task_run(call.service.runs, call.service.host, owner, call.path["id"], reason))


@routes.add(
    "GET",
    "/criterion-runs",
    Scope.ADMIN,
    Scope.GRADER,
    Scope.READER,
    answer=CriterionRun,
    lists=True,
    query={"task_run_id": "only those of this task run"},
)
def list_criterion_runs(call: Call) -> Answer:
    """How criteria came out, the newest first."""
    asked = call.page
    rows = call.service.runs.criterion_runs(call.organisation, call.filter("task_run_id"), asked)
    return shown_page([criterion_run_of_row(row) for row in rows.rows], rows, asked.limit)


@routes.add(
    "GET", "/criterion-runs/{id}", Scope.ADMIN, Scope.GRADER, Scope.READER, answer=CriterionRun, also=(404,)
)
def get_criterion_run(call: Call) -> Answer:
    """How one criterion came out, with its details and all evidence, also for a scored run."""
    return unchanging(call.service.runs.criterion_run(call.organisation, call.path["id"]))
