"""Build the images of tasks. An image is named after the content that it is built from, so each is built once.

Containers that are known by their makers, so that those of a killed Assay can be found and removed.

A container's name says which process made it. A label says where that process has its id: others may use the same
engine, and their containers are never looked at.
"""

import contextlib
import io
import os
import re
import shutil
import tarfile
import threading
import uuid
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from assay.adapters.machine.atomic_write import write_text
from assay.adapters.machine.scratch import temporary_folder
from assay.adapters.machine.tree_walk import checksum
from assay.adapters.sandbox.cgroups import MakerProcess, place, this_process
from assay.adapters.sandbox.containers.engine import REMOVE, Engine
from assay.adapters.sandbox.run_child import DEFAULT_PATH, Child, run_child
from assay.core.errors import MeasurementError

NAME = "assay-task"
LOG_BYTES = 8 * 2**20
_SHOWN = 500
# Tasks with the same environment wait for each other here, and then find the image.
_building: "defaultdict[str, threading.Lock]" = defaultdict(threading.Lock)
# It has a shell and nothing else, and stays on the machine for the next time.
IMAGE = "localhost/assay-trial:1"
MOST_IMAGES = 3
_NAME = re.compile(r"assay-(\d+)-(\d+)-[0-9a-f]+")


def build_image(engine: Engine, folder: str, timeout_sec: float, log: str | None) -> str:
    """The id of the image of a folder, built unless it is there. ``log`` is a file for what the engine says.

    Raises ``MeasurementError``.
    """
    name = f"{NAME}:{checksum(folder)[:32]}"
    with _building[f"{engine.path} {name}"]:
        known = _id_of(engine, name)
        if known is not None:
            _write(log, f"{name} was built before: {known}\n")
            return known
        return _build_image(engine, folder, timeout_sec, name, log)


def _build_image(engine: Engine, folder: str, timeout_sec: float, name: str, log: str | None) -> str:
    with temporary_folder(0o700) as scratch:
        ran = run_child(
            Child(
                argv=[engine.path, "build", "--tag", name, "--iidfile", f"{scratch}/id", folder],
                stdin=b"",
                timeout_sec=timeout_sec,
                output_bytes=LOG_BYTES,
                env=os.environ,
            )
        )
        said = ran.output.decode(errors="replace")
        _write(log, said)
        if ran.end.timed_out:
            raise MeasurementError(f"{engine.path} build took longer than {timeout_sec:g} s")
        if ran.end.exit_code != 0:
            raise MeasurementError(f"{engine.path} build failed: {said.strip()[-_SHOWN:]}")
        with contextlib.suppress(OSError):
            return Path(scratch, "id").read_text().strip() or name
    return name


def _id_of(engine: Engine, name: str) -> str | None:
    try:
        return engine.call("image", "inspect", "--format", "{{.Id}}", name).splitlines()[-1]
    except (MeasurementError, IndexError):
        return None


def _write(log: str | None, said: str) -> None:
    if log is not None:
        write_text(log, said)


def own_image(engine: Engine) -> str | None:
    """Our own image. None if it isn't there and can't be made."""
    if not engine.does("image", "inspect", IMAGE):
        shell = _static_shell()
        if shell is None:
            return None
        engine.call("import", "-", IMAGE, stdin=_archive(shell))
    return IMAGE


def other_images(engine: Engine) -> Iterator[str]:
    """Some images that happen to be on the machine. Not all of them have a shell."""
    listed = engine.call("images", "--quiet", "--no-trunc")
    yield from list(dict.fromkeys(listed.split()))[:MOST_IMAGES]


def _static_shell() -> str | None:
    """A statically linked busybox. Any other names its loader right after its headers."""
    path = shutil.which("busybox", path=DEFAULT_PATH)
    if path is None:
        return None
    with open(path, "rb") as file:
        head = file.read(4096)
    return path if head.startswith(b"\x7fELF") and b"/ld-" not in head else None


def _archive(shell: str) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        member = tarfile.TarInfo("bin/sh")
        member.mode, member.size = 0o755, os.path.getsize(shell)
        with open(shell, "rb") as file:
            archive.addfile(member, file)
    return content.getvalue()


def new_name() -> str:
    """A name for a container of this process."""
    return f"assay-{this_process()}-{uuid.uuid4().hex[:12]}"


def label() -> str:
    """Where this process has its id."""
    return f"assay.place={place()}"


def sweep(engine: Engine) -> None:
    """Remove the containers whose process is gone."""
    listed = engine.call("ps", "--all", "--filter", f"label={label()}", "--format", "{{.Names}}")
    # One by one: at a name that is not there any more, podman forgets the rest.
    for name in filter(is_gone, listed.split()):
        engine.does(*REMOVE, name)


def is_gone(name: str) -> bool:
    """Whether the process that made a container of this name has ended."""
    match = _NAME.fullmatch(name)
    return match is not None and MakerProcess(int(match[1]), int(match[2])).is_gone
