"""Run the application behind uvicorn, on a store that is made if it isn't there."""

import signal
import socket
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import uvicorn
from starlette.applications import Starlette

from assay.adapters.store.columns import DEFAULT_ORGANISATION
from assay.api.app import Settings, make_app
from assay.api.connections import ConnectionLimits, limited_protocol, most_connections
from assay.api.metrics import Metrics
from assay.api.pages.guard import is_loopback
from assay.api.pages.server import BASE, PageSettings
from assay.api.processes import Processes
from assay.api.service import Service
from assay.api.working import Opening, Say, open_service, say_coding
from assay.core.errors import InputError
from assay.engine.service.keys import Owner, Scope, issue_key

BACKLOG: Final = 2048
WORKERS: Final = 2
SINGLE_USER: Final = "single user"
SINGLE_USER_LASTING: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Serving(Opening):
    """Options of ``assay serve``."""

    host: str
    port: int
    requests_per_second: int | None = None
    worker: bool = True
    page_hosts: tuple[str, ...] = ()
    single_user: bool = False
    processes: int = 1


def serve(told: Serving, say: Say) -> int:
    """Serve until a signal ends it. Raises ``InputError`` if it can't start."""
    if told.single_user and not is_loopback(told.host):
        raise InputError(f"--single-user must listen on a loopback address such as 127.0.0.1, got {told.host}")
    if told.single_user and told.processes > 1:
        raise InputError("--single-user must be served by one process, so leave --workers out")
    with listening_socket(told.host, told.port) as listening:
        if told.processes == 1:
            with open_service(told, create=True) as service:
                return _serve_on(service, told, listening, say)

        def serve_one(number: int) -> int:
            with open_service(told) as service:
                return _serve_on(service, told, listening, say, str(number))

        processes = Processes(told.processes, serve_one, say)
        with open_service(told, create=True) as service:
            _announce(service, told, listening, say)
        return processes.run()


def _announce(service: Service, told: Serving, listening: socket.socket, say: Say) -> None:
    say(f"assay serves {_address(listening)} on {service.store.name}")
    _first_key(service, say)
    if told.worker:
        if "://" not in told.store:
            service.coding.sandbox.must_work_here()
        say_coding(service, say)


def _serve_on(
    service: Service, told: Serving, listening: socket.socket, say: Say, process: str | None = None
) -> int:
    pages = _pages(service, told)
    workers = WORKERS if told.worker else 0
    app = make_app(service, Settings(told.requests_per_second, workers, pages=pages, metrics=Metrics(process)))
    server = uvicorn.Server(uvicorn_config(app, ConnectionLimits(most=most_connections())))
    _end_with_signals(server)
    if process is None:
        _announce(service, told, listening, say)
    if pages.enter is not None:
        say(f"pages, only for you: {_address(listening)}{BASE}enter?token={pages.enter}")
    server.run(sockets=[listening])
    if pages.enter_key is not None:
        service.keys.revoke(DEFAULT_ORGANISATION, pages.enter_key.id)
    return 0


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _pages(service: Service, told: Serving) -> PageSettings:
    """A single user comes in by a token in the address, with an admin key that ends with the server."""
    hosts = frozenset(name.lower() for name in told.page_hosts)
    if not told.single_user:
        return PageSettings(hosts)
    ends = service.host.now() + SINGLE_USER_LASTING
    issued = issue_key(service.keys, Owner(DEFAULT_ORGANISATION), Scope.ADMIN, SINGLE_USER, ends)
    return PageSettings(hosts, service.host.new_secret(), issued.key)


def uvicorn_config(app: Starlette, limits: ConnectionLimits) -> uvicorn.Config:
    """How uvicorn serves the application."""
    return uvicorn.Config(
        app,
        http=limited_protocol(limits),
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=30,
        server_header=False,
    )


def _end_with_signals(server: uvicorn.Server) -> None:
    """Also before uvicorn looks after signals, and when it hands them on at its end."""

    def end(*_: object) -> None:
        server.should_exit = True

    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, end)


def _first_key(service: Service, say: Say) -> None:
    if not service.keys.has_keys(DEFAULT_ORGANISATION):
        issued = issue_key(service.keys, Owner(DEFAULT_ORGANISATION), Scope.ADMIN, "first admin key")
        say(f"admin key, shown only now: {issued.secret}")


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket that listens. Who reads its address may connect at once, and waits until the server is ready."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Head and body are sent apart; together with late acknowledgements that would take 40 ms a request.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        listening.bind((host, port))
        listening.listen(BACKLOG)
    except (OSError, UnicodeError) as error:
        listening.close()
        why = getattr(error, "strerror", None) or error
        raise InputError(f"can't listen on {host} port {port}: {why}") from error
    return listening
