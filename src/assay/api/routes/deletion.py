"""Delete things for good."""

from assay.api.routing import ApiCall, Routes
from assay.engine.integration.deletion import Deleter
from assay.engine.service.keys import Scope

routes = Routes()


def _deletes(path: str, meaning: str) -> None:
    """The route that deletes one of the rows of a table, which is called like its path."""
    kind = path.removeprefix("/").replace("-", "_")

    def delete(call: ApiCall) -> None:
        by = Deleter(call.organisation, call.key.id, call.request)
        identity = call.service.jobs.get(call.organisation, call.id).id if kind == "jobs" else call.id
        call.service.deletion.delete(kind, by, identity)

    delete.__name__, delete.__doc__ = f"delete_{kind.removesuffix('s')}", meaning
    routes.delete(f"{path}/{{id}}", Scope.ADMIN, also=(404, 409), noted=False)(delete)


_deletes(
    "/playgrounds",
    "Delete a playground with its records, files and sources. Task runs that worked in it must be deleted first.",
)
_deletes("/tasks", "Delete a task with its criteria. Versions and runs that exist keep their frozen copies.")
_deletes(
    "/task-runs",
    "Delete a run that has ended with its gradings and evidence, and its playground if no other run worked there."
    "\n\nA run of a benchmark run is deleted with that.",
)
_deletes("/benchmark-runs", "Delete a benchmark run that has ended, with its task runs.")
_deletes(
    "/runs",
    "Delete a run of any kind with its gradings, files and annotations.\n\nThe archive of a job that it was"
    " imported with is deleted, too: the job's report can't be computed again.",
)
_deletes("/jobs", "Delete a job with its archive and its runs.")
