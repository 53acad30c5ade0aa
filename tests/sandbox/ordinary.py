"""Sandboxes as an ordinary user has them: in a child of the tests that gives up root first."""

import contextlib
import functools
import multiprocessing
import os
import shutil
import sys
from multiprocessing.connection import Connection

# All that a child needs later is imported here: root's interpreter may be out of reach for it.
from assay.adapters.sandbox import launcher_client, view_sandbox
from assay.adapters.sandbox.backends import PROBES
from assay.core.errors import MeasurementError
from assay.engine.sandbox import Isolation, Ran, SandboxCommand

NOBODY = 65534


class OrdinarySandbox:
    """A sandbox of another user, which runs in a child of this process."""

    owner = None
    images = None

    def __init__(self, name: str) -> None:
        self._here, there = multiprocessing.Pipe()
        child = multiprocessing.get_context("fork").Process(target=_serve, args=(name, there), daemon=True)
        child.start()
        there.close()
        found = self._here.recv()
        if isinstance(found, Exception):
            raise found
        self.isolation: Isolation = found

    def run(self, command: SandboxCommand) -> Ran:
        self._here.send(command)
        found = self._here.recv()
        if isinstance(found, Exception):
            raise found
        assert isinstance(found, Ran)
        return found


@functools.cache
def ordinary_sandbox(name: str) -> "OrdinarySandbox | str":
    """The sandbox, or why an ordinary user does not have it here."""
    if os.geteuid() != 0:
        return "the tests run as an ordinary user already"
    try:
        return OrdinarySandbox(name)
    except MeasurementError as error:
        return str(error)


def _serve(name: str, pipe: Connection) -> None:
    _let_go_of_all_but(pipe.fileno())
    try:
        become_ordinary()
        sandbox = PROBES[name]()
        pipe.send(sandbox.isolation)
    except Exception as error:  # noqa: BLE001 - said on the other side
        pipe.send(MeasurementError(str(error)))
        return
    while True:
        try:
            command = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(sandbox.run(command))
        except MeasurementError as error:
            pipe.send(error)


def _let_go_of_all_but(kept: int) -> None:
    """Whoever waits for the end of the tests must not wait for this child."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) != kept:
            with contextlib.suppress(OSError):
                os.close(int(name))
    for _ in range(3):
        os.open(os.devnull, os.O_RDWR)


def become_ordinary() -> None:
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    os.chdir("/")
    view_sandbox.harmless_etc.cache_clear()
    if not os.access(sys.executable, os.X_OK):
        sys.executable = shutil.which("python3", path="/usr/bin") or sys.executable
    for needed in (sys.executable, launcher_client.SCRIPT):
        if not os.access(needed, os.R_OK):
            raise MeasurementError(f"an ordinary user can't read {needed}")
