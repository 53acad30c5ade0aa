"""The audit log. Rows are only added."""

import logging
from datetime import datetime
from typing import ClassVar

from assay.core.errors import MeasurementError
from assay.engine.service.host import ServiceHost
from assay.engine.service.keys import Key
from assay.engine.service.storage import Resources, Row, Storage, Transaction
from assay.formats.strict_model import StrictModel

log = logging.getLogger("assay.audit")


class AuditEntry(StrictModel):
    """Something that was done, or denied: by which key, to what, in which request. Without a key, at the store."""

    id: int
    key_id: str | None
    action: str
    target: str | None
    at: datetime
    request_id: str | None
    denied: bool


class AuditLog(Resources[AuditEntry]):
    """The log of each organisation: its changes, who read evidence, and what was denied."""

    table, prefix, word, model = "audit", "", "entry", AuditEntry
    renamed: ClassVar = {"key_id": "key", "request_id": "request"}

    def __init__(self, storage: Storage, host: ServiceHost) -> None:
        super().__init__(storage, host)
        self._late: list[Row] = []

    def add(self, key: Key, action: str, target: str, request: str | None, *, denied: bool = False) -> None:
        """Note that something was done with a key, now, or that it was denied."""
        self._add(key.organisation, action, target, {"key": key.id, "request": request, "denied": denied})

    def add_within(self, rows: Transaction, key: Key, action: str, target: str, request: str | None) -> None:
        """The same together with the change that it tells of, or neither."""
        told = {"key": key.id, "request": request, "denied": False}
        rows.insert(self.table, [self._entry(key.organisation, action, target, told)])

    def add_done(self, key: Key, action: str, target: str, request: str | None) -> None:
        """The same for a change that was made before, and is answered as made. If the store can't take the entry
        now, it is in the log, and follows with the next one.
        """
        entry = self._entry(key.organisation, action, target, {"key": key.id, "request": request, "denied": False})
        try:
            self._write(entry)
        except MeasurementError as error:
            self._late.append(entry)
            told = {name: value for name, value in entry.items() if name != "at"}
            log.error("the audit log can't be written (%s), and will have this later: %s", error, told)

    def add_at_store(self, organisation: str, action: str, target: str) -> None:
        """Note what an operator did without a key."""
        self._add(organisation, action, target, {"denied": False})

    def _add(self, organisation: str, action: str, target: str, told: dict[str, object]) -> None:
        self._write(self._entry(organisation, action, target, told))

    def _entry(self, organisation: str, action: str, target: str, told: Row) -> Row:
        now = self.host.now()
        return {"organisation": organisation, "at": now, "action": action, "target": target, **told}

    def _write(self, entry: Row) -> None:
        late = self._late[:]
        with self.storage.transaction(durable=False) as rows:
            rows.insert(self.table, [*late, entry])
        del self._late[: len(late)]
