"""Webhooks: who waits for a run is told when it has ended, was broken, or needs somebody to look at it.

A delivery and its work are written with what they tell of, so that neither is lost without the other. It is sent
until it is taken, at least once, for a day. What is sent has ids and results, and no evidence.
"""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, ClassVar, Final, Protocol

from assay.core.errors import MeasurementError
from assay.engine.explorer.list_slices import Slice, SliceRequest
from assay.engine.service.errors import ConflictError
from assay.engine.service.storage import Resources, Row, Transaction
from assay.engine.service.work import SourceDownError, Work, WorkKind, WorkQueue
from assay.formats.strict_model import StrictModel

SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - only how they begin
MOST_HOOKS: Final = 20


class WebhookEvent(Enum):
    """``broken`` is a measurement that waits for a source, or a run that couldn't be measured."""

    TASK_RUN_ENDED = "task_run.ended"
    BENCHMARK_RUN_ENDED = "benchmark_run.ended"
    CODING_RUN_GRADED = "coding_run.graded"
    BROKEN = "measurement.broken"
    SET_ASIDE = "work.set_aside"


class NewWebhook(StrictModel):
    """Where to tell of which events: of all, unless told otherwise."""

    url: str
    events: list[WebhookEvent] | None = None


class Webhook(StrictModel):
    """Where is told of which events."""

    id: str
    url: str
    events: list[WebhookEvent]
    created_at: datetime


class Delivery(StrictModel):
    """One event for one webhook. ``status`` and ``error`` are of the last try."""

    id: str
    event: str
    target: str
    created_at: datetime
    tries: int
    tried_at: datetime | None
    status: int | None
    error: str | None
    delivered_at: datetime | None


@dataclass(frozen=True, slots=True)
class SignedRequest:
    """A request as it is sent, in the form of https://www.standardwebhooks.com says."""

    url: str
    headers: Mapping[str, str]
    body: bytes


class Send(Protocol):
    """Sends a request to where a policy permits. Raises ``MeasurementError`` if there is no answer."""

    def __call__(self, request: SignedRequest) -> int: ...


class Deliveries(Resources[Delivery]):
    """The log of a webhook."""

    table, prefix, word, model = "webhook_deliveries", "msg", "delivery", Delivery


class Webhooks(Resources[Webhook]):
    """The webhooks of organisations. ``opened`` gives the secret of one."""

    table, prefix, word, model = "webhooks", "hook", "webhook", Webhook
    renamed: ClassVar = {}

    def __init__(self, queue: WorkQueue, send: Send, opened: Callable[[str, bytes], str]) -> None:
        super().__init__(queue.storage, queue.host)
        self.deliveries = Deliveries(queue.storage, queue.host)
        self._queue, self._send, self._opened = queue, send, opened

    def add(self, organisation: str, new: NewWebhook, identity: str, sealed: bytes) -> Webhook:
        """Raises ``ConflictError`` for one too many."""
        events = [one.value for one in new.events or WebhookEvent]
        with self.storage.transaction() as rows:
            rows.lock("organisations", id=organisation)
            if len(rows.every(self.table, organisation=organisation)) >= MOST_HOOKS:
                raise ConflictError(f"an organisation must have at most {MOST_HOOKS} webhooks")
            told = {"id": identity, "organisation": organisation, "created_at": self.host.now()}
            rows.insert(self.table, [{**told, "url": new.url, "events": events, "secrets": sealed}])
        return self.get(organisation, identity)

    def remove(self, organisation: str, identity: str) -> None:
        """A webhook with its log. Raises ``NotFoundError``."""
        with self.storage.transaction() as rows:
            self.row(rows, organisation, identity)
            rows.remove_whole(self.table, [identity])

    def log(self, organisation: str, identity: str, asked: SliceRequest) -> Slice[Delivery]:
        """The deliveries, the newest first. Raises ``NotFoundError``."""
        self.row(self.storage, organisation, identity)
        return self.deliveries.slice(organisation, asked, webhook=identity)

    def note(self, rows: Transaction, organisation: str, event: str, told: Mapping[str, Any]) -> None:
        """Tell all who want to know, once the transaction has ended well."""
        for hook in rows.every(self.table, organisation=organisation):
            if event in hook["events"]:
                self._note(rows, organisation, hook["id"], event, told)

    def _note(self, rows: Transaction, organisation: str, hook: str, event: str, told: Mapping[str, Any]) -> None:
        now, identity = self.host.now(), self.host.new_id(self.deliveries.prefix)
        payload = {"type": event, "timestamp": now.isoformat(), "data": dict(told)}
        known = {"id": identity, "organisation": organisation, "created_at": now, "webhook": hook, "tries": 0}
        rows.insert(self.deliveries.table, [{**known, "event": event, "target": told["id"], "payload": payload}])
        self._queue.add_within(rows, organisation, WorkKind.DELIVER_WEBHOOK, identity)

    def deliver(self, work: Work) -> None:
        """Send what was noted. One that isn't taken is sent again later; one whose webhook is gone is not."""
        row = self.storage.find(self.deliveries.table, organisation=work.organisation, id=work.target)
        if row is None or row["delivered_at"] is not None:
            return
        hook = self.row(self.storage, work.organisation, row["webhook"])
        now, status, error = self.host.now(), None, None
        try:
            status = self._send(signed(row, hook["url"], self._opened(hook["id"], hook["secrets"]), now))
            error = None if 200 <= status < 300 else f"the receiver answers {status}"
        except MeasurementError as problem:
            error = str(problem)
        tried = {"tries": row["tries"] + 1, "tried_at": now, "status": status, "error": error}
        with self.storage.transaction() as rows:
            done = {**tried, "delivered_at": now if error is None else None}
            rows.change(self.deliveries.table, done, id=row["id"])
        if error is not None:
            raise SourceDownError(f"webhook {hook['id']}: {error}; it is sent again later")


def signed(delivery: Row, url: str, secret: str, now: datetime) -> SignedRequest:
    """The request of a delivery: its body, and the signature of its id, the time and the body."""
    body = json.dumps(delivery["payload"], separators=(",", ":")).encode()
    at = str(int(now.timestamp()))
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    mac = hmac.digest(key, f"{delivery['id']}.{at}.".encode() + body, hashlib.sha256)
    headers = {
        "Content-Type": "application/json",
        "webhook-id": delivery["id"],
        "webhook-timestamp": at,
        "webhook-signature": f"v1,{base64.b64encode(mac).decode()}",
    }
    return SignedRequest(url, headers, body)
