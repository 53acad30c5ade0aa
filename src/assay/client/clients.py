"""The clients: one that waits for each answer, and one with the same methods to be awaited."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

from assay.client.connection import (
    OVER,
    PATIENCE_SEC,
    TIMEOUT_SEC,
    ServiceConnection,
    Tries,
    check_done,
    httpx_library,
    read,
    unfinished_error,
    unreachable,
    wanted_pause,
)
from assay.client.requests import Json, Request, Requests


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
