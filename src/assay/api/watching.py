"""Around every request: an id, a line in the log, and its numbers. No value of a request or answer is logged."""

import json
import logging
import re
import secrets
import time
from typing import Final

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.adapters.machine.tracing import SpanNotes, span
from assay.api.answers import problem
from assay.api.metrics import Metrics
from assay.core.broken import where_it_broke

log = logging.getLogger("assay.requests")
_ID: Final = re.compile(rb"[A-Za-z0-9._-]{1,100}")


class Watched:
    """Wraps the application."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _given_id(scope) or secrets.token_hex(8)
        scope["assay.request"] = request_id
        began, status = time.perf_counter(), 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [
                    *message["headers"],
                    (b"x-request-id", request_id.encode()),
                    (b"x-content-type-options", b"nosniff"),
                    *(
                        (name.lower().encode(), left.encode())
                        for name, left in scope.get("assay.rate", {}).items()
                    ),
                ]
            await send(message)

        with span(scope["method"], _trace_of(scope), serves=True) as told:
            try:
                await self._app(scope, receive, sending)
            except Exception as error:
                # Its text may have values of a request in it.
                log.error("a request broke: %s", where_it_broke(error), extra={"request": request_id})
                if status:
                    raise
                await _internal_error()(scope, receive, sending)
            finally:
                self._tell(scope, request_id, status, time.perf_counter() - began)
                _trace(told, scope, request_id, status)

    def _tell(self, scope: Scope, request_id: str, status: int, seconds: float) -> None:
        route, key = scope.get("assay.route", "other"), scope.get("assay.key")
        self._metrics.request(scope["method"], route, status, seconds)
        if log.isEnabledFor(logging.INFO):
            said = {
                "request": request_id,
                "method": scope["method"],
                "route": route,
                "status": status,
                "ms": round(seconds * 1000, 2),
                "organisation": None if key is None else key.organisation,
                "key": None if key is None else key.id,
            }
            log.info(json.dumps(said))


def _trace(told: SpanNotes, scope: Scope, request_id: str, status: int) -> None:
    """Trace a request: by the route, never the path or the query."""
    route, key = scope.get("assay.route", "other"), scope.get("assay.key")
    told.rename(f"{scope['method']} {route}")
    told.add(
        http__request__method=scope["method"],
        http__route=route,
        http__response__status_code=status,
        assay__request=request_id,
        assay__organisation=None if key is None else key.organisation,
    )
    if status >= 500:
        told.failed(str(status))


def _trace_of(scope: Scope) -> dict[str, str]:
    """The headers with which a caller says which trace a request belongs to."""
    wanted = (b"traceparent", b"tracestate")
    return {name.decode(): value.decode("latin-1") for name, value in scope["headers"] if name in wanted}


def _given_id(scope: Scope) -> str | None:
    written = next((value for name, value in scope["headers"] if name == b"x-request-id"), b"")
    return written.decode() if _ID.fullmatch(written) else None


def _internal_error() -> Response:
    answer = problem(500, "internal_error", "the service broke; its log says more under the request's id")
    return Response(answer.body, answer.status, {"Cache-Control": "no-store"}, answer.media_type)
