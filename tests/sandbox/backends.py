"""The sandboxes of this machine, each with what a test needs to run commands in it."""

import contextlib
import functools
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.adapters.machine.lock import machine_lock
from assay.adapters.sandbox.backends import PROBES
from assay.adapters.sandbox.containers.container import Container
from assay.core.errors import MeasurementError
from assay.engine.sandbox import CommandLimits, Mount, Ran, Sandbox, SandboxCommand
from tests.sandbox.ordinary import ordinary_sandbox

NAMES = ("bubblewrap", "namespaces", "container", "process")
# Those that show a command a system of their own, and those of an ordinary user.
VIEWS = ("bubblewrap", "namespaces")
ORDINARY = tuple(f"{name}, ordinary user" for name in VIEWS)
PATH = "/usr/local/bin:/usr/bin:/bin"
BUSYBOX = "/bin/busybox"

# The image has a shell with its tools and nothing else.
DOCKERFILE = """\
FROM scratch
COPY busybox /bin/busybox
COPY busybox /bin/sh
RUN ["/bin/busybox", "--install", "/bin"]
"""


@dataclass(frozen=True)
class Backend:
    """A sandbox that works here. ``image`` is what containers are made from."""

    name: str
    sandbox: Sandbox
    image: str | None = None

    @property
    def engine(self) -> str:
        """The path of the container engine's client."""
        assert isinstance(self.sandbox, Container)
        return self.sandbox.engine.path

    def run(
        self,
        lines: str,
        *,
        timeout_sec: float = 20,
        limits: CommandLimits | None = None,
        mounts: tuple[Mount, ...] = (),
        env: Mapping[str, str] | None = None,
        workdir: str = "/",
        network: bool = False,
        stdin: bytes = b"",
        user: str | int | None = None,
        alone: bool = False,
        apart: bool = False,
    ) -> Ran:
        """Run lines in the sandbox's shell; a bomb ``alone``, because plain processes share one count."""
        command = SandboxCommand(
            argv=("/bin/sh", "-c", lines),
            workdir=workdir,
            limits=limits or CommandLimits(timeout_sec=timeout_sec),
            mounts=mounts,
            env={"PATH": PATH} if env is None else env,
            network=network,
            stdin=stdin,
            user=user,
            image=self.image,
            apart=apart,
        )
        with plain_processes(self.name, alone=alone):
            return self.sandbox.run(command)


@contextlib.contextmanager
def plain_processes(name: str, *, alone: bool = False) -> Iterator[None]:
    """Beside the plain processes of other tests, or alone: all have one user, whose processes are counted."""
    if name != "process":
        yield
        return
    with machine_lock(shared=not alone, folder="/var"):
        yield


@functools.cache
def working(name: str) -> Backend | str:
    """The backend, or why this machine does not have it. A container must have started."""
    base, _, ordinary = name.partition(",")
    if ordinary:
        found = ordinary_sandbox(base)
        return found if isinstance(found, str) else Backend(base, found)
    try:
        sandbox = PROBES[name]()
        if not isinstance(sandbox, Container):
            return Backend(name, sandbox)
        backend = Backend(name, sandbox, _image(sandbox))
        backend.run("true")
    except MeasurementError as error:
        return str(error)
    return backend


def need(name: str) -> Backend:
    """The backend; skips the test where this machine does not have it."""
    found = working(name)
    if isinstance(found, str):
        pytest.skip(f"{name} is not available here: {found}")
    return found


def write_image(folder: Path, more: str = "") -> None:
    """A folder from which the smallest image with a shell can be built."""
    if not os.path.exists(BUSYBOX):
        raise MeasurementError("there is no statically linked /bin/busybox to make an image from")
    shutil.copy(BUSYBOX, folder / "busybox")
    (folder / "Dockerfile").write_text(DOCKERFILE + more)


def _image(sandbox: Container) -> str:
    with tempfile.TemporaryDirectory() as name:
        write_image(Path(name))
        return sandbox.build(name, 300)


@contextlib.contextmanager
def removed_afterwards(*paths: str) -> Iterator[None]:
    """For files that a test has to leave at a fixed place."""
    try:
        yield
    finally:
        for path in paths:
            shutil.rmtree(path) if os.path.isdir(path) else Path(path).unlink(missing_ok=True)


@contextlib.contextmanager
def no_plain_processes() -> Iterator[None]:
    """While no command runs in a process sandbox, in whatever process: none has Harbor's paths."""
    with machine_lock():
        yield


def eventually(condition: Callable[[], object], seconds: float = 60) -> bool:
    """Whether a condition comes true in time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return bool(condition())


def processes_with(mark: str) -> list[int]:
    """The processes of the whole machine, in whatever namespace, whose command line has this mark."""
    found: list[int] = []
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if name.isdigit() and mark.encode() in Path(f"/proc/{name}/cmdline").read_bytes():
                found.append(int(name))
    return found
