"""Who did what. Rows are only added."""

from datetime import datetime

from sqlalchemy import insert, select

from assay.adapters.store.service.paging import PageRequest, Rows, page
from assay.adapters.store.service_tables import audit
from assay.adapters.store.store import Store


class StoredAudit:
    """The log of changes of each organisation."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(
        self,
        organisation: str,
        key: str | None,
        action: str,
        target: str | None,
        at: datetime,
        request: str | None,
    ) -> None:
        values = {
            "organisation": organisation,
            "key": key,
            "action": action,
            "target": target,
            "at": at,
            "request": request,
        }
        with self._store.writing(durable=False) as connection:
            connection.execute(insert(audit).values(values))

    def page(self, organisation: str, asked: PageRequest) -> Rows:
        return page(self._store, select(audit).where(audit.c.organisation == organisation), audit.c.id, asked)
