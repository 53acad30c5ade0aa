"""A bucket of Google Cloud Storage, over its JSON API."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from assay.adapters.bearer_tokens import Token
from assay.adapters.files.http_objects import HttpObjects, httpx_module
from assay.adapters.files.listing import in_pages, prefix_of, stored_file
from assay.adapters.files.names import plain_parts
from assay.adapters.json_requests import Limits, Pace
from assay.core.errors import MeasurementError
from assay.evidence.playground import StoredFile

if TYPE_CHECKING:
    import httpx

ENDPOINT: Final = "https://storage.googleapis.com"
PER_PAGE: Final = 1000


class GcsBucket:
    """The objects below a prefix. Without a token it is asked as nobody in particular, as an emulator is."""

    def __init__(
        self,
        bucket: str,
        prefix: str = "",
        token: Token | None = None,
        endpoint: str = ENDPOINT,
        limits: Limits | None = None,
        pace: Pace | None = None,
        client: "httpx.Client | None" = None,
    ) -> None:
        self._prefix = prefix_of(prefix)
        self._objects = f"{endpoint.rstrip('/')}/storage/v1/b/{quote(bucket, safe='')}/o"
        self._token = token
        self._what = f"the bucket gs://{bucket}"
        self._http = HttpObjects(self._what, self._headers, limits, pace, client)

    def close(self) -> None:
        """Hang up."""
        self._http.close()

    def files(self) -> Iterator[StoredFile]:
        """All objects below the prefix, page by page."""
        return filter(None, map(self._stored, in_pages(self._what, self._items)))

    def chunks(self, path: str) -> Iterator[bytes]:
        """The bytes as they are stored, compressed if they are."""
        plain_parts(path)
        key = quote(self._prefix + path, safe="", errors="surrogatepass")
        return self._http.stream(httpx_module().URL(f"{self._objects}/{key}", params={"alt": "media"}), path)

    def _headers(self, _url: "httpx.URL") -> dict[str, str]:
        # Without this, what is stored compressed is sent decompressed, and its size is another one.
        headers = {"Accept-Encoding": "gzip"}
        return headers if self._token is None else {**headers, "Authorization": f"Bearer {self._token()}"}

    def _items(self, token: str) -> tuple[list[dict[str, Any]], str | None]:
        page = self._page(token)
        return page.get("items", []), page.get("nextPageToken") or None

    def _page(self, token: str) -> dict[str, Any]:
        fields = "items(name,size,updated),nextPageToken"
        asked = {"prefix": self._prefix, "maxResults": str(PER_PAGE), "fields": fields}
        url = httpx_module().URL(self._objects, params=asked | ({"pageToken": token} if token else {}))
        try:
            page = json.loads(self._http.page(url))
        except ValueError as error:
            raise MeasurementError(f"{self._what}: the answer is no JSON") from error
        if not isinstance(page, dict) or not isinstance(page.get("items", []), list):
            raise MeasurementError(f"{self._what}: the answer is no listing")
        return page

    def _stored(self, item: dict[str, Any]) -> StoredFile | None:
        try:
            changed = datetime.fromisoformat(item["updated"])
            return stored_file(self._prefix, item["name"], int(item["size"]), changed)
        except (KeyError, TypeError, ValueError) as error:
            raise MeasurementError(f"{self._what}: an object of the listing has no name, size or time") from error
