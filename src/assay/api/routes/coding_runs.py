"""Seeded tasks, runs of agents at them, and their gradings."""

from assay.adapters.service_coding import check_archive
from assay.adapters.store.service.coding_tasks import task_of_row
from assay.api.answers import Answer, shown, shown_page
from assay.api.routes.run_files import BYTES
from assay.api.routes.scenarios import ARCHIVE_BYTES
from assay.api.routes.work import WorkResource, shown_work
from assay.api.routing import Call, Routes
from assay.dialects.scorers.resources import (
    CodingRun,
    CodingTask,
    CompletedBy,
    GradeAgain,
    GradingState,
    NewCodingRun,
)
from assay.dialects.scorers.strict import StrictModel
from assay.engine.service.coding_grading import cancel_coding_run, complete_coding_run
from assay.engine.service.errors import ConflictError, NotFoundError
from assay.engine.service.keys import Scope
from assay.engine.service.work import Work, WorkKind

routes = Routes()
WRITE = (Scope.ADMIN, Scope.GRADER)
READ = (Scope.ADMIN, Scope.GRADER, Scope.READER)
LOG_BYTES = 16 * 1024 * 1024
_FILTERS = {"task": "task_id", "state": "state", "job": "job"}


class SeedingTask(StrictModel):
    """A task, and the work that seeds it."""

    task: CodingTask
    work: WorkResource


class CodingCompletion(StrictModel):
    """A run, and the work that grades it; None if it is graded already."""

    run: CodingRun
    work: WorkResource | None


@routes.add("POST", "/scenarios/{id}/tasks", *WRITE, answer=SeedingTask, status=202, also=(404, 409))
def seed_task(call: Call) -> Answer:
    """Seed a task from the newest version of a scenario: a worker prepares the workspace and freezes everything.

    The task is ready once its ``state`` says so. A scenario that can't be seeded is ``refused`` with the reason.
    """
    service = call.service
    service.coding.check_on()
    task = service.coding.tasks.add(call.organisation, call.path["id"])
    return shown({"task": task, "work": shown_work(_queued(call, WorkKind.SEED_CODING_TASK, task.id))}, 202)


@routes.add(
    "GET",
    "/coding-tasks",
    *READ,
    answer=CodingTask,
    lists=True,
    query={"scenario_id": "only those of this scenario"},
)
def list_coding_tasks(call: Call) -> Answer:
    """Seeded tasks, the newest first."""
    asked = call.page
    rows = call.service.coding.tasks.page(call.organisation, call.filter("scenario_id"), asked)
    return shown_page([task_of_row(row) for row in rows.rows], rows, asked.limit)


@routes.add("GET", "/coding-tasks/{id}", *READ, answer=CodingTask, also=(404,))
def get_coding_task(call: Call) -> Answer:
    """A seeded task: the frozen scenario with its hashes, and whether the scenario has moved on since."""
    return shown(call.service.coding.tasks.coding_task(call.organisation, call.path["id"]))


@routes.add("GET", "/coding-tasks/{id}/workspace", *READ, answer=bytes, media=BYTES, also=(404, 409))
def get_workspace(call: Call) -> Answer:
    """The workspace that the agent begins with, as a tar.gz archive."""
    found = call.service.coding.tasks.workspace(call.organisation, call.path["id"])
    return Answer(200, found, media_type=BYTES)


@routes.add(
    "POST",
    "/coding-tasks/{id}/runs",
    *WRITE,
    body=NewCodingRun,
    answer=CodingRun,
    status=201,
    also=(404, 409),
)
def create_coding_run(call: Call) -> Answer:
    """Create a run of an agent at a seeded task. It takes uploads until it is completed."""
    return shown(call.service.coding.runs.add(call.organisation, call.path["id"], call.body), 201)


@routes.add(
    "GET",
    "/coding-runs",
    *READ,
    answer=CodingRun,
    lists=True,
    query={
        "task_id": "only those of this task",
        "state": "only those in this state: open, grading, graded or cancelled",
        "job": "only those of this job",
    },
)
def list_coding_runs(call: Call) -> Answer:
    """Coding runs, the newest first."""
    asked, runs = call.page, call.service.coding.runs
    wanted = {name: call.filter(field) for name, field in _FILTERS.items()}
    rows = runs.page(call.organisation, wanted, asked)
    return shown_page(runs.shown(rows.rows), rows, asked.limit)


@routes.add("GET", "/coding-runs/{id}", *READ, answer=CodingRun, also=(404,))
def get_coding_run(call: Call) -> Answer:
    """A coding run: what was sent, and how far it is. Once graded, its gates are under /v1/runs with this id."""
    return shown(call.service.coding.runs.coding_run(call.organisation, call.path["id"]))


@routes.add(
    "PUT",
    "/coding-runs/{id}/workspace",
    *WRITE,
    body=bytes,
    answer=CodingRun,
    also=(404, 409),
    most_bytes=ARCHIVE_BYTES,
)
def put_workspace(call: Call) -> Answer:
    """Send the workspace as the agent left it: a tar or zip archive of the files below the working folder."""
    runs, identity = call.service.coding.runs, call.path["id"]
    runs.coding_run(call.organisation, identity)
    check_archive(call.content)
    runs.put_workspace(call.organisation, identity, call.content)
    return shown(runs.coding_run(call.organisation, identity))


@routes.add(
    "PUT",
    "/coding-runs/{id}/files/{path:path}",
    *WRITE,
    body=bytes,
    answer=CodingRun,
    also=(404, 409),
    most_bytes=LOG_BYTES,
)
def put_log(call: Call) -> Answer:
    """Send a file of the agent's logs: trajectory.json, final_response.md, stdout.txt, stderr.txt or any other.

    For a scenario with turns, put ``turn-1/`` and so on in front of the name.
    """
    runs, identity = call.service.coding.runs, call.path["id"]
    runs.put_file(call.organisation, identity, call.path["path"], call.content)
    return shown(runs.coding_run(call.organisation, identity))


@routes.add(
    "POST",
    "/coding-runs/{id}/complete",
    *WRITE,
    body=CompletedBy,
    answer=CodingCompletion,
    status=202,
    also=(200, 404, 409),
)
def complete_coding(call: Call) -> Answer:
    """Say how the agent ended, and have the run graded by a worker: scorers, judge and the three gates.

    The answer of a second request is that of the first: a run is graded once. 200 says that it is graded already.
    """
    service, body = call.service, call.body
    now = service.host.now()
    run = complete_coding_run(service.coding.runs, call.organisation, call.path["id"], body, now)
    if run.state is GradingState.GRADED:
        return shown({"run": run, "work": None})
    return shown({"run": run, "work": shown_work(_queued(call, WorkKind.GRADE_CODING_RUN, run.id))}, 202)


@routes.add("POST", "/coding-runs/{id}/cancel", *WRITE, answer=CodingRun, also=(404, 409))
def cancel_coding(call: Call) -> Answer:
    """Close a run that is not to be graded."""
    service = call.service
    now = service.host.now()
    return shown(cancel_coding_run(service.coding.runs, call.organisation, call.path["id"], now))


@routes.add(
    "POST", "/runs/{id}/gradings", *WRITE, body=GradeAgain, answer=WorkResource, status=202, also=(404, 409)
)
def grade_run_again(call: Call) -> Answer:
    """Grade a coding run again from what is kept of it, by the same frozen scorers, or only by the judge.

    The new grading is added to the others, and names the one that it follows.
    """
    coding, run = call.service.coding, call.path["id"]
    coding.check_on()
    if call.body.judge_only and not coding.asked.has_judge(call.organisation):
        raise ConflictError("there is no judge to ask; name one with PUT /v1/judge")
    try:
        wanted = coding.gradings.add_request(call.organisation, run, call.body.judge_only)
    except NotFoundError:
        call.service.imports.run(call.organisation, run)
        raise ConflictError("a run must be a coding run to be graded again; others keep no workspace") from None
    return shown(shown_work(_queued(call, WorkKind.GRADE_AGAIN, wanted.id)), 202)


def _queued(call: Call, kind: WorkKind, target: str) -> Work:
    """Work on the queue. It is on disk when this returns."""
    added = call.service.work.add(call.organisation, kind, target)
    call.service.wake()
    return added
