"""The audit log. Rows are only added."""

from datetime import datetime
from typing import ClassVar

from assay.engine.service.keys import Key
from assay.engine.service.storage import Resources
from assay.formats.strict_model import StrictModel


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

    def add(self, key: Key, action: str, target: str, request: str | None, *, denied: bool = False) -> None:
        """Note that something was done with a key, now, or that it was denied."""
        self._add(key.organisation, action, target, {"key": key.id, "request": request, "denied": denied})

    def add_at_store(self, organisation: str, action: str, target: str) -> None:
        """Note what an operator did without a key."""
        self._add(organisation, action, target, {"denied": False})

    def _add(self, organisation: str, action: str, target: str, told: dict[str, object]) -> None:
        entry = {"organisation": organisation, "at": self.host.now(), "action": action, "target": target, **told}
        with self.storage.transaction(durable=False) as rows:
            rows.insert(self.table, [entry])
