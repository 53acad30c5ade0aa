"""Job folders that were sent, kept as archives: their trials are runs, their reports can be computed again."""

from typing import Any

from assay.adapters.store import limits
from assay.adapters.store.coding_tables import jobs
from assay.adapters.store.service.paging import AddedRows, PageRequest, Rows, mine, one
from assay.adapters.store.store import Store
from assay.adapters.store.writing import put
from assay.engine.explorer.blobs import BlobStore
from assay.engine.service.host import ServiceHost


class StoredJobs(AddedRows):
    """One archive for each name: the newest that was sent."""

    def __init__(self, store: Store, host: ServiceHost, blobs: BlobStore) -> None:
        super().__init__(store, host)
        self._blobs = blobs

    def put(self, organisation: str, name: str, archive: bytes) -> Any:
        """Keep the archive of a job under its name, in place of an earlier one."""
        blob, now = self._blobs.put([archive]), self._host.now()
        changed: dict[str, object] = {"archive": blob.digest, "size": blob.size, "imported_at": now}
        values = {"id": self._host.new_id("job"), "organisation": organisation, "name": name, "created_at": now}
        with self._store.writing() as connection:
            put(connection, jobs, {**values, **changed}, changed, by=("organisation", "name"))
        return self.job(organisation, name)

    def job(self, organisation: str, identity: str) -> Any:
        """By its id or its name. Raises ``NotFoundError``."""
        known = identity if limits.is_text(identity) else ""
        query = mine(jobs, organisation).where((jobs.c.id == known) | (jobs.c.name == known))
        return one(self._store.rows(query.order_by(jobs.c.id)), "job")

    def page(self, organisation: str, asked: PageRequest) -> Rows[Any]:
        return self._page(jobs, organisation, asked)

    def archive(self, row: Any) -> bytes:
        return b"".join(self._blobs.read(row.archive))
