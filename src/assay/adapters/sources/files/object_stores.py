"""S3 and Google Cloud Storage as buckets, with the accounts that the environment names."""

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import SplitResult, quote, unquote, urlencode
from xml.etree import ElementTree

from assay.adapters.sources import bearer_tokens
from assay.adapters.sources.bearer_tokens import Token
from assay.adapters.sources.files.bucket import Bucket, Listed, NotAListingError, Upload
from assay.core.errors import InputError

if TYPE_CHECKING:
    import httpx

_EMPTY: Final = hashlib.sha256(b"").hexdigest()
_ALGORITHM: Final = "AWS4-HMAC-SHA256"
_NAMESPACE = "{http://s3.amazonaws.com/doc/2006-03-01/}"
ENDPOINT: Final = "https://storage.googleapis.com"
PER_PAGE: Final = 1000


@dataclass(frozen=True, slots=True)
class Credentials:
    """A key and its secret; ``token`` where they are for a while only."""

    key_id: str
    secret: str
    token: str | None = None

    def __repr__(self) -> str:
        return f"Credentials({self.key_id!r})"


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

    def removal(self, key: str) -> Upload:
        empty = hashlib.sha256(b"").hexdigest()
        return Upload("DELETE", self.object_url(key), lambda parsed: self._signed(parsed, "DELETE", empty))

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

    def removal(self, key: str) -> Upload:
        return Upload("DELETE", self.object_url(key).removesuffix("?alt=media"), self.headers)

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
        return [_gcs_listed(item) for item in found.get("items", [])], found.get("nextPageToken") or None


def _gcs_listed(item: Any) -> Listed:
    try:
        name, size, updated = item["name"], item["size"], item["updated"]
        if not isinstance(name, str):
            raise TypeError(name)
        return Listed(name, int(size), datetime.fromisoformat(updated))
    except (KeyError, TypeError) as error:
        raise ValueError("an object is incomplete") from error


def signed_headers(
    host: str,
    raw_path: str,
    query: str,
    credentials: Credentials,
    region: str,
    now: datetime,
    method: str = "GET",
    body_sha256: str = _EMPTY,
) -> dict[str, str]:
    """The headers of a request. ``raw_path`` and ``query`` are as they are sent, the parameters in order."""
    at = now.strftime("%Y%m%dT%H%M%SZ")
    headers = {"host": host, "x-amz-content-sha256": body_sha256, "x-amz-date": at}
    if credentials.token is not None:
        headers["x-amz-security-token"] = credentials.token
    scope = f"{at[:8]}/{region}/s3/aws4_request"
    digest = hashlib.sha256(_canonical(method, raw_path, query, headers).encode()).hexdigest()
    to_sign = "\n".join((_ALGORITHM, at, scope, digest))
    signature = hmac.new(_key(credentials.secret, scope), to_sign.encode(), hashlib.sha256).hexdigest()
    given = f"Credential={credentials.key_id}/{scope}, SignedHeaders={';'.join(headers)}, Signature={signature}"
    return {**headers, "Authorization": f"{_ALGORITHM} {given}"}


def _canonical(method: str, raw_path: str, query: str, headers: Mapping[str, str]) -> str:
    lines = [f"{name}:{value}" for name, value in headers.items()]
    return "\n".join((method, raw_path, query, *lines, "", ";".join(headers), headers["x-amz-content-sha256"]))


def _key(secret: str, scope: str) -> bytes:
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return key


def open_gcs(parts: SplitResult, environment: Mapping[str, str]) -> Bucket:
    """The bucket of a gs:// URL. Raises ``InputError``."""
    bucket, prefix = _bucket(parts)
    emulator = environment.get("STORAGE_EMULATOR_HOST")
    if emulator:
        endpoint = emulator if "://" in emulator else f"http://{emulator}"
        return Bucket(GcsApi(bucket, endpoint=endpoint), prefix)
    named = "ASSAY_GCS_TOKEN" in environment
    token = bearer_tokens.from_environment("ASSAY_GCS_TOKEN", environment) if named else bearer_tokens.google()
    return Bucket(GcsApi(bucket, token), prefix)


def open_s3(parts: SplitResult, environment: Mapping[str, str]) -> Bucket:
    """The bucket of an s3:// URL. Raises ``InputError``."""
    bucket, prefix = _bucket(parts)
    key_id, secret = environment.get("AWS_ACCESS_KEY_ID"), environment.get("AWS_SECRET_ACCESS_KEY")
    if bool(key_id) != bool(secret):
        raise InputError("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set together")
    token = environment.get("AWS_SESSION_TOKEN") or None
    account = S3Account(
        environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION") or "us-east-1",
        Credentials(key_id, secret, token) if key_id and secret else None,
        environment.get("AWS_ENDPOINT_URL_S3") or environment.get("AWS_ENDPOINT_URL") or None,
    )
    return Bucket(S3Api(bucket, account), prefix)


def _bucket(parts: SplitResult) -> tuple[str, str]:
    if not parts.netloc:
        raise InputError(f"{parts.scheme}:// must be followed by the name of a bucket")
    return parts.netloc, unquote(parts.path)
