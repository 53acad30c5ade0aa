"""The application: every route with its rule, and the manners that all of them share."""

import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route as StarletteRoute

from assay.adapters.store.columns import DEFAULT_ORGANISATION
from assay.api.answers import JSON, ApiAnswer, answer_with, problem
from assay.api.limits import BODY_SEC, RateLimit, read_body
from assay.api.metrics import Metrics
from assay.api.openapi import openapi
from assay.api.pages.server import PageServer, PageSettings
from assay.api.problems import RefusedError, answer_of, parse_body
from assay.api.record_stream import record_stream
from assay.api.repeated import HashedBody, attempt_of, done_once, streamed_once
from assay.api.routes import (
    benchmarks,
    coding_runs,
    deletion,
    grade,
    jobs,
    organisation,
    playgrounds,
    run_files,
    runs,
    scenarios,
    task_runs,
    work,
)
from assay.api.routing import STREAM, WATCH, ApiCall, Route, by_path
from assay.api.service import Service
from assay.api.watching import Watched
from assay.core.errors import AssayError, InputError
from assay.engine.explorer.run_export import render_json
from assay.engine.service.keys import PREFIX, Key, Scope, key_of

_PARTS: Final = (
    *(benchmarks.routes, task_runs.routes, playgrounds.routes, work.routes, run_files.routes, runs.routes),
    *(scenarios.routes, coding_runs.routes, jobs.routes, grade.routes),
    *(runs.of_task_runs, organisation.routes, deletion.routes),
)
ROUTES: Final[tuple[Route, ...]] = tuple(route for part in _PARTS for route in part.all)
# Larger bodies are read only from those who have a key.
SMALL_BYTES: Final = 64 * 1024
READY_SEC: Final = 1.0


@dataclass(frozen=True, slots=True)
class Settings:
    """The operator's settings. With ``worker_threads``, queued work is done in this process, too."""

    requests_per_second: float | None = None
    worker_threads: int = 0
    body_seconds: float = BODY_SEC
    pages: PageSettings = field(default_factory=PageSettings)
    metrics: Metrics = field(default_factory=Metrics)


def make_app(service: Service, settings: Settings | None = None) -> Starlette:
    """The application on a service, which it doesn't close."""
    settings = settings or Settings()

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        worker = service.worker(settings.worker_threads)
        service.work.woken.append(worker.wake)
        worker.start()
        try:
            yield
        finally:
            service.work.woken.remove(worker.wake)
            await run_in_threadpool(worker.end)

    server, described = Server(service, settings), openapi(ROUTES)
    pages = PageServer(service, settings.pages, settings.body_seconds)
    plain = {
        "/healthz": server.alive,
        "/readyz": server.ready,
        "/metrics": server.metrics,
        "/openapi.json": _constant(render_json(described), JSON),
        "/docs": pages.described(described, schemas=False),
        "/docs/schemas": pages.described(described, schemas=True),
    }
    routes = [
        *(
            StarletteRoute(prefix + path, server.endpoint(of_path), methods=list(of_path))
            for path, of_path in by_path(ROUTES).items()
            for prefix in ("/v1", "")
        ),
        *(StarletteRoute(path, answer, methods=["GET"]) for path, answer in plain.items()),
        *pages.routes(),
    ]
    watched = Middleware(Watched, metrics=settings.metrics)
    errors: dict[Any, Any] = {HTTPException: _unknown, RefusedError: _refuse, AssayError: _refuse}
    return Starlette(routes=routes, middleware=[watched], exception_handlers=errors, lifespan=lifespan)


def _constant(content: bytes, media_type: str) -> Callable[[Request], Any]:
    """Answers everybody the same."""

    async def answer(request: Request) -> Response:  # noqa: ARG001 - what starlette calls
        return Response(content, media_type=media_type)

    return answer


async def _unknown(_request: Request, error: HTTPException) -> Response:
    """A path or a method that no route has."""
    code, said = (
        ("method_not_allowed", "this address has other methods")
        if error.status_code == 405
        else ("not_found", "there is nothing at this address")
    )
    return _response(problem(error.status_code, code, said), dict(error.headers or {}))


async def _refuse(request: Request, error: Exception) -> Response:
    """The one place at which an error that is known becomes an answer. All others are left to ``Watched``."""
    return _response(answer_of(error, request.scope.get("assay.key")))


class Server:
    """Answers requests: who asks, may they, what do they want, and what is said."""

    def __init__(self, service: Service, settings: Settings) -> None:
        self._service = service
        self._metrics = settings.metrics
        self._limit = RateLimit(settings.requests_per_second)
        self._body_seconds = settings.body_seconds
        self._ready_at = -READY_SEC

    def endpoint(self, of_path: Mapping[str, Route]) -> Callable[[Request], Any]:
        """The endpoint for the methods of one path."""
        known = {id(STREAM): self._answer_stream, id(WATCH): self._answer_watch}

        async def answer(request: Request) -> Response:
            route = of_path["GET" if request.method == "HEAD" else request.method]
            request.scope["assay.route"] = route.path
            _check_text(request)
            return await known.get(id(route.body), self._whole)(route, request)

        return answer

    async def _whole(self, route: Route, request: Request) -> Response:
        known = await run_in_threadpool(self._key_for, route, request) if _is_large(request) else None
        content = await read_body(request, route.most_bytes, self._body_seconds)
        return _response(await run_in_threadpool(self._answer, route, request, content, known))

    async def _answer_stream(self, route: Route, request: Request) -> Response:
        key = await run_in_threadpool(self._key_for, route, request)
        body, attempt = HashedBody(request), attempt_of(route, request, key, b"")

        async def record() -> ApiAnswer:
            told = (key.organisation, request.path_params["id"], body, self._body_seconds)
            answered = await record_stream(self._service, *told)
            await run_in_threadpool(self._note, route, request, key)
            return answered

        return _response(await streamed_once(self._service, attempt, body, record))

    async def _answer_watch(self, route: Route, request: Request) -> Response:
        key = await run_in_threadpool(self._key_for, route, request)
        first = await run_in_threadpool(self._service.work.get, key.organisation, request.path_params["id"])
        return StreamingResponse(work.work_events(self._service, first), media_type=work.EVENTS)

    def _answer(self, route: Route, request: Request, content: bytes, known: Key | None) -> ApiAnswer:
        key, body = known or self._key_for(route, request), _body(route, content)
        asked = (request.path_params, request.query_params, request.headers)
        call = ApiCall(self._service, key, *asked, content, body, request.scope.get("assay.request"))

        def do() -> ApiAnswer:
            value = route.handle(call)
            answer = answer_with(value, route.status)
            if route.noted:
                self._note(route, request, key, value)
            made = _id_in(value) if route.location else None
            if made is None or answer.status >= 300 or "Location" in answer.headers:
                return answer
            return replace(answer, headers={**answer.headers, "Location": f"/v1{route.location}/{made}"})

        attempt = attempt_of(route, request, key, content)
        secret = request.headers["authorization"] if route.secret else None
        return _unless_known(request, done_once(self._service, attempt, secret, do))

    def _key_for(self, route: Route, request: Request) -> Key:
        """The key of the caller. Raises ``RefusedError`` before anything that is asked for was looked at."""
        key = self._key_in(request)
        request.scope["assay.rate"] = self._limit.check(key.id)
        if key.scope not in route.scopes:
            self._note(route, request, key, denied=True)
            raise RefusedError(problem(403, "forbidden", f"a key of the scope {key.scope.value} can't do this"))
        return key

    def _key_in(self, request: Request) -> Key:
        scheme, _, secret = request.headers.get("authorization", "").partition(" ")
        key = None
        if scheme.lower() == "bearer" and secret.startswith(PREFIX):
            key = key_of(self._service.keys, secret)
        if key is None:
            raise RefusedError(_NO_KEY)
        request.scope["assay.key"] = key
        return key

    def _note(self, route: Route, request: Request, key: Key, value: Any = None, *, denied: bool = False) -> None:
        target = request.path_params.get("id") or _id_in(value) or route.path
        told = (key, route.name, target, request.scope.get("assay.request"))
        if denied or route.method == "GET":
            self._service.audit.add(*told, denied=denied)
        else:
            self._service.audit.add_done(*told)

    async def alive(self, request: Request) -> Response:  # noqa: ARG002 - what starlette calls
        return _response(ApiAnswer(200, b'{"status":"ok"}'))

    async def ready(self, request: Request) -> Response:  # noqa: ARG002 - what starlette calls
        """Anybody may ask, so it isn't looked at more than once a second."""
        if time.monotonic() - self._ready_at > READY_SEC:
            await run_in_threadpool(self._service.store.check_writable)
            self._ready_at = time.monotonic()
        return _response(ApiAnswer(200, b'{"status":"ready"}'))

    async def metrics(self, request: Request) -> Response:
        """For the operator: how much is going on says something about every organisation."""
        request.scope["assay.route"] = "/metrics"
        key = await run_in_threadpool(self._key_in, request)
        if key.organisation != DEFAULT_ORGANISATION or key.scope is Scope.RUN:
            return _response(_NOT_THE_OPERATOR)
        try:
            gauges = await run_in_threadpool(self._gauges)
        except AssayError:
            # The numbers of requests are wanted most when the store is down.
            gauges = {}
        return Response(self._metrics.text(gauges), media_type="text/plain; version=0.0.4")

    def _gauges(self) -> dict[str, tuple[str, int]]:
        work = self._service.work
        return {
            "assay_work_waiting": ("Work that is not done yet.", work.waiting()),
            "assay_work_waiting_for_source": (
                "Work that waits for a source that is down.",
                work.waiting_for_source(),
            ),
        }


_NO_KEY: Final = ApiAnswer(
    401,
    problem(401, "unauthorized", "send a valid key: Authorization: Bearer ask_…").body,
    {"WWW-Authenticate": "Bearer"},
)

_NOT_THE_OPERATOR: Final = problem(
    403, "forbidden", f"this needs a key of the organisation {DEFAULT_ORGANISATION!r}, which is the operator's"
)


def _check_text(request: Request) -> None:
    """Raises ``InputError`` for an address that would be another one once it is read as text."""
    try:
        unquote_to_bytes(request.scope["raw_path"]).decode()
    except UnicodeDecodeError as error:
        raise InputError("the address must be text in UTF-8") from error


def _id_in(value: Any) -> str | None:
    """The id of what was made, or of the first of several things."""
    fields = value if isinstance(value, dict) else getattr(value, "__dict__", {})
    if isinstance(fields.get("id"), str):
        return str(fields["id"])
    return next(filter(None, map(_id_in, fields.values())), None) if isinstance(value, dict) else None


def _is_large(request: Request) -> bool:
    written = request.headers.get("content-length")
    if written is None:
        return "transfer-encoding" in request.headers
    return not written.isdecimal() or int(written) > SMALL_BYTES


def _body(route: Route, content: bytes) -> Any:
    """The body, as the route takes it. Raises ``InputError``."""
    if route.body in (None, bytes, WATCH):
        return None
    if not content.strip() and route.needs_body:
        raise InputError("the body must be JSON, but it is empty")
    return parse_body(route.body, content if content.strip() else b"{}")


def _unless_known(request: Request, answer: ApiAnswer) -> ApiAnswer:
    tag = answer.headers.get("ETag")
    if tag is not None and tag in request.headers.get("if-none-match", "").replace(" ", "").split(","):
        return ApiAnswer(304, b"", answer.headers)
    return answer


def _response(answer: ApiAnswer, more: dict[str, str] | None = None) -> Response:
    headers = {"Cache-Control": "no-store", **answer.headers, **(more or {})}
    if "ETag" in headers:
        headers["Cache-Control"] = "private, no-cache"
    media_type = None if answer.status in (204, 304) else answer.media_type
    if answer.chunks is not None:
        return StreamingResponse(answer.chunks, answer.status, headers, media_type)
    return Response(answer.body, answer.status, headers, media_type)
