"""What belongs to an organisation as a whole: keys, webhooks, the retention, and the log of who did what."""

import base64
import secrets
from datetime import datetime
from typing import Any, Literal

from pydantic import AwareDatetime, Field

from assay.adapters.service.sources import check_host
from assay.api.answers import resource_from
from assay.api.routing import ApiCall, Routes
from assay.api.service import Service
from assay.core.errors import InputError, MeasurementError
from assay.engine.criteria.stored_limits import checked_time
from assay.engine.integration.webhooks import SECRET_PREFIX, Delivery, NewWebhook, Webhook
from assay.engine.service.audit import AuditEntry
from assay.engine.service.keys import IssuedKey, Key, Owner, Scope, issue_key, rotate_key
from assay.formats.endpoint_url import base_url
from assay.formats.strict_model import Name, StrictModel

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


@routes.post("/keys", NewSecret, Scope.ADMIN, body=NewKey, status=201, also=(404,), secret=True)
def create_key(call: ApiCall) -> Any:
    """Add a key. Its secret is shown once."""
    return _new_secret(issued_key(call.service, call.organisation, call.body))


def issued_key(service: Service, organisation: str, new: NewKey) -> IssuedKey:
    """A new key. Raises ``InputError``."""
    if new.benchmark_run_id is not None:
        service.benchmark_runs.get(organisation, new.benchmark_run_id)
    owner = Owner(organisation, new.benchmark_run_id)
    ends = None if new.expires_at is None else checked_time(new.expires_at, "expires_at")
    return issue_key(service.keys, owner, Scope(new.scope), new.name, ends)


def _key_resource(key: Key) -> KeyResource:
    return resource_from(KeyResource, key, benchmark_run_id=key.benchmark_run)


routes.resource(
    "/keys",
    KeyResource,
    lambda service: service.keys,
    Scope.ADMIN,
    show=_key_resource,
    list_keys="The keys, the newest first, without their secrets.",
)


@routes.post("/keys/{id}/rotate", NewSecret, Scope.ADMIN, status=201, secret=True)
def rotate(call: ApiCall) -> Any:
    """A new key in place of this one, which is revoked at once."""
    return _new_secret(rotate_key(call.service.keys, call.organisation, call.id))


@routes.post("/keys/{id}/revoke", KeyResource, Scope.ADMIN, also=(404, 409))
def revoke(call: ApiCall) -> Any:
    """Revoke a key at once. The last valid admin key stays."""
    return _key_resource(call.service.keys.revoke(call.organisation, call.id, spare_last_admin=True))


routes.resource(
    "/audit",
    AuditEntry,
    lambda service: service.audit,
    Scope.ADMIN,
    time="at",
    list_audit="The audit log, newest first.",
)


def _new_secret(issued: IssuedKey) -> dict[str, object]:
    return {"key": _key_resource(issued.key), "secret": issued.secret}


class Retention(StrictModel):
    """After how many days ``assay db prune`` deletes what has ended; null for never."""

    days: int | None = Field(ge=1, le=36_500)


@routes.get("/retention", Retention, Scope.ADMIN)
def get_retention(call: ApiCall) -> Any:
    """For how long the organisation keeps what has ended."""
    return {"days": call.service.deletion.retention(call.organisation)}


@routes.put("/retention", Retention, Scope.ADMIN, body=Retention)
def replace_retention(call: ApiCall) -> Any:
    """Say for how long the organisation keeps what has ended. ``assay db prune`` deletes what is older."""
    call.service.deletion.retain(call.organisation, call.body.days)
    return call.body


class IssuedWebhook(StrictModel):
    """A new webhook with its secret, which is shown only here."""

    webhook: Webhook
    secret: str = Field(description="by which requests are signed, as https://www.standardwebhooks.com says")


@routes.post(
    "/webhooks",
    IssuedWebhook,
    Scope.ADMIN,
    body=NewWebhook,
    also=(409,),
    secret=True,
    location="/webhooks",
)
def create_webhook(call: ApiCall) -> Any:
    """Tell a URL of events. Requests are signed, and sent until one is answered with 2xx, for a day."""
    service, new = call.service, call.body
    try:
        base_url(new.url.partition("?")[0], "a webhook")
        check_host(new.url, service.policy)
    except (ValueError, MeasurementError) as error:
        raise InputError(str(error)) from error
    identity = service.host.new_id(service.webhooks.prefix)
    secret = SECRET_PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()
    sealed = service.secrets.seal({"secret": secret}, identity)
    return {"webhook": service.webhooks.add(call.organisation, new, identity, sealed), "secret": secret}


routes.resource(
    "/webhooks",
    Webhook,
    lambda service: service.webhooks,
    list_webhooks="The webhooks, the newest first.",
    get_webhook="One webhook.",
    delete_webhook="Remove a webhook with its log.",
)


@routes.lists("/webhooks/{id}/deliveries", Delivery)
def list_deliveries(call: ApiCall) -> Any:
    """The deliveries to a webhook, the newest first, and how each went."""
    return call.service.webhooks.log(call.organisation, call.id, call.slice)
