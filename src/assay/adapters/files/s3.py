"""A bucket of S3, or of a store that speaks its protocol."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote
from xml.etree import ElementTree

from assay.adapters.files.http_objects import HttpObjects, httpx_module
from assay.adapters.files.listing import in_pages, prefix_of, stored_file
from assay.adapters.files.names import plain_parts
from assay.adapters.files.sigv4 import Credentials, signed_headers
from assay.adapters.json_requests import Limits, Pace
from assay.core.errors import MeasurementError
from assay.evidence.playground import StoredFile

if TYPE_CHECKING:
    import httpx

_NAMESPACE = "{http://s3.amazonaws.com/doc/2006-03-01/}"


@dataclass(frozen=True, slots=True)
class S3Account:
    """Where and as whom. Without credentials it is asked as nobody in particular."""

    region: str = "us-east-1"
    credentials: Credentials | None = None
    endpoint: str | None = None


class S3Bucket:
    """The objects below a prefix. Buckets are addressed by path, which every store understands."""

    def __init__(
        self,
        bucket: str,
        prefix: str = "",
        account: S3Account | None = None,
        limits: Limits | None = None,
        pace: Pace | None = None,
        client: "httpx.Client | None" = None,
    ) -> None:
        self._account = account or S3Account()
        self._prefix = prefix_of(prefix)
        endpoint = self._account.endpoint or f"https://s3.{self._account.region}.amazonaws.com"
        self._base = f"{endpoint.rstrip('/')}/{quote(bucket, safe='')}"
        self._what = f"the bucket s3://{bucket}"
        self._http = HttpObjects(self._what, self._headers, limits, pace, client)

    def close(self) -> None:
        """Hang up."""
        self._http.close()

    def files(self) -> Iterator[StoredFile]:
        """All objects below the prefix, page by page."""
        return filter(None, map(self._stored, in_pages(self._what, self._items)))

    def chunks(self, path: str) -> Iterator[bytes]:
        """The bytes of an object."""
        plain_parts(path)
        key = quote(self._prefix + path, safe="/", errors="surrogatepass")
        return self._http.stream(httpx_module().URL(f"{self._base}/{key}"), path)

    def _headers(self, url: "httpx.URL") -> dict[str, str]:
        plain, account = {"Accept-Encoding": "identity"}, self._account
        if account.credentials is None:
            return plain
        raw_path, _, query = url.raw_path.decode("ascii").partition("?")
        host = url.netloc.decode("ascii")
        return plain | signed_headers(
            host, raw_path, query, account.credentials, account.region, datetime.now(UTC)
        )

    def _items(self, token: str) -> tuple[list[ElementTree.Element], str | None]:
        page = self._page(token)
        more = page.findtext(f"{_NAMESPACE}IsTruncated") == "true"
        following = page.findtext(f"{_NAMESPACE}NextContinuationToken", "") if more else None
        return page.findall(f"{_NAMESPACE}Contents"), following

    def _page(self, token: str) -> ElementTree.Element:
        # In the order of their names, as the signature wants them. Names come encoded: XML can't hold every name.
        asked = {"continuation-token": token, "encoding-type": "url", "list-type": "2", "prefix": self._prefix}
        query = "&".join(f"{name}={quote(value, safe='')}" for name, value in asked.items() if value)
        content = self._http.page(httpx_module().URL(f"{self._base}?{query}"))
        try:
            page = ElementTree.fromstring(content)  # noqa: S314 - of the store, not of an agent; expat bounds entities
        except ElementTree.ParseError as error:
            raise MeasurementError(f"{self._what}: the answer is no XML") from error
        if page.tag != f"{_NAMESPACE}ListBucketResult":
            raise MeasurementError(f"{self._what}: the answer is no listing")
        return page

    def _stored(self, item: ElementTree.Element) -> StoredFile | None:
        try:
            key = unquote(item.findtext(f"{_NAMESPACE}Key", "").replace("+", " "), errors="surrogatepass")
            changed = datetime.fromisoformat(item.findtext(f"{_NAMESPACE}LastModified", ""))
            return stored_file(self._prefix, key, int(item.findtext(f"{_NAMESPACE}Size", "")), changed)
        except ValueError as error:
            raise MeasurementError(f"{self._what}: an object of the listing has no name, size or time") from error
