"""A bucket of an object store: the objects below a prefix as files, whichever store it is.

Pages of listings come as a whole; objects as streams that continue where they broke off, or in parts.
"""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Final, Protocol, TypeVar

from assay.adapters.sources.files.folder import MAX_FILES, below, missing, plain_parts
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
from assay.evidence.playground import StoredFile

Item = TypeVar("Item")
_REASONS: Final = {401: "the credentials are not accepted", 403: "the credentials do not allow this request"}
_PAST_THE_END: Final = 416
CHUNK: Final = 1 << 16


if TYPE_CHECKING:
    import httpx


@dataclass(frozen=True, slots=True)
class Listed:
    """An object in a listing."""

    key: str
    size: int
    changed: datetime


@dataclass(frozen=True, slots=True)
class Upload:
    """How an object is written or removed."""

    method: str
    url: str
    headers: Callable[["httpx.URL"], Mapping[str, str]]


class BucketApi(Protocol):
    """How one kind of store is asked about a bucket. Nothing here sends a request."""

    @property
    def name(self) -> str:
        """How messages call the bucket."""

    def headers(self, url: "httpx.URL") -> Mapping[str, str]:
        """The headers of a request, such as its signature."""

    def object_url(self, key: str) -> str: ...

    def upload(self, key: str, body_sha256: str) -> Upload:
        """How an object with this content is written."""

    def removal(self, key: str) -> Upload:
        """How an object is removed."""

    def listing_url(self, prefix: str, mark: str) -> str:
        """The page of the listing that begins at a mark; "" is the first page."""

    def listed(self, page: bytes) -> tuple[Sequence[Listed], str | None]:
        """The objects on a page, and the mark of the next page; None after the last.

        Raises ``NotAListingError`` for a page that isn't one, and ``ValueError`` for an incomplete object.
        """


class NotAListingError(Exception):
    """The answer of a store isn't a page of a listing. The message says what it is not."""


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


class Bucket:
    """Fulfils ``FileSource``. To be closed."""

    def __init__(
        self,
        api: BucketApi,
        prefix: str = "",
        limits: RequestLimits | None = None,
        pace: Pace | None = None,
        client: "httpx.Client | None" = None,
    ) -> None:
        self._api = api
        self._prefix = prefix_of(prefix)
        self._http = HttpObjects(api.name, api.headers, limits, pace, client)

    def close(self) -> None:
        """Hang up."""
        self._http.close()

    def files(self) -> Iterator[StoredFile]:
        """All objects below the prefix, page by page."""
        found = in_pages(self._api.name, self._page)
        return filter(None, (stored_file(self._prefix, one.key, one.size, one.changed) for one in found))

    def chunks(self, path: str) -> Iterator[bytes]:
        """The bytes as they are stored, compressed if they are."""
        return self._http.stream(self._url(path), path)

    def part(self, path: str, start: int, length: int) -> bytes:
        """Some of the bytes of an object. Raises ``OSError`` for one that isn't there."""
        return self._http.part(self._url(path), path, start, length)

    def _url(self, path: str) -> "httpx.URL":
        plain_parts(path)
        url: httpx.URL = httpx_module().URL(self._api.object_url(self._prefix + path))
        return url

    def write(self, path: str, body_sha256: str, size: int, content: IO[bytes]) -> None:
        """Write an object, in place of one that has the name already."""
        plain_parts(path)
        how = self._api.upload(self._prefix + path, body_sha256)
        self._http.send(how.method, httpx_module().URL(how.url), how.headers, size, content)

    def remove(self, path: str) -> None:
        """Remove an object, if it is there."""
        plain_parts(path)
        how = self._api.removal(self._prefix + path)
        self._http.send(how.method, httpx_module().URL(how.url), how.headers, 0, io.BytesIO())

    def _page(self, mark: str) -> tuple[Sequence[Listed], str | None]:
        name = self._api.name
        page = self._http.page(httpx_module().URL(self._api.listing_url(self._prefix, mark)))
        try:
            return self._api.listed(page)
        except NotAListingError as error:
            raise MeasurementError(f"{name}: {error}") from error
        except ValueError as error:
            raise MeasurementError(f"{name}: an object in the listing has no name, size or time") from error


def in_pages(what: str, ask: Callable[[str], tuple[Sequence[Item], str | None]]) -> Iterator[Item]:
    """All items. ``ask`` gives those of the page behind a mark ("" for the first), and the mark of the next page,
    None behind the last.
    """
    count, mark = 0, ""
    while True:
        items, following = ask(mark)
        yield from items
        count += len(items)
        if following is None:
            return
        if following in ("", mark) or count > MAX_FILES:
            raise MeasurementError(f"{what}: the listing repeats itself, or has over {MAX_FILES} files")
        mark = following


def prefix_of(folder: str) -> str:
    """A prefix that ends with a slash, or none."""
    return f"{folder.strip('/')}/" if folder.strip("/") else ""


def stored_file(prefix: str, key: str, size: int, changed: datetime) -> StoredFile | None:
    """An object below a prefix; None for anything else, such as the prefix itself."""
    path = below(prefix, key)
    if path is None:
        return None
    return StoredFile(path, size, changed if changed.tzinfo else changed.replace(tzinfo=UTC))
