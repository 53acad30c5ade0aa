"""The judge of each organisation: where it is, and its key, encrypted."""

from typing import Any

from sqlalchemy import delete, select

from assay.adapters.store.coding_tables import judges
from assay.adapters.store.service.paging import StoredRows
from assay.adapters.store.writing import put
from assay.engine.service.errors import NotFoundError


class StoredJudges(StoredRows):
    """At most one judge for each organisation."""

    def put(self, organisation: str, settings: dict[str, Any], secrets: bytes | None) -> None:
        changed: dict[str, object] = {"settings": settings, "secrets": secrets}
        with self._store.writing() as connection:
            put(connection, judges, {"organisation": organisation, **changed}, changed)

    def find(self, organisation: str) -> tuple[dict[str, Any], bytes | None] | None:
        rows = self._store.rows(select(judges).where(judges.c.organisation == organisation))
        return (rows[0].settings, rows[0].secrets) if rows else None

    def remove(self, organisation: str) -> None:
        """Raises ``NotFoundError``."""
        with self._store.writing() as connection:
            if not connection.execute(delete(judges).where(judges.c.organisation == organisation)).rowcount:
                raise NotFoundError("there is no judge")
