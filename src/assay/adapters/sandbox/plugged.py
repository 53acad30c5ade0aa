"""Sandboxes of others, by the entry point ``assay.backends``: a function without arguments that gives a backend.

What they hold is measured like that of our own, and nothing is believed.
"""

import io
import os
import shutil
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import entry_points
from typing import BinaryIO, Final, TypeVar

from assay.adapters.machine.scratch import temporary_folder
from assay.adapters.machine.trees import pack_tree, remove_tree, unpack_tree
from assay.adapters.sandbox import PLUGGED
from assay.core.errors import AssayError, MeasurementError
from assay.engine.backend import Backend, LostFilesError, Session, SessionCommand, SessionEnd, SessionNeeds
from assay.engine.sandbox import IS_THERE, CommandLimits, Isolation, Mount, Ran, SandboxCommand
from assay.evidence.coding_run import Printed, ProcessEnd

# So much longer than its time limit may a command take, with the time that its machine needs to answer.
GRACE_SEC: Final = 60.0
DISK_MB: Final = 4096
T = TypeVar("T")


def load_plugged(name: str) -> "PluggedSandbox":
    """One of them. Raises ``MeasurementError`` if it can't be used."""
    (found, *_) = entry_points(group=PLUGGED, name=name)
    make = _asked(name, "be loaded", found.load)
    return PluggedSandbox(name, _asked(name, "begin", make))


class PluggedSandbox:
    """Fulfils ``Sandbox`` by a backend: each command gets a machine, and folders that it may write come back."""

    owner: tuple[int, int] | None = None

    def __init__(self, name: str, backend: Backend) -> None:
        self._name = name
        self._backend = backend
        self.trial_image = _asked(name, "say its image", lambda: backend.trial_image)
        self.images = self
        unknown = "as measured"
        self.isolation = Isolation(name, True, True, True, unknown, unknown, unknown, "as the backend says")

    def run(self, command: SandboxCommand) -> Ran:
        limits = command.limits
        needs = SessionNeeds(
            command.image, command.network, limits.cpus, limits.memory_mb, limits.disk_mb, limits.processes
        )
        session = self._ask("start a machine", lambda: self._backend.start(needs))
        try:
            for mount in command.mounts:
                self._put(session, mount)
            begun = datetime.now(UTC)
            ended = self._exec(session, command)
            finished = datetime.now(UTC)
            code, excess = ended.exit_code, ended.excess
            for mount in () if excess or ended.out_of_memory else command.mounts:
                if mount.writable:
                    excess = self._get(session, mount, limits.disk_mb or DISK_MB) or excess
            if excess:
                end = ProcessEnd(exit_code=None, excess=excess)
            else:
                end = ProcessEnd(exit_code=code, timed_out=code is None, out_of_memory=ended.out_of_memory)
        finally:
            self._ask("stop a machine", session.stop)
        most = limits.output_bytes
        tails = (Printed(ended.output, ended.output_cut), *ended.apart)
        output, *apart = (Printed(one.data[-most:], one.cut or len(one.data) > most) for one in tails)
        known = tuple(apart) if len(apart) == 2 else ()
        return Ran(end, output.data, output.cut, begun, finished, apart=known)

    def build(self, folder: str, timeout_sec: float, log: str | None = None) -> str:  # noqa: ARG002
        """Have the backend build an image. What it says stays there."""
        return self._ask(f"build {folder}", lambda: self._backend.build(folder, timeout_sec))

    def workdir_of(self, image: str) -> str | None:
        """The working folder that an image declares."""
        return self._ask(f"look at {image}", lambda: self._backend.workdir_of(image))

    def has(self, image: str, path: str) -> bool:
        """Whether an image has a file at a path, or a folder with something in it."""
        limits = CommandLimits(timeout_sec=GRACE_SEC)
        return self.run(SandboxCommand((*IS_THERE, path), "/", limits, image=image)).end.exit_code == 0

    def copy_out(self, image: str, path: str, target: str) -> None:
        """Copy the files that an image has at ``path`` into a folder of the host, if there are any."""
        if self.has(image, path):
            session = self._ask("start a machine", lambda: self._backend.start(SessionNeeds(image)))
            try:
                self._get(session, Mount(target, path), DISK_MB)
            finally:
                self._ask("stop a machine", session.stop)

    def _ask(self, what: str, call: Callable[[], T]) -> T:
        return _asked(self._name, what, call)

    def _put(self, session: Session, mount: Mount) -> None:
        """Bring a folder, or a single file into the folder that it belongs to."""
        with temporary_folder(0o700) as around:
            source, folder = mount.source, mount.target
            if not os.path.isdir(source):
                source, folder = f"{around}/file", os.path.dirname(mount.target)
                os.mkdir(source)
                shutil.copy(mount.source, f"{source}/{os.path.basename(mount.target)}")
            pack_tree(source, f"{around}/archive", exact=True)
            with open(f"{around}/archive", "rb") as archive:
                self._ask(f"put files into {folder}", lambda: session.put(folder, archive))

    def _exec(self, session: Session, command: SandboxCommand) -> SessionEnd:
        """Run the command. A backend that doesn't come back is stopped: it keeps the time, and so do we."""
        limits = command.limits
        asked = SessionCommand(
            command.argv,
            command.workdir,
            command.env,
            limits.timeout_sec,
            limits.output_bytes,
            command.stdin,
            command.user,
            command.apart,
        )
        found: list[SessionEnd | MeasurementError] = []

        def run() -> None:
            try:
                found.append(self._ask("run a command", lambda: session.exec(asked)))
            except MeasurementError as error:
                found.append(error)

        running = threading.Thread(target=run, daemon=True)
        running.start()
        running.join(limits.timeout_sec + GRACE_SEC)
        if not found:
            late = f"it has not ended a command {GRACE_SEC:g} s after its time limit of {limits.timeout_sec:g} s"
            raise MeasurementError(f"the backend {self._name}: {late}")
        if isinstance(found[0], MeasurementError):
            raise found[0]
        return found[0]

    def _get(self, session: Session, mount: Mount, most_mb: int) -> str:
        """Replace a folder by what the command left of it, or return what it did so that nothing is replaced."""
        with temporary_folder(0o700) as around:
            with open(f"{around}/archive", "wb") as file:
                archive = _BoundedWriter(file, most_mb * 2**20)
                try:
                    self._ask(f"get {mount.target}", lambda: session.get(mount.target, archive))
                except LostFilesError as error:
                    return str(error)
                except _TooMuchError:
                    pass
            if archive.is_full:
                return f"left more than {most_mb} MB in {mount.target}"
            for name in os.listdir(mount.source):
                remove_tree(os.path.join(mount.source, name))
            self._ask(f"get {mount.target}", lambda: unpack_tree(f"{around}/archive", mount.source))
        return ""


class _TooMuchError(MeasurementError):
    """More was written than there is room for."""


class _BoundedWriter(io.RawIOBase, BinaryIO):
    """Writes up to a limit."""

    def __init__(self, file: BinaryIO, limit: int) -> None:
        self._file = file
        self._left = limit
        self.is_full = False

    def writable(self) -> bool:
        return True

    def write(self, data: "bytes | bytearray | memoryview") -> int:  # type: ignore[override]
        self._left -= len(data)
        if self._left < 0:
            self.is_full = True
            raise _TooMuchError("the content is too large")
        return self._file.write(data)


def _asked(name: str, what: str, call: Callable[[], T]) -> T:
    """Ask a backend for something. Whatever it raises is a broken measurement, in its own words."""
    try:
        return call()
    except AssayError:
        raise
    except Exception as error:
        raise MeasurementError(f"the backend {name} can't {what}: {type(error).__name__}: {error}") from error
