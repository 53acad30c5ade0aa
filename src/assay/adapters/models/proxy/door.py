"""Doors: for each trial a socket that its agent can reach, behind which Assay asks the model's endpoint.

A sandbox that shows the system gets a folder with the socket, and a forwarder. A container gets a network
that was made for it, with a loopback on which this process itself listens.
"""

import contextlib
import os
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from assay.adapters.machine.scratch import temporary_folder
from assay.adapters.models.proxy.exchange import Exchange
from assay.adapters.models.proxy.upstream import Upstream, UpstreamCall, endpoint
from assay.adapters.sandbox.kernel import CLONE_NEWNET, enter, raise_loopback, unshare
from assay.adapters.workspace.command_environment import system_python
from assay.core.errors import InputError, MeasurementError
from assay.engine.model_access import Meter, ModelGrant, ModelUse
from assay.engine.sandbox import Mount, Sandbox, SandboxCommand

T = TypeVar("T")
PORT = 47100
INSIDE = "/run/assay-model"
AT_ONCE = 8
GRACE_SEC = 5.0
_SCRIPT = "forward.py"
# Libraries insist on a key. The one that counts is added outside.
_NO_KEYS = {"OPENAI_API_KEY": "assay", "ANTHROPIC_API_KEY": "assay"}
_HOSTS = (f"127.0.0.1:{PORT}", f"localhost:{PORT}")


class Doors:
    """Fulfils ``ModelDoors``. Raises ``InputError`` for a sandbox in which there can be no door."""

    def __init__(self, grant: ModelGrant, key: str | None, sandbox: Sandbox) -> None:
        self.grant = grant
        self._upstream = Upstream(endpoint(grant.endpoint, key))
        self._owner = sandbox.owner
        self._python = _python(sandbox)
        # podman takes a namespace that we made; for Docker, a container must have it.
        by_engine = sandbox.isolation.backend == "container (docker)"
        self._network = partial(_network_of_container, sandbox) if by_engine else _new_network

    @contextlib.contextmanager
    def open(self) -> Iterator["Door"]:
        with temporary_folder(0o711) as around, contextlib.ExitStack() as held:
            folder = f"{around}/door"
            os.mkdir(folder, 0o700)
            shutil.copyfile(Path(__file__).with_name(_SCRIPT), f"{folder}/{_SCRIPT}")
            meter = Meter(self.grant.limits, self.grant.prices, self.grant.models)
            if self._python is None:
                listener, network = held.enter_context(self._network())
            else:
                listener, network = _listen_at(folder), None
            door = Door(listener, folder, self._python, network, self._upstream, meter)
            try:
                # Only the sandbox's user gets in: others on this machine must not use the key.
                for name in ("socket", _SCRIPT, ""):
                    if self._owner is not None:
                        os.chown(os.path.join(folder, name), *self._owner)
                yield door
            finally:
                door.close()


@dataclass(eq=False)
class Door:
    """Fulfils ``ModelDoor``: the socket of one trial and the threads behind it."""

    _listener: socket.socket
    _folder: str
    _python: str | None
    _network: str | None
    _upstream: Upstream
    _meter: Meter

    def __post_init__(self) -> None:
        self._places = threading.BoundedSemaphore(AT_ONCE)
        self._lock = threading.Lock()
        self._connections: dict[socket.socket, UpstreamCall | None] = {}
        self._closing = False
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def through(self, command: SandboxCommand) -> SandboxCommand:
        """The command behind the forwarder, or in a network, with a port of its own loopback that leads here."""
        env = {**_NO_KEYS, **command.env, **_addresses(self._upstream.base)}
        if self._python is None:
            return replace(command, env=env, network=False, network_of=self._network)
        forward = (self._python, "-I", "-S", f"{INSIDE}/{_SCRIPT}", str(PORT), f"{INSIDE}/socket")
        return replace(
            command,
            argv=(*forward, *command.argv),
            mounts=(*command.mounts, Mount(self._folder, INSIDE)),
            env=env,
            network=False,
        )

    def take_use(self) -> ModelUse:
        """The model use, once the requests under way have ended or were given up."""
        self._settle()
        return self._meter.take_use()

    def close(self) -> None:
        self._closing = True
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._cut()
        self._thread.join(GRACE_SEC)

    def _accept(self) -> None:
        while not self._closing:
            self._places.acquire()
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self._connections[connection] = None
            threading.Thread(target=self._attend, args=(connection,), daemon=True).start()

    def _attend(self, connection: socket.socket) -> None:
        def watch(call: UpstreamCall | None) -> None:
            with self._lock:
                self._connections[connection] = call

        try:
            Exchange(connection, self._upstream, _HOSTS, self._meter, watch).handle()
        finally:
            connection.close()
            with self._lock:
                del self._connections[connection]
            self._places.release()

    def _settle(self) -> None:
        """Wait for the answers that were asked for: they are paid for, whoever reads them."""
        end = time.monotonic() + GRACE_SEC
        while time.monotonic() < end and self._under_way():
            time.sleep(0.01)
        self._cut()
        end = time.monotonic() + GRACE_SEC
        while time.monotonic() < end and self._under_way():
            time.sleep(0.01)

    def _under_way(self) -> bool:
        with self._lock:
            return any(call is not None for call in self._connections.values())

    def _cut(self) -> None:
        with self._lock:
            for connection, call in self._connections.items():
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
                if call is not None:
                    call.cut()


def _addresses(base: str) -> Mapping[str, str]:
    """Where the libraries of models look for their endpoint."""
    root = f"http://127.0.0.1:{PORT}"
    openai = f"{root}{base or '/v1'}"
    # Anthropic's library adds the version by itself.
    anthropic = openai.removesuffix("/v1")
    return {
        "ASSAY_MODEL_URL": openai,
        "OPENAI_BASE_URL": openai,
        "OPENAI_API_BASE": openai,
        "ANTHROPIC_BASE_URL": anthropic,
    }


def _listen_at(folder: str) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    # The whole path of a folder may be too long for the address of a socket.
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        listener.bind(f"/proc/self/fd/{fd}/socket")
    finally:
        os.close(fd)
    os.chmod(f"{folder}/socket", 0o600)
    listener.listen(128)
    return listener


@contextlib.contextmanager
def _new_network() -> Iterator[tuple[socket.socket, str]]:
    """A socket on the loopback of a new network namespace, which has nothing else, and podman's name for that."""

    def make() -> tuple[socket.socket, int]:
        unshare(CLONE_NEWNET)
        raise_loopback()
        namespace = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        return _listen(), namespace

    listener, namespace = _in_a_thread(make)
    try:
        yield listener, f"ns:/proc/{os.getpid()}/fd/{namespace}"
    finally:
        os.close(namespace)


@contextlib.contextmanager
def _network_of_container(sandbox: Any) -> Iterator[tuple[socket.socket, str]]:
    """A socket on the loopback of a container's network, and the engine's name for that network."""

    def make(process: int) -> socket.socket:
        enter(f"/proc/{process}/ns/net")
        return _listen()

    with sandbox.own_network() as (network, process):
        yield _in_a_thread(partial(make, process)), network


def _listen() -> socket.socket:
    listener = socket.create_server(("127.0.0.1", PORT), backlog=128)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _in_a_thread(make: Callable[[], T]) -> T:
    """Make something in a thread that changes its network, and that nobody uses afterwards."""
    with ThreadPoolExecutor(1) as once:
        try:
            return once.submit(make).result()
        except OSError as error:
            raise MeasurementError(f"a network for the model can't be made: {error.strerror}") from error


def _python(sandbox: Sandbox) -> str | None:
    """A Python for the forwarder that a sandbox shows; None for a container, which needs none.

    Raises ``InputError`` where there can be no door.
    """
    backend = sandbox.isolation.backend
    if sandbox.images is not None and backend.startswith("container (") and os.geteuid() == 0:
        return None
    if sandbox.images is not None or not sandbox.isolation.no_network:
        why = "can't be given a way out" if sandbox.images is not None else "has the whole network anyway"
        raise InputError(
            "--model-endpoint needs the isolation bubblewrap, namespaces or, as root, container,"
            f" but a sandbox of {backend} {why}"
        )
    return system_python("--model-endpoint")
