"""How Google Cloud Storage is asked about a bucket, over its JSON API."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode

from assay.adapters.bearer_tokens import Token
from assay.adapters.files.bucket import Listed, NotAListingError, Upload

if TYPE_CHECKING:
    import httpx

ENDPOINT: Final = "https://storage.googleapis.com"
PER_PAGE: Final = 1000


class GcsApi:
    """Fulfils ``BucketApi``. Without a token, requests are anonymous, as an emulator takes them."""

    def __init__(self, bucket: str, token: Token | None = None, endpoint: str = ENDPOINT) -> None:
        self.name = f"the bucket gs://{bucket}"
        self._objects = f"{endpoint.rstrip('/')}/storage/v1/b/{quote(bucket, safe='')}/o"
        self._uploads = f"{endpoint.rstrip('/')}/upload/storage/v1/b/{quote(bucket, safe='')}/o"
        self._token = token

    def headers(self, _url: "httpx.URL") -> Mapping[str, str]:
        # Without this, what is stored compressed is sent decompressed, and its size is another one.
        headers = {"Accept-Encoding": "gzip"}
        return headers if self._token is None else {**headers, "Authorization": f"Bearer {self._token()}"}

    def upload(self, key: str, _body_sha256: str) -> Upload:
        return Upload("POST", f"{self._uploads}?{urlencode({'uploadType': 'media', 'name': key})}", self.headers)

    def object_url(self, key: str) -> str:
        return f"{self._objects}/{quote(key, safe='', errors='surrogatepass')}?alt=media"

    def listing_url(self, prefix: str, mark: str) -> str:
        fields = "items(name,size,updated),nextPageToken"
        asked = {"prefix": prefix, "maxResults": str(PER_PAGE), "fields": fields}
        return f"{self._objects}?{urlencode(asked | ({'pageToken': mark} if mark else {}))}"

    def listed(self, page: bytes) -> tuple[Sequence[Listed], str | None]:
        try:
            found = json.loads(page)
        except ValueError as error:
            raise NotAListingError("the answer is not JSON") from error
        if not isinstance(found, dict) or not isinstance(found.get("items", []), list):
            raise NotAListingError("the answer is not a listing")
        return [_listed(item) for item in found.get("items", [])], found.get("nextPageToken") or None


def _listed(item: Any) -> Listed:
    try:
        name, size, updated = item["name"], item["size"], item["updated"]
        if not isinstance(name, str):
            raise TypeError(name)
        return Listed(name, int(size), datetime.fromisoformat(updated))
    except (KeyError, TypeError) as error:
        raise ValueError("an object is incomplete") from error
