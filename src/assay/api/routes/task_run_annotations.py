"""What reviewers say about task runs. Those that ended are runs of the explorer, so it is kept there."""

from dataclasses import replace

from assay.api.answers import Answer
from assay.api.routes.runs import (
    READ,
    WRITE,
    AnnotationResource,
    NewAnnotation,
    annotate_run,
    list_annotations,
)
from assay.api.routing import Call, Routes
from assay.engine.service.errors import ConflictError, NotFoundError
from assay.engine.service.keys import Owner

routes = Routes()


@routes.add(
    "POST",
    "/task-runs/{id}/annotations",
    *WRITE,
    body=NewAnnotation,
    answer=AnnotationResource,
    status=201,
    also=(404, 409),
)
def annotate_task_run(call: Call) -> Answer:
    """Note a reviewer's verdict on a task run that has ended."""
    return annotate_run(_of_run(call))


@routes.add("GET", "/task-runs/{id}/annotations", *READ, answer=AnnotationResource, lists=True, also=(404, 409))
def list_task_run_annotations(call: Call) -> Answer:
    """What reviewers said about a task run that has ended, the newest first."""
    return list_annotations(_of_run(call))


def _of_run(call: Call) -> Call:
    """The same about the run that the task run is. Raises ``NotFoundError``, ``ConflictError``."""
    run = call.service.runs.task_run(Owner(call.organisation), call.path["id"])
    try:
        identity = call.service.evaluations.run_of(call.organisation, run.benchmark_run_id or "", run.id)
    except NotFoundError:
        raise ConflictError(f"the task run must have ended, but it is {run.status.value}") from None
    return replace(call, path={**call.path, "id": identity})
