"""Job folders that were sent, kept as archives: their trials are runs, their reports can be computed again."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.engine import Row

from assay.adapters.store import limits
from assay.adapters.store.coding_tables import jobs
from assay.adapters.store.service.paging import PageRequest, Rows, page
from assay.adapters.store.store import Store
from assay.adapters.store.writing import put
from assay.engine.service.blobs import BlobStore
from assay.engine.service.errors import NotFoundError
from assay.engine.service.host import ServiceHost


class StoredJobs:
    """One archive for each name: the newest that was sent."""

    def __init__(self, store: Store, host: ServiceHost, blobs: BlobStore) -> None:
        self._store = store
        self._host = host
        self._blobs = blobs

    def put(self, organisation: str, name: str, archive: bytes) -> "Row[*tuple[Any, ...]]":
        """Keep the archive of a job under its name, in place of an earlier one."""
        blob, now = self._blobs.put([archive]), self._host.now()
        changed: dict[str, object] = {"archive": blob.digest, "size": blob.size, "imported_at": now}
        values = {"id": self._host.new_id("job"), "organisation": organisation, "name": name, "created_at": now}
        with self._store.writing() as connection:
            put(connection, jobs, {**values, **changed}, changed, by=("organisation", "name"))
        return self.job(organisation, name)

    def job(self, organisation: str, identity: str) -> "Row[*tuple[Any, ...]]":
        """By its id or its name. Raises ``NotFoundError``."""
        known = identity if limits.is_text(identity) else ""
        mine = (jobs.c.organisation == organisation) & ((jobs.c.id == known) | (jobs.c.name == known))
        rows = self._store.rows(select(jobs).where(mine).order_by(jobs.c.id))
        if not rows:
            raise NotFoundError("there is no such job")
        return rows[0]

    def page(self, organisation: str, asked: PageRequest) -> Rows:
        return page(self._store, select(jobs).where(jobs.c.organisation == organisation), jobs.c.id, asked)

    def archive(self, row: "Row[*tuple[Any, ...]]") -> bytes:
        return b"".join(self._blobs.read(row.archive))
