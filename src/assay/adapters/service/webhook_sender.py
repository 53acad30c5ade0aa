"""Sends webhooks: only where sources may be, without following anybody elsewhere."""

from typing import Final

from assay.adapters.sources.source_guard import GuardedClient
from assay.core.errors import MeasurementError
from assay.engine.integration.webhooks import SignedRequest

TIMEOUT_SEC: Final = 10.0
UNREACHABLE: Final = "the receiver can't be reached"


class WebhookSender:
    """Fulfils ``Send``."""

    def __init__(self, client: GuardedClient) -> None:
        self._client = client

    def __call__(self, request: SignedRequest) -> int:
        import httpx  # noqa: PLC0415 - only who has webhooks needs it

        try:
            sending = self._client().stream(
                "POST", request.url, headers=dict(request.headers), content=request.body, timeout=TIMEOUT_SEC
            )
            # Whatever the receiver says beside its status isn't read.
            with sending as response:
                return int(response.status_code)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise MeasurementError(UNREACHABLE) from error
