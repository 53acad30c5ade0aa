"""The addresses that a service's sources may have.

A tenant names the URL, and the service asks it: it could be made to ask what only the service can reach, such as
the metadata of its cloud. Therefore a name is resolved first, each of its addresses is checked, and the connection
goes to the address that was checked. Redirects are never followed.
"""

import ipaddress
import socket
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.core.errors import InputError, MeasurementError

if TYPE_CHECKING:
    import httpx

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True, slots=True)
class SourcePolicy:
    """Exceptions by the operator, beside public addresses. Most clinical systems are in private networks."""

    allowed: tuple[Network, ...] = field(default=())
    local_files: bool = False

    def permits(self, address: Address) -> bool:
        plain = getattr(address, "ipv4_mapped", None) or address
        if any(plain.version == network.version and plain in network for network in self.allowed):
            return True
        own = plain.is_loopback or plain.is_link_local or plain.is_unspecified
        return not (own or plain.is_multicast or plain.is_reserved)

    def checked(self, host: str, port: int) -> list[str]:
        """The addresses of a host, all of which are permitted. Raises ``MeasurementError``."""
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise MeasurementError(f"the host {host!r} can't be found") from error
        addresses = [str(one[4][0]) for one in found]
        for one in addresses:
            if not self.permits(ipaddress.ip_address(one.partition("%")[0])):
                raise MeasurementError(f"the host {host!r} has an address that sources must not have")
        return list(dict.fromkeys(addresses))


def networks(written: Iterable[str]) -> tuple[Network, ...]:
    """Networks as an operator writes them. Raises ``InputError``."""
    try:
        return tuple(ipaddress.ip_network(one, strict=False) for one in written)
    except ValueError as error:
        raise InputError(f"an allowed network must be like 127.0.0.0/8: {error}") from error


class GuardedClient:
    """One client for all, made with the first request: making one reads the certificates of the machine."""

    def __init__(self, policy: SourcePolicy) -> None:
        self._policy = policy
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None

    def __call__(self) -> "httpx.Client":
        with self._lock:
            if self._client is None:
                self._client = guarded_client(self._policy)
            return self._client

    def close(self) -> None:
        """Hang up."""
        if self._client is not None:
            self._client.close()


def guarded_client(policy: SourcePolicy) -> "httpx.Client":
    """A client that connects only where the policy permits. It uses no proxy of the environment."""
    import httpcore  # noqa: PLC0415 - only who asks a server needs it
    import httpx  # noqa: PLC0415

    class Guarded(httpcore.NetworkBackend):
        def __init__(self) -> None:
            self._inner = httpcore.SyncBackend()

        def connect_tcp(
            self,
            host: str,
            port: int,
            timeout: float | None = None,
            local_address: str | None = None,
            socket_options: Any = None,
        ) -> httpcore.NetworkStream:
            refused: Exception | None = None
            for address in policy.checked(host, port):
                try:
                    return self._inner.connect_tcp(address, port, timeout, local_address, socket_options)
                except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                    refused = error
            raise refused or httpcore.ConnectError(f"{host} has no address")

        def connect_unix_socket(self, *_: Any, **__: Any) -> Any:
            raise httpcore.ConnectError("sources have no sockets in files")

        def sleep(self, seconds: float) -> None:
            self._inner.sleep(seconds)

    transport = httpx.HTTPTransport(trust_env=False)
    transport._pool = httpcore.ConnectionPool(
        ssl_context=httpx.create_ssl_context(),
        max_connections=100,
        max_keepalive_connections=20,
        keepalive_expiry=5.0,
        network_backend=Guarded(),
    )
    return httpx.Client(follow_redirects=False, trust_env=False, transport=transport)
