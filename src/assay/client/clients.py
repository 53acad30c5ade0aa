"""The clients: one that waits for each answer, and one with the same methods to be awaited."""

import asyncio
import json
import random
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from assay.client.requests import CodingRequests, Json, Request, Requests
from assay.core.errors import AssayError, InputError

if TYPE_CHECKING:
    import httpx

TIMEOUT_SEC: Final = 90.0
PATIENCE_SEC: Final = 60.0
FIRST_PAUSE_SEC: Final = 0.2
LONGEST_PAUSE_SEC: Final = 5.0
OVER: Final = ("done", "set_aside")
_JSON: Final = "application/json"
_AGAIN: Final = frozenset((429, 502, 503, 504))


class ServiceError(AssayError):
    """The service answered with an error. ``status`` is that of HTTP, ``code`` the service's own.

    ``status`` is 0 if there was no answer.
    """

    def __init__(self, status: int, code: str, message: str, details: Mapping[str, Any]) -> None:
        super().__init__(f"{message} ({status} {code})" if status else message)
        self.status = status
        self.code = code
        self.details = details


class ServiceConnection:
    """The common part of both clients: the address, the key, and how an answer is read."""

    def __init__(self, url: str, key: str, patience_sec: float = PATIENCE_SEC) -> None:
        if not url.startswith(("http://", "https://")):
            raise InputError(f"the URL of a service must begin with https:// or http://, got {url!r}")
        self.url = url.rstrip("/")
        self._key = key
        self._patience = patience_sec

    def _arguments(self, request: Request) -> dict[str, Any]:
        once = {"Idempotency-Key": str(uuid.uuid4())} if request.needs_key else {}
        headers = {"Authorization": f"Bearer {self._key}", **once, **(request.headers or {})}
        content = {"content": request.body} if isinstance(request.body, bytes) else {"json": request.body}
        if request.body is None:
            content = {}
        return {
            "method": request.method,
            "url": f"{self.url}/v1{request.path}",
            "headers": headers,
            "params": request.query,
            **content,
        }


class Tries:
    """Whether and when to try once more, because an answer isn't there yet."""

    def __init__(self, patience_sec: float) -> None:
        self._end = time.monotonic() + patience_sec
        self._pause = FIRST_PAUSE_SEC

    def pause(self, wanted: float = 0) -> float | None:
        """The seconds to wait; None once the time is over."""
        wait = max(wanted, self._pause * random.uniform(0.5, 1))  # noqa: S311 - no secret
        self._pause = min(self._pause * 2, LONGEST_PAUSE_SEC)
        return wait if time.monotonic() + wait < self._end else None


def error_of(response: "httpx.Response") -> ServiceError:
    try:
        told = response.json()["error"]
        return ServiceError(response.status_code, told["code"], told["message"], told["details"])
    except (ValueError, KeyError, TypeError):
        return ServiceError(response.status_code, "unknown", "the answer isn't one of this service", {})


def read(response: "httpx.Response") -> Any:
    if response.status_code >= 400:
        raise error_of(response)
    if not response.content:
        return None
    return response.json() if response.headers.get("content-type", "").startswith(_JSON) else response.content


def wanted_pause(response: "httpx.Response") -> float | None:
    """How long to wait before the same request may work; None if it never will."""
    busy = response.status_code == 409 and "retry-after" in response.headers
    if response.status_code not in _AGAIN and not busy:
        return None
    written = response.headers.get("retry-after", "")
    return float(written) if written.isdecimal() else 0.0


def check_done(work: Json) -> Json:
    if work["state"] != "done":
        raise ServiceError(0, "set_aside", f"the work was set aside: {work['reason']}", {"work": work["id"]})
    return dict(work)


def unfinished_error(work: Json) -> ServiceError:
    return ServiceError(0, "unfinished", f"the work is still {work['state']}", {"work": work["id"]})


def unreachable(url: str, error: Exception) -> ServiceError:
    return ServiceError(0, "unreachable", f"the service at {url} can't be reached ({type(error).__name__})", {})


def httpx_library() -> Any:
    import httpx  # noqa: PLC0415 - only who has a client pays for it

    return httpx


class Client(ServiceConnection):
    """Asks the service and waits for the answer. To be closed, or used in a ``with``. Safe to use from threads."""

    def __init__(self, url: str, key: str, patience_sec: float = PATIENCE_SEC) -> None:
        super().__init__(url, key, patience_sec)
        self._client = httpx_library().Client(timeout=TIMEOUT_SEC)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up."""
        self._client.close()

    def send(self, request: Request) -> Any:
        """The answer to a request. Raises ``ServiceError``."""
        tries, arguments = Tries(self._patience), self._arguments(request)
        while True:
            try:
                response = self._client.request(**arguments)
            except httpx_library().TransportError as error:
                pause = tries.pause()
                if pause is None:
                    raise unreachable(self.url, error) from error
            else:
                wanted = wanted_pause(response)
                pause = None if wanted is None else tries.pause(wanted)
                if pause is None:
                    return read(response)
            time.sleep(pause)

    def each(self, resource: str, limit: int = 100, **filters: str) -> Iterator[Json]:
        """Everything in a list, the newest first, ``limit`` at a time."""
        cursor: str | None = None
        while True:
            found = self.send(Requests.page(resource, cursor, limit, **filters))
            yield from found["data"]
            cursor = found["_meta"]["next"]
            if cursor is None:
                return

    def graded(self, task: str, outputs: Sequence[Json], **more: Any) -> Iterator[Json]:
        """Grade outputs at once; each answer comes as soon as it is there. Hanging up ends the other gradings."""
        asked = self._arguments(CodingRequests.grade(task, outputs, **more))
        try:
            with self._client.stream(**asked, timeout=None) as response:
                if response.status_code >= 400:
                    response.read()
                    raise error_of(response)
                yield from map(json.loads, response.iter_lines())
        except httpx_library().TransportError as error:
            raise unreachable(self.url, error) from error

    def start(self, task_run: str) -> Json:
        """Start a task run."""
        return dict(self.send(Requests.start(task_run)))

    def complete(self, task_run: str, idempotency_key: str | None = None) -> Json:
        """Complete a task run, and wait for its result."""
        return dict(self.send(Requests.complete(task_run, idempotency_key=idempotency_key)))

    def finished(self, work: str, within_sec: float = 3600) -> Json:
        """Wait until a piece of work is done. Raises ``ServiceError`` if it was set aside, or takes longer."""
        tries = Tries(within_sec)
        while (found := self.send(Requests.work(work)))["state"] not in OVER:
            pause = tries.pause()
            if pause is None:
                raise unfinished_error(found)
            time.sleep(pause)
        return check_done(found)


class AsyncClient(ServiceConnection):
    """The same for code that awaits. To be closed, or used in an ``async with``."""

    def __init__(self, url: str, key: str, patience_sec: float = PATIENCE_SEC) -> None:
        super().__init__(url, key, patience_sec)
        self._client = httpx_library().AsyncClient(timeout=TIMEOUT_SEC)

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Hang up."""
        await self._client.aclose()

    async def send(self, request: Request) -> Any:
        """The answer to a request. Raises ``ServiceError``."""
        tries, arguments = Tries(self._patience), self._arguments(request)
        while True:
            try:
                response = await self._client.request(**arguments)
            except httpx_library().TransportError as error:
                pause = tries.pause()
                if pause is None:
                    raise unreachable(self.url, error) from error
            else:
                wanted = wanted_pause(response)
                pause = None if wanted is None else tries.pause(wanted)
                if pause is None:
                    return read(response)
            await asyncio.sleep(pause)

    async def each(self, resource: str, limit: int = 100, **filters: str) -> AsyncIterator[Json]:
        """Everything in a list, the newest first, ``limit`` at a time."""
        cursor: str | None = None
        while True:
            found = await self.send(Requests.page(resource, cursor, limit, **filters))
            for one in found["data"]:
                yield one
            cursor = found["_meta"]["next"]
            if cursor is None:
                return

    async def graded(self, task: str, outputs: Sequence[Json], **more: Any) -> AsyncIterator[Json]:
        """Grade outputs at once; each answer comes as soon as it is there. Hanging up ends the other gradings."""
        asked = self._arguments(CodingRequests.grade(task, outputs, **more))
        try:
            async with self._client.stream(**asked, timeout=None) as response:
                if response.status_code >= 400:
                    await response.aread()
                    raise error_of(response)
                async for line in response.aiter_lines():
                    yield json.loads(line)
        except httpx_library().TransportError as error:
            raise unreachable(self.url, error) from error

    async def start(self, task_run: str) -> Json:
        """Start a task run."""
        return dict(await self.send(Requests.start(task_run)))

    async def complete(self, task_run: str, idempotency_key: str | None = None) -> Json:
        """Complete a task run, and wait for its result."""
        return dict(await self.send(Requests.complete(task_run, idempotency_key=idempotency_key)))

    async def finished(self, work: str, within_sec: float = 3600) -> Json:
        """Wait until a piece of work is done. Raises ``ServiceError`` if it was set aside, or takes longer."""
        tries = Tries(within_sec)
        while (found := await self.send(Requests.work(work)))["state"] not in OVER:
            pause = tries.pause()
            if pause is None:
                raise unfinished_error(found)
            await asyncio.sleep(pause)
        return check_done(found)
