"""What reviewers say about task runs. Those that ended are runs of the explorer, so it is kept there."""

from dataclasses import replace
from typing import Any

from assay.api.routes.runs import AnnotationResource, NewAnnotation, annotate_run, list_annotations
from assay.api.routing import Call, Routes
from assay.engine.service.errors import ConflictError, NotFoundError
from assay.engine.service.keys import Owner

routes = Routes()


@routes.post("/task-runs/{id}/annotations", AnnotationResource, body=NewAnnotation, status=201, also=(404, 409))
def annotate_task_run(call: Call) -> Any:
    """Note a reviewer's verdict on a task run that has ended."""
    return annotate_run(_of_run(call))


@routes.lists("/task-runs/{id}/annotations", AnnotationResource, also=(404, 409))
def list_task_run_annotations(call: Call) -> Any:
    """What reviewers said about a task run that has ended, the newest first."""
    return list_annotations(_of_run(call))


def _of_run(call: Call) -> Call:
    """The same about the run that the task run is. Raises ``NotFoundError``, ``ConflictError``."""
    run = call.service.runs.task_run(Owner(call.organisation), call.id)
    try:
        identity = call.service.evaluations.run_of(call.organisation, run.benchmark_run_id or "", run.id)
    except NotFoundError:
        raise ConflictError(f"the task run must have ended, but it is {run.status.value}") from None
    return replace(call, path={**call.path, "id": identity})
