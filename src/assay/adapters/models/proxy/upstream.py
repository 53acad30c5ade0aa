"""Ask the one endpoint of a language model. Redirects are never followed, and nothing else is ever asked."""

import contextlib
import http.client
import socket
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

from assay.formats.model_traffic.requests import RequestHead

CONNECT_SEC = 15.0
SILENCE_SEC = 600.0
CHUNK = 64 * 1024
# Of what an agent says, only this is passed on; the rest could be meant for somebody else on the way.
_PASSED = ("accept", "anthropic-beta", "anthropic-version", "content-type", "openai-beta", "user-agent")
_KEYS = ("authorization", "x-api-key")
_ANSWERED = ("content-type", "request-id", "retry-after", "x-request-id", "x-should-retry")


class UpstreamUnreachableError(Exception):
    """The endpoint can't be reached, or its answer broke off."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address of a model, and its key. The key never shows in a ``repr``."""

    scheme: str
    host: str
    port: int | None
    base: str
    key: str | None

    def __repr__(self) -> str:
        return f"Endpoint({self.scheme}://{self.host}{self.base})"


def endpoint(url: str, key: str | None) -> Endpoint:
    """The endpoint at a URL that was checked."""
    parts = urlsplit(url)
    return Endpoint(parts.scheme, parts.hostname or "", parts.port, parts.path.rstrip("/"), key)


class UpstreamCall:
    """One request to an endpoint, and its answer. ``cut`` ends it from another thread."""

    def __init__(self, asked: Endpoint, tls: ssl.SSLContext | None) -> None:
        self._endpoint = asked
        connect = http.client.HTTPConnection if tls is None else partial(http.client.HTTPSConnection, context=tls)
        self._connection: http.client.HTTPConnection = connect(asked.host, asked.port, timeout=CONNECT_SEC)
        self._socket: socket.socket | None = None
        self._response: http.client.HTTPResponse | None = None
        self.was_cut = False
        self.status = 0
        self.headers: Mapping[str, str] = {}

    def send(self, head: RequestHead, body: bytes) -> None:
        """Pass a request on, and wait for the beginning of the answer. Raises ``UpstreamUnreachableError``."""
        target = f"{head.path}?{head.query}" if head.query else head.path
        passed = {name: head.headers[name] for name in _PASSED if name in head.headers}
        # An answer that is compressed couldn't be counted.
        headers = {**passed, **self._key(head), "accept-encoding": "identity"}
        try:
            self._connection.connect()
            self._socket = self._connection.sock
            self._socket.settimeout(SILENCE_SEC)
            self._connection.request(head.method, target, body or None, headers)
            self._response = self._connection.getresponse()
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise UpstreamUnreachableError(f"it can't be reached ({type(error).__name__})") from error
        self.status = self._response.status
        found = {name.lower(): value for name, value in self._response.getheaders()}
        self.headers = {name: found[name] for name in _ANSWERED if name in found}

    def pieces(self) -> Iterator[bytes]:
        """The body of the answer as it comes. Raises ``UpstreamUnreachableError`` if it breaks off."""
        response = self._response
        try:
            while response is not None and (piece := response.read1(CHUNK)):
                yield piece
        except (OSError, http.client.HTTPException, ValueError, AttributeError) as error:
            raise UpstreamUnreachableError(f"its answer broke off ({type(error).__name__})") from error
        if self.was_cut or (response is not None and response.length):
            raise UpstreamUnreachableError("its answer broke off")

    def cut(self) -> None:
        """End it now, whatever it waits for."""
        self.was_cut = True
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        if self._response is not None:
            self._response.close()
        self._connection.close()

    def _key(self, head: RequestHead) -> Mapping[str, str]:
        """The key, in the header that the kind of request has for it; without one, what the agent says itself."""
        key = self._endpoint.key
        if key is None:
            return {name: head.headers[name] for name in _KEYS if name in head.headers}
        if "anthropic-version" in head.headers or "/messages" in head.path:
            return {"x-api-key": key}
        return {"authorization": f"Bearer {key}"}


class Upstream:
    """Makes calls to one endpoint."""

    def __init__(self, asked: Endpoint) -> None:
        self.base = asked.base
        self._endpoint = asked
        self._tls = ssl.create_default_context() if asked.scheme == "https" else None

    def call(self) -> UpstreamCall:
        return UpstreamCall(self._endpoint, self._tls)
