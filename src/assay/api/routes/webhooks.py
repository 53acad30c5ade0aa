"""Webhooks of an organisation, and the log of what was sent to them."""

import base64
import secrets
from typing import Any

from pydantic import Field

from assay.adapters.service.sources import check_host
from assay.api.routing import ApiCall, Routes
from assay.core.errors import InputError, MeasurementError
from assay.engine.integration.webhooks import SECRET_PREFIX, Delivery, NewWebhook, Webhook
from assay.engine.service.keys import Scope
from assay.formats.endpoint_url import base_url
from assay.formats.strict_model import StrictModel

routes = Routes()


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
