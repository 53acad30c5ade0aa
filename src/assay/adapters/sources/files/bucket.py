"""A bucket of an object store: the objects below a prefix as files, whichever store it is."""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Protocol, TypeVar

from assay.adapters.sources.files.folder import MAX_FILES, below, plain_parts
from assay.adapters.sources.files.http_objects import HttpObjects
from assay.adapters.sources.json_requests import Pace, RequestLimits, httpx_module
from assay.core.errors import MeasurementError
from assay.evidence.playground import StoredFile

Item = TypeVar("Item")


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
        plain_parts(path)
        return self._http.stream(httpx_module().URL(self._api.object_url(self._prefix + path)), path)

    def part(self, path: str, start: int, length: int) -> bytes:
        """Some of the bytes of an object. Raises ``OSError`` for one that isn't there."""
        plain_parts(path)
        url = httpx_module().URL(self._api.object_url(self._prefix + path))
        return self._http.part(url, path, start, length)

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
