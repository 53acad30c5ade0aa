"""A backend for a container engine on another machine, by its URL: whatever speaks Docker's interface.

ASSAY_ENGINE_URL has the URL, such as ssh://user@host or tcp://host:2376; ASSAY_ENGINE names the client, docker or
podman, and ASSAY_ENGINE_IMAGE the image for tasks that name none. Folders can't be mounted there, so files travel.
"""

import contextlib
import gzip
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Sequence
from typing import BinaryIO, Final

from assay.adapters.sandbox.containers.container import hand_over
from assay.adapters.sandbox.containers.images import label, new_name
from assay.adapters.sandbox.run_child import Child, run_child
from assay.core.errors import MeasurementError
from assay.engine.backend import SessionCommand, SessionEnd, SessionNeeds

URL: Final = "ASSAY_ENGINE_URL"
ENGINE: Final = "ASSAY_ENGINE"
IMAGE: Final = "ASSAY_ENGINE_IMAGE"
# A machine that nobody stopped ends by itself.
_WAIT: Final = ("/bin/sh", "-c", "sleep 86400")


class EngineElsewhere:
    """Fulfils ``Backend``."""

    def __init__(self) -> None:
        """Raises ``MeasurementError`` if a variable is missing, or the client."""
        url, name = os.environ.get(URL), os.environ.get(ENGINE, "docker")
        path = shutil.which(name)
        if not url or path is None:
            missing = f"the variable {URL} must name an engine" if not url else f"{name} is not installed"
            raise MeasurementError(missing)
        self.trial_image = os.environ.get(IMAGE)
        at = ("--remote", "--url", url) if os.path.basename(path).startswith("podman") else ("--host", url)
        self._client = (path, *at)

    def start(self, needs: SessionNeeds) -> "EngineSession":
        image = needs.image or self.trial_image
        if image is None:
            raise MeasurementError(f"the task names no image, and neither does the variable {IMAGE}")
        session = EngineSession(self._client)
        limits = {
            "--network": None if needs.network else "none",
            "--cpus": needs.cpus,
            "--memory": None if needs.memory_mb is None else f"{needs.memory_mb}m",
            "--pids-limit": needs.processes,
        }
        options = [part for name, value in limits.items() if value is not None for part in (name, str(value))]
        # What waits in it knows no signals, and podman would give it ten seconds to end.
        options += ["--rm", "--stop-timeout", "0", "--entrypoint", _WAIT[0]]
        run = ("run", "--detach", "--name", session.name, "--label", label(), *options, image, *_WAIT[1:])
        call_engine((*self._client, *run))
        return session

    def build(self, folder: str, timeout_sec: float) -> str:
        return call_engine((*self._client, "build", "--quiet", folder), timeout_sec).strip()

    def workdir_of(self, image: str) -> str | None:
        shown = call_engine((*self._client, "image", "inspect", "--format", "{{.Config.WorkingDir}}", image))
        return shown.strip() or None


def call_engine(argv: Sequence[str], timeout_sec: float = 600, stdin: BinaryIO | None = None) -> str:
    """Ask an engine for something. Raises ``MeasurementError`` with its words."""
    try:
        asked = subprocess.run(argv, stdin=stdin, capture_output=True, check=False, timeout=timeout_sec)
    except subprocess.TimeoutExpired as error:
        raise MeasurementError(f"the engine doesn't answer within {timeout_sec:g} s") from error
    if asked.returncode:
        raise MeasurementError(asked.stderr.decode(errors="replace").strip()[-300:])
    return asked.stdout.decode(errors="replace")


class EngineSession:
    """Fulfils ``Session`` by a container."""

    def __init__(self, client: tuple[str, ...]) -> None:
        self._client = client
        self.name = new_name()

    def put(self, folder: str, archive: BinaryIO) -> None:
        call_engine((*self._client, "exec", "--user", "0", self.name, "mkdir", "-p", folder))
        with tempfile.TemporaryFile() as file:
            shutil.copyfileobj(archive, file)
            file.seek(0)
            with tarfile.open(fileobj=file) as tar:
                is_empty = tar.next() is None
            file.seek(0)
            if not is_empty:  # podman takes one without entries for something else.
                call_engine((*self._client, "cp", "-", f"{self.name}:{folder}"), stdin=file)

    def exec(self, command: SessionCommand) -> SessionEnd:
        handover = hand_over(command.env)
        user = () if command.user is None else ("--user", str(command.user))
        argv = ("/bin/sh", "-c", f'{handover.script}exec "$0" "$@"', *command.argv)
        options = ("--interactive", "--workdir", command.workdir, *user, *handover.options)
        client = [*self._client, "exec", *options, self.name, *argv]
        limits = (command.timeout_sec, command.output_bytes)
        ran = run_child(Child(client, command.stdin, *limits, env=handover.client_env, apart=command.apart))
        return SessionEnd(ran.end.exit_code, ran.output, ran.output_cut, ran.apart)

    def get(self, folder: str, archive: BinaryIO) -> None:
        with contextlib.suppress(MeasurementError):  # A command may have removed it.
            call_engine((*self._client, "exec", "--user", "0", self.name, "mkdir", "-p", folder))
        client = [*self._client, "cp", f"{self.name}:{folder}/.", "-"]
        with (
            subprocess.Popen(client, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as copying,
            gzip.GzipFile(fileobj=archive, mode="wb", compresslevel=1) as packed,
        ):
            assert copying.stdout is not None  # noqa: S101 - it is a pipe
            shutil.copyfileobj(copying.stdout, packed)
        if copying.returncode:
            raise MeasurementError(f"cp: {folder} can't be copied")

    def stop(self) -> None:
        call_engine((*self._client, "rm", "--force", "--volumes", self.name))
