"""Seeded tasks, runs of agents at them, and their gradings."""

from typing import Any

from assay.adapters.service.coding import check_sent_archive
from assay.api.answers import ApiAnswer, json_answer
from assay.api.routes.run_files import BYTES
from assay.api.routes.scenarios import ARCHIVE_BYTES
from assay.api.routes.work import WorkResource, shown_work
from assay.api.routing import ApiCall, Routes
from assay.api.service import Service
from assay.dialects.scorers.resources import (
    CodingRun,
    CodingTask,
    CompletedBy,
    GradeAgain,
    GradingState,
    NewCodingRun,
)
from assay.engine.service.coding_grading import cancel_coding_run, complete_coding_run
from assay.engine.service.errors import ConflictError
from assay.engine.service.work import Work, WorkKind
from assay.formats.strict_model import StrictModel

routes = Routes()
LOG_BYTES = 16 * 1024 * 1024


class SeedingTask(StrictModel):
    """A task, and the work that seeds it."""

    task: CodingTask
    work: WorkResource


class CodingCompletion(StrictModel):
    """A run, and the work that grades it; None if it is graded already."""

    run: CodingRun
    work: WorkResource | None


@routes.post("/scenarios/{id}/tasks", SeedingTask, status=202, also=(404, 409), location="/coding-tasks")
def seed_task(call: ApiCall) -> Any:
    """Seed a task from the newest version of a scenario: a worker prepares the workspace and freezes everything.

    The task is ready once its ``state`` says so. A scenario that can't be seeded is ``refused`` with the reason.
    """
    service = call.service
    service.coding.check_on()
    task = service.coding.tasks.add(call.organisation, call.id)
    return {
        "task": task,
        "work": shown_work(call.service.work.add(call.organisation, WorkKind.SEED_CODING_TASK, task.id)),
    }


routes.resource(
    "/coding-tasks",
    CodingTask,
    lambda service: service.coding.tasks,
    filters={"scenario_id": ("scenario", "only those of this scenario")},
    list_coding_tasks="Seeded tasks, the newest first.",
    get_coding_task=(
        "A seeded task: the frozen scenario with its hashes, and whether the scenario has moved on since."
    ),
)


@routes.get("/coding-tasks/{id}/workspace", bytes, also=(404, 409), media=BYTES)
def get_workspace(call: ApiCall) -> Any:
    """The workspace that the agent begins with, as a tar.gz archive."""
    found = call.service.coding.tasks.workspace(call.organisation, call.id)
    return ApiAnswer(200, found, media_type=BYTES)


routes.resource(
    "/coding-tasks/{id}/runs",
    CodingRun,
    lambda service: service.coding.runs,
    body=NewCodingRun,
    also=(409,),
    location="/coding-runs",
    create_coding_run=("Create a run of an agent at a seeded task. It takes uploads until it is completed."),
)
routes.resource(
    "/coding-runs",
    CodingRun,
    lambda service: service.coding.runs,
    filters={
        "task_id": ("task", "only those of this task"),
        "state": ("state", "only those in this state: open, grading, graded or cancelled"),
        "job": ("job", "only those of this job"),
    },
    list_coding_runs="Coding runs, the newest first.",
    get_coding_run=(
        "A coding run: what was sent, and how far it is. Once graded, its gates are under /v1/runs with this id."
    ),
)


@routes.put("/coding-runs/{id}/workspace", CodingRun, body=bytes, also=(404, 409), most_bytes=ARCHIVE_BYTES)
def put_workspace(call: ApiCall) -> Any:
    """Send the workspace as the agent left it: a tar or zip archive of the files below the working folder."""
    runs, identity = call.service.coding.runs, call.id
    runs.get(call.organisation, identity)
    check_sent_archive(call.content)
    runs.put_workspace(call.organisation, identity, call.content)
    return runs.get(call.organisation, identity)


@routes.put("/coding-runs/{id}/files/{path:path}", CodingRun, body=bytes, also=(404, 409), most_bytes=LOG_BYTES)
def put_log(call: ApiCall) -> Any:
    """Send a file of the agent's logs: trajectory.json, final_response.md, stdout.txt, stderr.txt or any other.

    For a scenario with turns, put ``turn-1/`` and so on in front of the name.
    """
    runs, identity = call.service.coding.runs, call.id
    runs.put_file(call.organisation, identity, call.path["path"], call.content)
    return runs.get(call.organisation, identity)


@routes.post("/coding-runs/{id}/complete", CodingCompletion, body=CompletedBy, status=202, also=(200, 404, 409))
def complete_coding(call: ApiCall) -> Any:
    """Say how the agent ended, and have the run graded by a worker: scorers, judge and the three gates.

    The answer of a second request is that of the first: a run is graded once. 200 says that it is graded already.
    """
    run = complete_coding_run(call.service.coding.runs, call.organisation, call.id, call.body)
    if run.state is GradingState.GRADED:
        return json_answer({"run": run, "work": None})
    return {
        "run": run,
        "work": shown_work(call.service.work.add(call.organisation, WorkKind.GRADE_CODING_RUN, run.id)),
    }


@routes.post("/coding-runs/{id}/cancel", CodingRun, also=(404, 409))
def cancel_coding(call: ApiCall) -> Any:
    """Close a run that is not to be graded."""
    return cancel_coding_run(call.service.coding.runs, call.organisation, call.id)


@routes.post("/runs/{id}/gradings", WorkResource, body=GradeAgain, status=202, also=(404, 409), location="/work")
def grade_run_again(call: ApiCall) -> Any:
    """Grade a coding run again from what is kept of it, by the same frozen scorers, or only by the judge.

    The new grading is added to the others, and names the one that it follows.
    """
    return shown_work(ask_again(call.service, call.organisation, call.id, call.body.judge_only))


def ask_again(service: Service, organisation: str, run: str, judge_only: bool) -> Work:
    """Raises ``NotFoundError``, ``ConflictError`` for a run that can't be graded again."""
    coding = service.coding
    coding.check_on()
    if judge_only and not coding.asked.has_judge(organisation):
        raise ConflictError("there is no judge to ask; name one with PUT /v1/judge")
    wanted = coding.gradings.add_request(organisation, run, judge_only)
    return service.work.add(organisation, WorkKind.GRADE_AGAIN, wanted.id)
