"""One question for JSON to a server that may be slow, busy or down for a while.

What fails, 429 and 5xx are tried again, later each time, until a deadline; then the measurement is broken.
"""

import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final, TypeVar

from assay.core.errors import BoundsError, MeasurementError
from assay.evidence.bounds import MOST_DIGITS

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")
AGAIN: Final = frozenset((408, 429, 500, 502, 503, 504))


def httpx_module() -> Any:
    """httpx, which is imported only for those who ask a server."""
    import httpx  # noqa: PLC0415 - only who asks a server pays for it

    return httpx


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """How long one question may take in all and at a time, and how large its answer may be."""

    deadline_sec: float = 60
    timeout_sec: float = 15
    answer_bytes: int = 64 * 1024 * 1024
    first_pause_sec: float = 0.25
    longest_pause_sec: float = 8


@dataclass(frozen=True, slots=True)
class Pace:
    """Time, and the part of a pause that is taken: many who wait must not come back all at once."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    part: Callable[[], float] = lambda: random.uniform(0.5, 1)  # noqa: S311 - no secret


@dataclass(frozen=True, slots=True)
class JsonAnswer:
    """A status, and the JSON that came with it; None where there was none. ``date`` is the server's clock."""

    status: int
    body: Any
    date: datetime | None = None


class LargeAnswerError(BoundsError):
    """The answer is larger than what is read. Somebody wrote what is in it, so the server is not to blame."""


class UnreachableError(Exception):
    """A failure that may pass. ``not_before_sec`` is how long a server wants to be left alone."""

    def __init__(self, why: str, not_before_sec: float = 0) -> None:
        super().__init__(why)
        self.not_before_sec = not_before_sec


@dataclass(slots=True)
class Patience:
    """Begins at the first failure, unless it has an end from the start; ``renew`` after each success."""

    what: str
    limits: RequestLimits
    pace: Pace
    end: float | None = None
    _pause: float = field(default=0, init=False)

    def renew(self) -> None:
        """Something worked: the deadline counts from the next failure on."""
        self.end = None

    def wait(self, failure: UnreachableError) -> None:
        """Wait before the next try. Raises ``MeasurementError`` where the time is over."""
        now = self.pace.clock()
        if self.end is None:
            self.end, self._pause = now + self.limits.deadline_sec, 0
        self._pause = self._pause or self.limits.first_pause_sec
        wait = max(self._pause * self.pace.part(), failure.not_before_sec)
        if now + wait >= self.end:
            raise MeasurementError(f"{self.what}: {failure}, for {self.limits.deadline_sec:g} s") from failure
        self.pace.sleep(wait)
        self._pause = min(self._pause * 2, self.limits.longest_pause_sec)


def patiently(what: str, limits: RequestLimits, pace: Pace, attempt: Callable[[], T]) -> T:
    """The answer of an attempt that raises ``UnreachableError`` where it may be worth another."""
    patience = Patience(what, limits, pace)
    while True:
        try:
            return attempt()
        except UnreachableError as failure:
            patience.wait(failure)


class JsonRequests:
    """Asks with one client. ``what`` names the question in messages."""

    def __init__(self, client: "httpx.Client", limits: RequestLimits, pace: Pace) -> None:
        self._client = client
        self._limits = limits
        self._pace = pace

    def get(self, url: "httpx.URL", headers: dict[str, str], what: str, sent: bytes | None = None) -> JsonAnswer:
        """The answer, whatever its status, unless that is one to be tried again.

        With ``sent``, it is a POST of that: only for questions that change nothing, as it may be tried again, too.
        """
        end = self._pace.clock() + self._limits.deadline_sec
        patience = Patience(what, self._limits, self._pace, end)
        while True:
            try:
                return self._once(url, headers, end, what, sent)
            except UnreachableError as failure:
                patience.wait(failure)

    def _once(
        self, url: "httpx.URL", headers: dict[str, str], end: float, what: str, sent: bytes | None
    ) -> JsonAnswer:
        httpx = httpx_module()
        timeout = max(0.01, min(self._limits.timeout_sec, end - self._pace.clock()))
        try:
            method = "GET" if sent is None else "POST"
            with self._client.stream(method, url, headers=headers, timeout=timeout, content=sent) as response:
                if response.status_code in AGAIN:
                    pause = retry_after(response.headers)
                    raise UnreachableError(f"the server answers {response.status_code}", pause)
                content = self._content(response, end, what)
        except httpx.TimeoutException as error:
            raise UnreachableError("the server does not answer in time") from error
        except httpx.TransportError as error:
            raise UnreachableError(f"the server can't be reached ({type(error).__name__})") from error
        except httpx.DecodingError as error:
            raise MeasurementError(f"{what}: the answer can't be decoded") from error
        date = http_date(response.headers.get("date", ""))
        return JsonAnswer(response.status_code, _json(content, response.is_success, what), date)

    def _content(self, response: "httpx.Response", end: float, what: str) -> bytes:
        content = bytearray()
        for chunk in response.iter_bytes():
            content += chunk
            if len(content) > self._limits.answer_bytes:
                raise LargeAnswerError(f"{what}: the answer has more than {self._limits.answer_bytes} bytes")
            if self._pace.clock() > end:
                raise MeasurementError(f"{what}: the answer takes longer than {self._limits.deadline_sec:g} s")
        return bytes(content)


def _json(content: bytes, needed: bool, what: str) -> Any:
    try:
        return json.loads(content, parse_constant=_refuse, parse_int=_whole)
    except RecursionError as error:
        raise BoundsError(f"{what}: the answer is nested too deeply to be read") from error
    except ValueError as error:
        if needed:
            raise MeasurementError(f"{what}: the answer is not JSON") from error
        return None


def _whole(written: str) -> int | str:
    """A number; as text if it has more digits than anything needs, which Python refuses to read."""
    return int(written) if len(written) <= MOST_DIGITS else written


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def retry_after(headers: "httpx.Headers") -> float:
    """How many seconds a server wants to be left alone; 0 if it does not say, or not in a way that can be read."""
    written = headers.get("retry-after", "").strip()
    if written.isascii() and written.isdecimal() and len(written) < 10:
        return float(written)
    at = http_date(written)
    return 0 if at is None else max(0.0, (at - datetime.now(UTC)).total_seconds())


def http_date(written: str) -> datetime | None:
    """A time as headers have it; None if it can't be read."""
    try:
        at = parsedate_to_datetime(written)
    except (ValueError, TypeError):
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
