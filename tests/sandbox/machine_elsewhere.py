"""A backend as others would bring one: machines with files of their own, made of bubblewrap."""

import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import BinaryIO

from assay.backends import Printed, SessionCommand, SessionEnd, SessionNeeds


class FolderSession:
    """Fulfils ``Session``: each folder that is put is one of this machine's, shown at its path."""

    tells_apart = False

    def __init__(self, needs: SessionNeeds) -> None:
        self.needs = needs
        self.root = Path(tempfile.mkdtemp(prefix="assay-elsewhere-"))
        self.folders: list[str] = []
        self.stops = 0

    def put(self, folder: str, archive: BinaryIO) -> None:
        own = self._own(folder)
        own.mkdir(parents=True, exist_ok=True)
        if folder not in self.folders:
            self.folders.append(folder)
        with tarfile.open(fileobj=archive) as tar:
            tar.extractall(own, filter="fully_trusted")  # noqa: S202 - Assay packed it

    def exec(self, command: SessionCommand) -> SessionEnd:
        binds = [part for one in self.folders for part in ("--bind", str(self._own(one)), one)]
        network = [] if self.needs.network else ["--unshare-net"]
        system = ["--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc", "--proc", "/proc", "--dev", "/dev"]
        for name in ("bin", "lib", "lib64", "sbin"):
            system += ["--symlink", f"usr/{name}", f"/{name}"]
        # The home folder of machines has names that Assay also has files at.
        argv = ["bwrap", *system, "--tmpfs", "/tmp", *binds, "--unshare-pid", "--die-with-parent", *network]
        argv += ["--chdir", command.workdir, "--", *command.argv]
        with subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if command.apart and self.tells_apart else subprocess.STDOUT,
            env=dict(command.env),
            start_new_session=True,
        ) as running:
            try:
                output, errors = running.communicate(command.stdin, command.timeout_sec)
                code: int | None = running.returncode
            except subprocess.TimeoutExpired:
                running.kill()
                (output, errors), code = running.communicate(), None
        apart = (Printed(output), Printed(errors)) if self.tells_apart and command.apart else ()
        output += errors or b""
        end = output[-command.output_bytes :]
        # bwrap itself ends with 1 where there is no such program.
        missing = code == 1 and b"execvp" in output
        return SessionEnd(127 if missing else code, end, len(end) < len(output), apart)

    def get(self, folder: str, archive: BinaryIO) -> None:
        with tarfile.open(fileobj=archive, mode="w:gz") as tar:
            tar.add(self._own(folder), arcname=".")

    def stop(self) -> None:
        self.stops += 1
        shutil.rmtree(self.root, ignore_errors=True)

    def _own(self, folder: str) -> Path:
        return self.root / folder.strip("/").replace("/", "%")


class MachinesElsewhere:
    """Fulfils ``Backend``. ``sessions`` has all that were started."""

    trial_image: str | None = None
    kind = FolderSession

    def __init__(self) -> None:
        self.sessions: list[FolderSession] = []

    def start(self, needs: SessionNeeds) -> FolderSession:
        self.sessions.append(self.kind(needs))
        return self.sessions[-1]

    def build(self, folder: str, timeout_sec: float) -> str:
        return f"built from {Path(folder).name} within {timeout_sec:g} s"

    def workdir_of(self, image: str) -> str | None:
        return "/workspace" if image.startswith("built") else None
