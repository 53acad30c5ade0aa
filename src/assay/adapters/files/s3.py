"""How S3, or a store that speaks its protocol, is asked about a bucket."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote
from xml.etree import ElementTree

from assay.adapters.files.bucket import Listed, NotAListingError, Upload
from assay.adapters.files.sigv4 import Credentials, signed_headers

if TYPE_CHECKING:
    import httpx

_NAMESPACE = "{http://s3.amazonaws.com/doc/2006-03-01/}"


@dataclass(frozen=True, slots=True)
class S3Account:
    """Where to ask and as whom. Without credentials, requests are anonymous."""

    region: str = "us-east-1"
    credentials: Credentials | None = None
    endpoint: str | None = None


class S3Api:
    """Fulfils ``BucketApi``. Buckets are addressed by path, which every store understands."""

    def __init__(self, bucket: str, account: S3Account | None = None) -> None:
        self.name = f"the bucket s3://{bucket}"
        self._account = account or S3Account()
        endpoint = self._account.endpoint or f"https://s3.{self._account.region}.amazonaws.com"
        self._base = f"{endpoint.rstrip('/')}/{quote(bucket, safe='')}"

    def headers(self, url: "httpx.URL") -> Mapping[str, str]:
        return self._signed(url)

    def upload(self, key: str, body_sha256: str) -> Upload:
        url = self.object_url(key)
        return Upload("PUT", url, lambda parsed: self._signed(parsed, "PUT", body_sha256))

    def _signed(self, url: "httpx.URL", *signed: str) -> Mapping[str, str]:
        plain, account = {"Accept-Encoding": "identity"}, self._account
        if account.credentials is None:
            return plain
        raw_path, _, query = url.raw_path.decode("ascii").partition("?")
        host = url.netloc.decode("ascii")
        return plain | signed_headers(
            host, raw_path, query, account.credentials, account.region, datetime.now(UTC), *signed
        )

    def object_url(self, key: str) -> str:
        return f"{self._base}/{quote(key, safe='/', errors='surrogatepass')}"

    def listing_url(self, prefix: str, mark: str) -> str:
        # In the order of their names, as the signature wants them. Names come encoded: XML can't hold every name.
        asked = {"continuation-token": mark, "encoding-type": "url", "list-type": "2", "prefix": prefix}
        query = "&".join(f"{name}={quote(value, safe='')}" for name, value in asked.items() if value)
        return f"{self._base}?{query}"

    def listed(self, page: bytes) -> tuple[Sequence[Listed], str | None]:
        try:
            found = ElementTree.fromstring(page)  # noqa: S314 - of the store, not of an agent; expat bounds entities
        except ElementTree.ParseError as error:
            raise NotAListingError("the answer is not XML") from error
        if found.tag != f"{_NAMESPACE}ListBucketResult":
            raise NotAListingError("the answer is not a listing")
        more = found.findtext(f"{_NAMESPACE}IsTruncated") == "true"
        following = found.findtext(f"{_NAMESPACE}NextContinuationToken", "") if more else None
        return [_listed(item) for item in found.findall(f"{_NAMESPACE}Contents")], following


def _listed(item: ElementTree.Element) -> Listed:
    key = unquote(item.findtext(f"{_NAMESPACE}Key", "").replace("+", " "), errors="surrogatepass")
    changed = datetime.fromisoformat(item.findtext(f"{_NAMESPACE}LastModified", ""))
    return Listed(key, int(item.findtext(f"{_NAMESPACE}Size", "")), changed)
