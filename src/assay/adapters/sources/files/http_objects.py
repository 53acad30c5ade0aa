"""Requests to object stores: pages of listings as a whole, objects as streams that continue where they broke off,
parts of objects, and writing them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Final

from assay.adapters.sources.files.folder import missing
from assay.adapters.sources.json_requests import (
    AGAIN,
    Pace,
    Patience,
    RequestLimits,
    UnreachableError,
    httpx_module,
    patiently,
    retry_after,
)
from assay.core.errors import MeasurementError

if TYPE_CHECKING:
    import httpx

_REASONS: Final = {401: "the credentials are not accepted", 403: "the credentials do not allow this request"}
_PAST_THE_END: Final = 416
CHUNK: Final = 1 << 16


@dataclass(slots=True)
class _Progress:
    """How far an object has come, and which version of it that is."""

    at: int = 0
    version: str | None = None


class HttpObjects:
    """``headers`` gives those of a request, such as its signature, anew for each try."""

    def __init__(
        self,
        what: str,
        headers: Callable[["httpx.URL"], Mapping[str, str]],
        limits: RequestLimits | None = None,
        pace: Pace | None = None,
        client: "httpx.Client | None" = None,
    ) -> None:
        self._what = what
        self._headers = headers
        self._limits = limits or RequestLimits()
        self._pace = pace or Pace()
        self._client: httpx.Client = client or httpx_module().Client(follow_redirects=False)

    def close(self) -> None:
        """Hang up."""
        self._client.close()

    def page(self, url: "httpx.URL") -> bytes:
        """A page of a listing. Raises ``MeasurementError`` for any other answer than that."""
        return patiently(self._what, self._limits, self._pace, lambda: self._page(url))

    def stream(self, url: "httpx.URL", path: str) -> Iterator[bytes]:
        """The bytes of an object as they are stored. Raises ``OSError`` for one that is gone or was replaced."""
        progress = _Progress()
        patience = Patience(self._what, self._limits, self._pace)
        while True:
            try:
                for chunk in self._stream(url, path, progress):
                    patience.renew()
                    yield chunk
            except UnreachableError as failure:
                patience.wait(failure)
            else:
                return

    def part(self, url: "httpx.URL", path: str, start: int, length: int) -> bytes:
        """Some of the bytes of an object. Raises ``OSError`` for one that isn't there."""
        return patiently(self._what, self._limits, self._pace, lambda: self._part(url, path, start, length))

    def send(
        self,
        method: str,
        url: "httpx.URL",
        headers: Callable[["httpx.URL"], Mapping[str, str]],
        size: int,
        content: IO[bytes],
    ) -> None:
        """Write an object. Raises ``MeasurementError`` unless the store says that it has it."""

        def attempt() -> None:
            content.seek(0)
            sent = {**headers(url), "Content-Length": str(size), "Content-Type": "application/octet-stream"}
            body = iter(lambda: content.read(CHUNK), b"")
            try:
                said = self._client.request(
                    method, url, headers=sent, content=body, timeout=self._limits.timeout_sec
                )
            except httpx_module().TransportError as error:
                raise UnreachableError(f"it can't be reached ({type(error).__name__})") from error
            if said.status_code in AGAIN:
                raise UnreachableError(f"it answers {said.status_code}", retry_after(said.headers))
            if said.status_code not in (200, 201, 204) and (method, said.status_code) != ("DELETE", 404):
                raise MeasurementError(f"{self._what}: {_reason(said.status_code)}")

        patiently(self._what, self._limits, self._pace, attempt)

    def _part(self, url: "httpx.URL", path: str, start: int, length: int) -> bytes:
        with self._answer(url, {"Range": f"bytes={start}-{start + length - 1}"}) as response:
            self._check_object(response, path, _Progress())
            # A server that knows no ranges begins at the beginning.
            skip = start if response.status_code == 200 else 0
            content = bytearray()
            for chunk in _guard_chunks(response.iter_raw()):
                part, skip = chunk[skip:], max(0, skip - len(chunk))
                content += part[: length - len(content)]
                if len(content) == length:
                    break
            return bytes(content)

    def _page(self, url: "httpx.URL") -> bytes:
        with self._answer(url, {}) as response:
            if response.status_code != 200:
                raise MeasurementError(f"{self._what}: {_reason(response.status_code)}")
            content = bytearray()
            for chunk in _guard_chunks(response.iter_bytes()):
                content += chunk
                if len(content) > self._limits.answer_bytes:
                    raise MeasurementError(f"{self._what}: a page has more than {self._limits.answer_bytes} bytes")
            return bytes(content)

    def _stream(self, url: "httpx.URL", path: str, progress: _Progress) -> Iterator[bytes]:
        more = {"Range": f"bytes={progress.at}-"} if progress.at else {}
        with self._answer(url, more) as response:
            if response.status_code == _PAST_THE_END and progress.at:
                raise OSError("it changed while it was read")
            self._check_object(response, path, progress)
            # A server that knows no ranges begins anew; what is known already is left out.
            skip = progress.at if response.status_code == 200 else 0
            for chunk in _guard_chunks(response.iter_raw()):
                part, skip = chunk[skip:], max(0, skip - len(chunk))
                progress.at += len(part)
                if part:
                    yield part

    def _check_object(self, response: "httpx.Response", path: str, progress: _Progress) -> None:
        if response.status_code == 404:
            raise missing(path)
        if response.status_code not in (200, 206):
            raise MeasurementError(f"{self._what}: {_reason(response.status_code)}")
        version = response.headers.get("x-goog-generation") or response.headers.get("etag")
        if progress.at and version != progress.version:
            raise OSError("it changed while it was read")
        progress.version = version

    def _answer(self, url: "httpx.URL", more: Mapping[str, str]) -> "_Answered":
        return _Answered(self._client, url, {**self._headers(url), **more}, self._limits.timeout_sec)


class _Answered:
    """A response while it is read. Failures that may pass become ``UnreachableError``."""

    def __init__(self, client: "httpx.Client", url: "httpx.URL", headers: dict[str, str], timeout: float) -> None:
        self._stream = client.stream("GET", url, headers=headers, timeout=timeout)

    def __enter__(self) -> "httpx.Response":
        try:
            response = self._stream.__enter__()
        except httpx_module().TransportError as error:
            raise UnreachableError(f"it can't be reached ({type(error).__name__})") from error
        if response.status_code in AGAIN:
            self._stream.__exit__(None, None, None)
            raise UnreachableError(f"it answers {response.status_code}", retry_after(response.headers))
        return response

    def __exit__(self, *_: object) -> None:
        self._stream.__exit__(None, None, None)


def _guard_chunks(chunks: Iterator[bytes]) -> Iterator[bytes]:
    httpx = httpx_module()
    try:
        yield from chunks
    except httpx.TransportError as error:
        raise UnreachableError(f"the answer broke off ({type(error).__name__})") from error
    except httpx.DecodingError as error:
        raise UnreachableError("the answer can't be decoded") from error


def _reason(status: int) -> str:
    return _REASONS.get(status, f"it answers {status}")
