"""A job folder in an archive that somebody sent: imported and reported by the code that reads folders."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from assay.adapters.jobs.job_folder import DiskJobFolder
from assay.adapters.jobs.results_folder import JOB_FILES, read_results
from assay.adapters.machine.scratch import temporary_folder
from assay.adapters.service.coding import CAPS
from assay.adapters.service.import_runs import Importing
from assay.adapters.store.runs.imported import StoredImports
from assay.adapters.workspace.archives import check_archive, unpack_archive
from assay.core.errors import InputError
from assay.engine.explorer.blobs import BlobStore
from assay.engine.explorer.imported_runs import Imported
from assay.engine.jobs.job_runs import JobQuestion
from assay.engine.report.audit import Audit, audit_job
from assay.engine.report.report import report_job
from assay.engine.report.report_json import job_json


def import_archive(
    imports: StoredImports, blobs: BlobStore, organisation: str, archive: bytes, name: str | None
) -> tuple[str, Imported]:
    """Add the trials of a job, once each, and return its name. Raises ``InputError``, ``ConflictError``."""
    with _unpack(archive) as (path, found):
        if name is None and found is None:
            raise InputError("name must be given: the archive has no folder around the job")
        return Importing(imports, blobs, organisation).job(path, _read(path), name)


def report_archive(archive: bytes, name: str, question: JobQuestion) -> dict[str, Any]:
    """The report on a job, as ``assay report --json`` has it. Raises ``InputError``."""
    with _unpack(archive) as (path, _):
        results = _read(path)
    report = report_job(results.job, question, results.histories, results.regrades)
    return job_json(report) | {"job": name}


def audit_archive(archive: bytes, name: str) -> Audit | None:
    """Whether the record of a job of that name follows from its trials; None without a record to be audited."""
    with _unpack(archive) as (path, _):
        try:
            results = _read(path)
            job = replace(results.job, name=name)
            return None if job.recorded is None else audit_job(DiskJobFolder(path), job)
        except InputError:
            return None


def _read(path: str) -> Any:
    try:
        return read_results(path)
    except InputError as error:
        # The path is one of this server's.
        raise InputError(str(error).replace(path, "the archive")) from error


@contextmanager
def _unpack(archive: bytes) -> Iterator[tuple[str, str | None]]:
    """The folder of the job, and its name if the archive says one."""
    with temporary_folder(0o700) as place:
        packed, folder = f"{place}/archive", f"{place}/job"
        os.mkdir(folder)
        with open(packed, "xb") as file:
            file.write(archive)
        check_archive(packed, CAPS)
        unpack_archive(packed, folder, caps=CAPS)
        inside = os.listdir(folder)
        only = inside[0] if len(inside) == 1 and inside[0] not in JOB_FILES else None
        around = only is not None and os.path.isdir(f"{folder}/{only}") and not os.path.islink(f"{folder}/{only}")
        yield (f"{folder}/{only}", only) if around else (folder, None)
