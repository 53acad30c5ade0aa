"""The signature that S3 asks of a request: version 4 of AWS's scheme."""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

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
