"""The addresses that a service's sources may have.

A tenant names the URL, and the service asks it: it could be made to ask what only the service can reach, such as
the metadata of its cloud. Therefore a name is resolved first, each of its addresses is checked, and the connection
goes to the address that was checked. Redirects are never followed.
"""

import ipaddress
import re
import socket
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from assay.core.errors import InputError, MeasurementError

if TYPE_CHECKING:
    import httpx

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


# Addresses at which clouds tell a machine its secrets: Amazon, Google, Azure, Alibaba, Oracle, Tencent, Scaleway.
METADATA: Final = frozenset(
    ipaddress.ip_address(one)
    for one in (
        *("169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.0.23", "169.254.42.42", "168.63.129.16"),
        *("100.100.100.200", "192.0.0.192", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:42::42"),
    )
)
# Not for the internet, whatever the standard library says: protocol assignments, relays, and tunnels.
_NOT_GLOBAL: Final = tuple(
    map(
        ipaddress.ip_network,
        ("192.0.0.0/24", "192.88.99.0/24", "::/96", "2001::/23", "2002::/16", "64:ff9b:1::/48"),
    )
)
_TRANSLATED: Final = ipaddress.IPv6Network("64:ff9b::/96")
_NAME: Final = re.compile(
    r"[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*\.?"
)
REFUSED: Final = "the host {host!r} can't be found, or has an address that sources must not have"


@dataclass(frozen=True, slots=True)
class AllowedSource:
    """A network or a host that sources may be at, at every port unless one is named."""

    network: Network | None = None
    host: str | None = None
    port: int | None = None

    def has(self, address: Address, host: str | None, port: int | None) -> bool:
        if self.port is not None and self.port != port:
            return False
        if self.network is None:
            return host is not None and host.lower().rstrip(".") == self.host
        return address.version == self.network.version and address in self.network


@dataclass(frozen=True, slots=True)
class SourcePolicy:
    """Sources are at addresses of the internet, or where the operator allows them. Never at those of metadata."""

    allowed: tuple[AllowedSource, ...] = field(default=())
    local_files: bool = False

    def permits(self, address: Address, host: str | None = None, port: int | None = None) -> bool:
        plain = _plain(address)
        if plain in METADATA:
            return False
        if any(one.has(plain, host, port) for one in self.allowed):
            return True
        apart = any(plain.version == network.version and plain in network for network in _NOT_GLOBAL)
        return plain.is_global and not (apart or plain.is_multicast or plain.is_reserved or _is_site_local(plain))

    def checked(self, host: str, port: int) -> list[str]:
        """The addresses of a host, all of which are permitted. Raises ``MeasurementError``, always with one text:
        nobody shall learn which names and addresses there are behind the service."""
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            addresses = [str(one[4][0]) for one in found]
            if not all(self.permits(ipaddress.ip_address(one.partition("%")[0]), host, port) for one in addresses):
                raise OSError(REFUSED)
        except (OSError, UnicodeError) as error:
            raise MeasurementError(REFUSED.format(host=host)) from error
        return list(dict.fromkeys(addresses))


def _plain(address: Address) -> Address:
    """The address of the older kind that one of the newer kind only wraps."""
    if isinstance(address, ipaddress.IPv6Address):
        if address in _TRANSLATED:
            return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        return address.ipv4_mapped or address
    return address


def _is_site_local(address: Address) -> bool:
    return isinstance(address, ipaddress.IPv6Address) and address.is_site_local


def allowed_sources(written: Iterable[str]) -> tuple[AllowedSource, ...]:
    """Sources as an operator names them: a network or a host, maybe with a port. Raises ``InputError``."""
    return tuple(map(_allowed, written))


def _allowed(written: str) -> AllowedSource:
    place, port = written, None
    end = re.fullmatch(r"(?P<place>\[[^\]]*\]|[^:]*)(:(?P<port>[0-9]{1,5}))?", written)
    if end is not None:
        place, port = end["place"].strip("[]"), None if end["port"] is None else int(end["port"])
    try:
        return AllowedSource(network=ipaddress.ip_network(place, strict=False), port=port)
    except ValueError as error:
        if _NAME.fullmatch(place) is None or place.replace(".", "").isdecimal() or port == 0:
            raise InputError(
                f"an allowed source must be like 10.0.0.0/8, fhir.example or fhir.example:8080, got {written!r}"
            ) from error
    return AllowedSource(host=place.lower().rstrip("."), port=port)


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
            # A port that is closed looks as one that doesn't answer.
            raise httpcore.ConnectError(f"{host} has no address that answers") from refused

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
