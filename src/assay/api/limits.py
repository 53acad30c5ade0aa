"""How much a caller may ask for: the size and the pace of a body, and the number of requests."""

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final

from starlette.requests import ClientDisconnect, Request

from assay.api.answers import problem
from assay.api.problems import RefusedError

BODY_SEC: Final = 30.0
KEPT_KEYS: Final = 10_000


async def read_body(request: Request, most_bytes: int, seconds: float = BODY_SEC) -> bytes:
    """The body. Raises ``RefusedError`` for one that is too large or comes too slowly."""
    written = request.headers.get("content-length", "")
    if written.isdecimal() and int(written) > most_bytes:
        raise too_large(most_bytes)
    content = bytearray()
    async with arriving("the body", seconds):
        async for chunk in request.stream():
            content += chunk
            if len(content) > most_bytes:
                raise too_large(most_bytes)
    return bytes(content)


@asynccontextmanager
async def arriving(what: str, seconds: float) -> AsyncIterator[None]:
    """Raises ``RefusedError`` if it takes longer than so many seconds, or breaks off."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        raise RefusedError(problem(408, "too_slow", f"{what} must arrive within {seconds:g} s")) from error
    except ClientDisconnect as error:
        raise RefusedError(problem(400, "incomplete", "the body must be complete")) from error


def too_large(most_bytes: int) -> RefusedError:
    return RefusedError(problem(413, "too_large", f"the body must have at most {most_bytes} bytes"))


class RateLimit:
    """A bucket of requests for each key: it holds those of two seconds, and fills up steadily."""

    def __init__(self, per_second: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = per_second
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def check(self, key: str) -> dict[str, str]:
        """How much a caller has left, as headers. Raises ``RefusedError`` with when the caller may come back."""
        if self._rate is None:
            return {}
        now = self._clock()
        room = max(1.0, 2 * self._rate)
        with self._lock:
            left, since = self._buckets.pop(key, (room, now))
            left = min(room, left + (now - since) * self._rate)
            self._buckets[key] = (max(left - 1, 0.0) if left >= 1 else left, now)
            while len(self._buckets) > KEPT_KEYS:
                self._buckets.popitem(last=False)
        told = {
            "RateLimit-Limit": str(int(room)),
            "RateLimit-Remaining": str(max(0, int(left - 1))),
            "RateLimit-Reset": str(max(0, -int(-(room - left + 1) / self._rate // 1))),
        }
        if left < 1:
            wait = max(1, -int(-(1 - left) / self._rate // 1))
            said = f"at most {self._rate:g} requests a second; come back in {wait} s"
            refused = problem(429, "rate_limited", said, retry_after=wait)
            raise RefusedError(replace(refused, headers={**refused.headers, **told}))
        return told
