"""Job folders that were sent, kept as archives: their trials are runs, their reports can be computed again."""

from collections.abc import Iterable
from datetime import datetime
from typing import ClassVar

from assay.engine.explorer.blobs import BlobStore
from assay.engine.explorer.imported_runs import RESULTLESS, Kept
from assay.engine.service.errors import ConflictError
from assay.engine.service.host import ServiceHost
from assay.engine.service.storage import Resources, Row, Storage
from assay.formats.strict_model import StrictModel


class JobResource(StrictModel):
    """A job whose folder was sent. ``sha256`` is that of its newest archive."""

    id: str
    name: str
    sha256: str
    size: int
    created_at: datetime
    imported_at: datetime


class Jobs(Resources[JobResource]):
    """One archive for each name: the newest that was sent."""

    table, prefix, word, model = "jobs", "job", "job", JobResource
    other_key = "name"
    renamed: ClassVar = {"sha256": "archive"}

    def __init__(self, storage: Storage, host: ServiceHost, blobs: BlobStore) -> None:
        super().__init__(storage, host)
        self._blobs = blobs

    def put(self, organisation: str, name: str, archive: Iterable[bytes]) -> JobResource:
        """Keep the archive of a job under its name, in place of an earlier one."""
        blob, now = self._blobs.put(archive), self.host.now()
        newest = {"archive": blob.digest, "size": blob.size, "imported_at": now}
        first = {"id": self.host.new_id(self.prefix), "created_at": now}
        with self.storage.transaction() as rows:
            rows.put(self.table, {"organisation": organisation, "name": name}, newest, first)
        return self.get(organisation, name)

    def archive(self, job: JobResource) -> bytes:
        return b"".join(self._blobs.read(job.sha256))


def kind_of_import(kept: Kept, before: Row | None) -> str:
    """``before`` is what is known of the run. Raises ``ConflictError`` for one that came with another result."""
    if before is None:
        return "added"
    if before["digest"] == kept.digest:
        return "known"
    if before["reason"] not in RESULTLESS:
        run = kept.run
        raise ConflictError(f"the run {run.name} of the job {run.job} was imported with another result")
    return "replaced"
