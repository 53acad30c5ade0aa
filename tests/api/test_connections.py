"""Connections that only keep the server waiting are ended, and never keep others from being served."""

import contextlib
import resource
import socket
import threading
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from assay.adapters.store.errors import StoreError
from assay.api.app import make_app
from assay.api.connections import ConnectionLimits, most_connections
from assay.api.service import Service
from assay.api.serving import listening_socket
from tests.api.serving import serving

HEAD_SEC = 1.0
IDLE = 2_000
LATE = b"HTTP/1.1 408 Request Timeout\r\n"


@pytest.fixture
def service(migrated_file: str) -> Iterator[Service]:
    from assay.adapters.store.opening import open_store  # noqa: PLC0415 - only here

    opened = Service(open_store(str(migrated_file)))
    yield opened
    opened.close()


@pytest.fixture
def impatient(service: Service) -> Iterator[str]:
    with serving(make_app(service), ConnectionLimits(head_seconds=HEAD_SEC, read_seconds=HEAD_SEC)) as url:
        yield url


def connected(url: str) -> socket.socket:
    parts = urlsplit(url)
    assert parts.hostname is not None
    assert parts.port is not None
    return socket.create_connection((parts.hostname, parts.port), timeout=30)


def rest(connection: socket.socket) -> bytes:
    """All that comes until the server hangs up."""
    found = b""
    with contextlib.suppress(ConnectionResetError):
        while more := connection.recv(100_000):
            found += more
    return found


def test_who_sends_nothing_is_left(impatient: str) -> None:
    with connected(impatient) as connection:
        assert rest(connection) == b""


@pytest.mark.parametrize("piece", [b"G", b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: "])
def test_half_a_head_is_told_once_its_time_is_over(impatient: str, piece: bytes) -> None:
    with connected(impatient) as connection:
        connection.sendall(piece)
        found = rest(connection)
    assert found.startswith(LATE)
    assert found.endswith(b'"message":"the head of a request must arrive within 1 s","details":{}}}')


def test_a_head_that_comes_in_drops(impatient: str) -> None:
    """A byte now and then gives nobody more time."""
    with connected(impatient) as connection, contextlib.suppress(BrokenPipeError, ConnectionResetError):
        connection.sendall(b"GET /healthz HTTP/1.1\r\n")
        for _ in range(600):
            connection.sendall(b"x: y\r\n")
            time.sleep(0.05)
        pytest.fail("the server waits for ever")


def test_a_second_head_that_comes_in_drops(impatient: str) -> None:
    with connected(impatient) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /hea")
        found = rest(connection)
    assert found.startswith(b"HTTP/1.1 200 OK\r\n")
    assert found.count(b"HTTP/1.1") == 1


def test_the_rest_of_a_refused_body_is_not_waited_for(impatient: str) -> None:
    """The answer comes before the body; who goes on sending it slowly is left."""
    with connected(impatient) as connection, contextlib.suppress(BrokenPipeError, ConnectionResetError):
        connection.sendall(b"POST /v1/tasks HTTP/1.1\r\nHost: x\r\nContent-Length: 8000000\r\n\r\n")
        assert b" 401 " in connection.recv(1000)
        for _ in range(600):
            connection.sendall(b" ")
            time.sleep(0.05)
        pytest.fail("the server waits for ever")


def test_who_stops_reading_is_left() -> None:
    """What nobody reads stays in the server's memory."""
    given_up = threading.Event()

    async def large(_request: Request) -> Response:
        return Response(b" " * 50_000_000, background=BackgroundTask(given_up.set))

    app = Starlette(routes=[Route("/large", large)])
    with serving(app, ConnectionLimits(read_seconds=HEAD_SEC)) as url, connected(url) as connection:
        connection.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        assert given_up.wait(120), "the server waits for ever"
        assert len(rest(connection)) < 50_000_000


def test_a_request_may_take_longer_than_its_head(service: Service) -> None:
    limits = ConnectionLimits(head_seconds=3)
    with serving(make_app(service), limits) as url, connected(url) as connection:
        connection.sendall(b"POST /v1/tasks HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n")
        time.sleep(3.5)
        connection.sendall(b"{}")
        assert b" 401 " in connection.recv(1000)


def test_idle_connections_make_room(service: Service) -> None:
    with serving(make_app(service), ConnectionLimits(most=5)) as url, contextlib.ExitStack() as stack:
        idle = [stack.enter_context(connected(url)) for _ in range(20)]
        for _ in range(3):
            assert httpx.get(f"{url}/healthz").status_code == 200
        assert [rest(one) for one in idle[:15]] == [b""] * 15


def test_thousands_of_idle_connections(service: Service) -> None:
    """The full ten thousand are a benchmark (python -m benchmarks service_load)."""
    room = most_connections()
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] >= min(room, 1024)
    count = min(IDLE, room // 3)
    with serving(make_app(service)) as url, contextlib.ExitStack() as stack:
        for _ in range(count):
            stack.enter_context(connected(url))
        assert httpx.get(f"{url}/healthz", timeout=30).status_code == 200
        assert httpx.get(f"{url}/readyz", timeout=30).status_code == 200


HOST = b"Host: x\r\n"
HIDDEN = b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n"


@pytest.mark.parametrize(
    "head",
    [
        b"POST /healthz HTTP/1.1\r\n" + HOST + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /healthz HTTP/1.1\r\n"
        + HOST
        + b"transfer-encoding: chunked\r\nCONTENT-LENGTH : 3\r\n\r\n0\r\n\r\n",
        b"GET /healthz HTTP/1.1\nHost: x\n\n",
        b"GET /healthz HTTP/1.1\r\n" + HOST + b"A: b\nC: d\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n" + HOST + b"\n",
    ],
)
@pytest.mark.parametrize("first", [b"", HIDDEN])
def test_a_head_that_could_hide_another_request_ends_the_connection(
    impatient: str, head: bytes, first: bytes
) -> None:
    with connected(impatient) as connection:
        connection.sendall(first + head + HIDDEN)
        found = rest(connection)
    assert found.count(b"HTTP/1.1 200") == (1 if first else 0)
    assert found.count(b"HTTP/1.1 400 Bad Request\r\n") == 1
    assert b'"code":"bad_request"' in found


def test_a_readable_server_can_write(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is noticed before a request is lost on it."""

    def full(*_: object) -> None:
        raise StoreError("the disk is full")

    with serving(make_app(service)) as url:
        assert httpx.get(f"{url}/readyz").status_code == 200
    monkeypatch.setattr(service.store, "check_writable", full)
    with serving(make_app(service)) as url:
        assert httpx.get(f"{url}/readyz").status_code == 503


def test_answers_never_wait_for_acknowledgements() -> None:
    """The head and the body of an answer are sent apart: with Nagle's algorithm each request takes 40 ms more."""
    with listening_socket("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
