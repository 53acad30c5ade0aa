"""Job folders of harbor, sent as archives: their trials, and the report on them."""

import math
from typing import Any, Final

from assay.adapters.service.uploaded_job import import_archive, report_archive
from assay.api.routes.runs import RunResource
from assay.api.routes.scenarios import ARCHIVE_BYTES
from assay.api.routing import ApiCall, Routes
from assay.api.service import Service
from assay.core.errors import InputError
from assay.engine.explorer.imported_runs import Imported
from assay.engine.explorer.run_query import parse_run_query
from assay.engine.jobs.job_runs import JobQuestion
from assay.engine.service.jobs import JobResource
from assay.evidence.run import Run
from assay.formats.strict_model import StrictModel

routes = Routes()
LONGEST_NAME: Final = 150
_QUESTION: Final = {
    "key": "the reward that decides success (default: reward, or the only one)",
    "threshold": "the lowest reward that counts as a success (default: 1)",
    "k": "values of k for pass@k and pass^k, such as 1,5 (default: 1 and those that harbor reports)",
    "grading": "which gradings to report: first or latest (default: first)",
}


class ImportedJob(StrictModel):
    """A job, and what its archive brought: trials that are new, known already, or had no result before."""

    job: JobResource
    added: int
    known: int
    replaced: int


class ReportedJob(StrictModel):
    """A job with its report: harbor's numbers, the counts behind them, pass@k and intervals."""

    job: JobResource
    report: dict[str, Any]


@routes.post(
    "/jobs",
    ImportedJob,
    body=bytes,
    location="/jobs",
    query={"name": "what to call the job (default: the name of the folder in the archive)"},
    also=(409,),
    most_bytes=ARCHIVE_BYTES,
)
def create_job(call: ApiCall) -> Any:
    """Send a job folder as a tar or zip archive. Sending it again adds only what is new.

    A trial that was sent before with another result is refused, and then nothing of the archive is added.
    """
    job, done = add_job(call.service, call.organisation, call.content, call.filter("name"))
    return {"job": job, "added": done.added, "known": done.known, "replaced": done.replaced}


def add_job(service: Service, organisation: str, archive: bytes, name: str | None) -> tuple[JobResource, Imported]:
    """Import the trials of an archive and keep it. Raises ``InputError``, ``ConflictError``."""
    if name is not None and not 0 < len(name) <= LONGEST_NAME:
        raise InputError(f"name must have 1 to {LONGEST_NAME} characters")
    called, done = import_archive(service.imports, service.blobs, organisation, archive, name)
    return service.jobs.put(organisation, called, [archive]), done


routes.resource(
    "/jobs",
    JobResource,
    lambda service: service.jobs,
    list_jobs="Jobs whose folders were sent, the newest first.",
)


@routes.get("/jobs/{id}", ReportedJob, query=_QUESTION)
def get_job(call: ApiCall) -> Any:
    """A job by its id or name, with the report that 'assay report' makes of its folder."""
    job = call.service.jobs.get(call.organisation, call.id)
    report = report_archive(call.service.jobs.archive(job), job.name, _question(call))
    return {"job": job, "report": report}


@routes.lists("/jobs/{id}/trials", RunResource)
def list_trials(call: ApiCall) -> Any:
    """The trials of a job, as runs, the newest first."""
    job = call.service.jobs.get(call.organisation, call.id)
    asked = parse_run_query([("job", job.name), *((name, call.query[name]) for name in call.query)])
    return call.service.imports.slice(call.organisation, asked).each(Run.shown)


def _question(call: ApiCall) -> JobQuestion:
    """Raises ``InputError``."""
    grading = call.filter("grading") or "first"
    if grading not in ("first", "latest"):
        raise InputError(f"grading must be first or latest, got {grading!r}")
    return JobQuestion(call.filter("key"), _threshold(call.filter("threshold")), _ks(call.filter("k")), grading)


def _threshold(written: str | None) -> float:
    try:
        found = 1.0 if written is None else float(written)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise InputError(f"threshold must be a finite number, got {written!r}")
    return found


def _ks(written: str | None) -> tuple[int, ...]:
    parts = [] if not written else written.split(",")
    if not all(one.isascii() and one.isdecimal() and len(one) < 7 and int(one) for one in parts):
        raise InputError(f"k must be whole numbers from 1 on, such as 1,5, got {written!r}")
    return tuple(map(int, parts))
