"""Keys of an organisation, and the log of who did what."""

from datetime import datetime
from typing import Literal

from pydantic import AwareDatetime, Field

from assay.adapters.store.limits import checked_time
from assay.adapters.store.service.keys import key_of_row
from assay.api.answers import Answer, shown, shown_page
from assay.api.routing import Call, Routes
from assay.dialects.criteria.models import StrictModel
from assay.dialects.criteria.resources import Name
from assay.engine.service.keys import IssuedKey, Key, Owner, Scope, issue_key, rotate_key

routes = Routes()


class NewKey(StrictModel):
    """A key to be added. A run token needs ``benchmark_run_id`` and ``expires_at``."""

    name: Name
    scope: Literal["admin", "grader", "reader", "run"]
    benchmark_run_id: Name | None = None
    expires_at: AwareDatetime | None = None


class KeyResource(StrictModel):
    """A key without its secret."""

    id: str
    name: str
    scope: Scope
    benchmark_run_id: str | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


class NewSecret(StrictModel):
    """A new key with its secret, which is shown only here."""

    key: KeyResource
    secret: str = Field(description="to be sent as a bearer token")


class AuditEntry(StrictModel):
    """Something that was done: by which key, to what, in which request."""

    id: int
    key_id: str | None
    action: str
    target: str | None
    at: datetime
    request_id: str | None


@routes.add("POST", "/keys", Scope.ADMIN, body=NewKey, answer=NewSecret, status=201, also=(404,))
def create_key(call: Call) -> Answer:
    """Add a key. Its secret is shown once."""
    new: NewKey = call.body
    if new.benchmark_run_id is not None:
        call.service.benchmarks.run(call.organisation, new.benchmark_run_id)
    owner = Owner(call.organisation, new.benchmark_run_id)
    service = call.service
    ends = None if new.expires_at is None else checked_time(new.expires_at, "expires_at")
    return _issued(issue_key(service.keys, service.host, owner, Scope(new.scope), new.name, ends))


@routes.add("GET", "/keys", Scope.ADMIN, answer=KeyResource, lists=True)
def list_keys(call: Call) -> Answer:
    """The keys, the newest first, without their secrets."""
    asked = call.page
    rows = call.service.keys.keys(call.organisation, asked)
    return shown_page([_shown(key_of_row(row)) for row in rows.rows], rows, asked.limit)


@routes.add("POST", "/keys/{id}/rotate", Scope.ADMIN, answer=NewSecret, status=201, also=(404,))
def rotate(call: Call) -> Answer:
    """A new key in place of this one, which is revoked at once."""
    return _issued(rotate_key(call.service.keys, call.service.host, call.organisation, call.path["id"]))


@routes.add("POST", "/keys/{id}/revoke", Scope.ADMIN, answer=KeyResource, also=(404,))
def revoke(call: Call) -> Answer:
    """Revoke a key at once."""
    service = call.service
    return shown(_shown(service.keys.revoke_key(call.organisation, call.path["id"], service.host.now())))


@routes.add("GET", "/audit", Scope.ADMIN, answer=AuditEntry, lists=True)
def list_audit(call: Call) -> Answer:
    """Who did what, the newest first."""
    asked = call.page
    rows = call.service.audit.page(call.organisation, asked)
    entries = [
        {
            "id": row.id,
            "key_id": row.key,
            "action": row.action,
            "target": row.target,
            "at": row.at,
            "request_id": row.request,
        }
        for row in rows.rows
    ]
    return shown_page(entries, rows, asked.limit)


def _issued(issued: IssuedKey) -> Answer:
    return shown({"key": _shown(issued.key), "secret": issued.secret}, 201)


def _shown(key: Key) -> dict[str, object]:
    return {
        "id": key.id,
        "name": key.name,
        "scope": key.scope,
        "benchmark_run_id": key.benchmark_run,
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
    }
