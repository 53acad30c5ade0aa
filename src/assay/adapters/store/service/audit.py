"""Who did what. Rows are only added."""

from datetime import datetime
from typing import Any

from sqlalchemy import insert

from assay.adapters.store.service.paging import PageRequest, Rows, StoredRows
from assay.adapters.store.service_tables import audit


class StoredAudit(StoredRows):
    """The log of changes of each organisation."""

    def add(
        self,
        organisation: str,
        key: str | None,
        action: str,
        target: str | None,
        at: datetime,
        request: str | None,
    ) -> None:
        named = {"key": key, "action": action, "target": target, "request": request}
        with self._store.writing(durable=False) as connection:
            connection.execute(insert(audit).values(organisation=organisation, at=at, **named))

    def page(self, organisation: str, asked: PageRequest) -> Rows[Any]:
        return self._page(audit, organisation, asked)
