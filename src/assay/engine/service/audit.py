"""The audit log. Rows are only added."""

from datetime import datetime
from typing import ClassVar

from assay.engine.service.keys import Key
from assay.engine.service.storage import Resources
from assay.formats.strict_model import StrictModel


class AuditEntry(StrictModel):
    """Something that was done: by which key, to what, in which request."""

    id: int
    key_id: str | None
    action: str
    target: str | None
    at: datetime
    request_id: str | None


class AuditLog(Resources[AuditEntry]):
    """The log of changes of each organisation."""

    table, prefix, word, model = "audit", "", "entry", AuditEntry
    renamed: ClassVar = {"key_id": "key", "request_id": "request"}

    def add(self, key: Key, action: str, target: str | None, request: str | None) -> None:
        """Note that something was done with a key, now."""
        told = {"key": key.id, "action": action, "target": target, "request": request}
        with self.storage.transaction(durable=False) as rows:
            rows.insert(self.table, [{"organisation": key.organisation, "at": self.host.now(), **told}])
