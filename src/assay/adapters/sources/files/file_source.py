"""A place for files by its URL.

=================================  ====================================================================
``file:///folder``                 a local folder
``sftp://user@host:port/folder``   an SFTP server; ``sftp://host/~/folder`` is below where the user begins
``gs://bucket/prefix``             Google Cloud Storage
``s3://bucket/prefix``             S3, or a store that speaks its protocol
=================================  ====================================================================

Passwords and keys come from the environment, never from a URL: that would show up in messages.
``ASSAY_SFTP_PASSWORD``, or ``ASSAY_SFTP_KEY`` (a file) with ``ASSAY_SFTP_KEY_PASSPHRASE``;
``ASSAY_SFTP_KNOWN_HOSTS`` (a file); ``ASSAY_SFTP_CHECK_HOST_KEY=no``. ``ASSAY_GCS_TOKEN``, or Google's
application credentials; ``STORAGE_EMULATOR_HOST`` is an emulator that wants neither. ``AWS_ACCESS_KEY_ID``,
``AWS_SECRET_ACCESS_KEY``, ``AWS_SESSION_TOKEN``, ``AWS_REGION`` (or ``AWS_DEFAULT_REGION``),
``AWS_ENDPOINT_URL_S3`` (or ``AWS_ENDPOINT_URL``).
"""

import hashlib
import hmac
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.parse import SplitResult, quote, unquote, urlencode, urlsplit
from xml.etree import ElementTree

from assay.adapters.sources import bearer_tokens
from assay.adapters.sources.bearer_tokens import Token
from assay.adapters.sources.files.bucket import Bucket, Listed, NotAListingError, Upload
from assay.adapters.sources.files.folder import LocalFolder
from assay.adapters.sources.files.sftp import DEFAULT_PORT, SftpAccount, SftpFolder
from assay.core.errors import InputError
from assay.evidence.playground import FileSource

Environment = Mapping[str, str]
WANTED: Final = "the URL of files must be file:///folder, sftp://user@host:port/folder, gs://bucket/prefix or s3://bucket/prefix"
_EMPTY: Final = hashlib.sha256(b"").hexdigest()
_ALGORITHM: Final = "AWS4-HMAC-SHA256"


@dataclass(frozen=True, slots=True)
class Credentials:
    """A key and its secret; ``token`` where they are for a while only."""

    key_id: str
    secret: str
    token: str | None = None

    def __repr__(self) -> str:
        return f"Credentials({self.key_id!r})"


class OpenFileSource(FileSource, Protocol):
    """A place that must be closed after use."""

    def close(self) -> None: ...


def file_source(url: str, environment: Environment = os.environ) -> OpenFileSource:
    """The place that a URL names. Raises ``InputError`` for one that names none; nothing is asked yet."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise InputError(WANTED) from error
    open_place = _PLACES.get(parts.scheme)
    if open_place is None or "?" in url or "#" in url or ".." in unquote(parts.path).split("/"):
        raise InputError(f"{WANTED}, without '?', '#' or '..'")
    if parts.password is not None:
        raise InputError("the URL of files must not contain a password; set it in the environment")
    if parts.scheme != "sftp" and (parts.username is not None or port is not None):
        raise InputError(f"only sftp:// can have a user and a port; {WANTED}")
    return open_place(parts, environment)


def _folder(parts: SplitResult, _environment: Environment) -> OpenFileSource:
    if parts.netloc not in ("", "localhost") or not parts.path.startswith("/"):
        raise InputError("a local folder must be file:///folder, with three slashes")
    return LocalFolder(unquote(parts.path))


def _sftp(parts: SplitResult, environment: Environment) -> OpenFileSource:
    if not parts.hostname:
        raise InputError("an SFTP server must be sftp://user@host:port/folder")
    account = SftpAccount(
        host=parts.hostname,
        user=unquote(parts.username) if parts.username else None,
        port=parts.port or DEFAULT_PORT,
        password=environment.get("ASSAY_SFTP_PASSWORD"),
        key_file=_file("ASSAY_SFTP_KEY", environment),
        key_passphrase=environment.get("ASSAY_SFTP_KEY_PASSPHRASE"),
        known_hosts=_file("ASSAY_SFTP_KNOWN_HOSTS", environment),
        check_host_key=_is_on("ASSAY_SFTP_CHECK_HOST_KEY", environment),
    )
    path = unquote(parts.path)
    return SftpFolder(account, path.removeprefix("/~/") if path.startswith("/~/") else path or ".")


def _gcs(parts: SplitResult, environment: Environment) -> OpenFileSource:
    bucket, prefix = _bucket(parts)
    emulator = environment.get("STORAGE_EMULATOR_HOST")
    if emulator:
        endpoint = emulator if "://" in emulator else f"http://{emulator}"
        return Bucket(GcsApi(bucket, endpoint=endpoint), prefix)
    named = "ASSAY_GCS_TOKEN" in environment
    token = bearer_tokens.from_environment("ASSAY_GCS_TOKEN", environment) if named else bearer_tokens.google()
    return Bucket(GcsApi(bucket, token), prefix)


def _s3(parts: SplitResult, environment: Environment) -> OpenFileSource:
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


def _file(name: str, environment: Environment) -> str | None:
    path = environment.get(name)
    if path is not None and not os.path.isfile(path):
        raise InputError(f"{name} must name a file, and that file doesn't exist")
    return path


def _is_on(name: str, environment: Environment) -> bool:
    written = environment.get(name, "yes").strip().lower()
    if written not in ("yes", "no"):
        raise InputError(f"{name} must be yes or no, got {written!r}")
    return written == "yes"


_PLACES: Final[Mapping[str, Callable[[SplitResult, Environment], OpenFileSource]]] = {
    "file": _folder,
    "sftp": _sftp,
    "gs": _gcs,
    "s3": _s3,
}


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
    to_sign = "\n".join((_ALGORITHM, at, scope, _digest(_canonical(method, raw_path, query, headers))))
    signature = hmac.new(_key(credentials.secret, scope), to_sign.encode(), hashlib.sha256).hexdigest()
    given = f"Credential={credentials.key_id}/{scope}, SignedHeaders={';'.join(headers)}, Signature={signature}"
    return {**headers, "Authorization": f"{_ALGORITHM} {given}"}


def _canonical(method: str, raw_path: str, query: str, headers: Mapping[str, str]) -> str:
    lines = [f"{name}:{value}" for name, value in headers.items()]
    return "\n".join((method, raw_path, query, *lines, "", ";".join(headers), headers["x-amz-content-sha256"]))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _key(secret: str, scope: str) -> bytes:
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return key
