"""Build the images of tasks. An image is named after the content that it is built from, so each is built once."""

import contextlib
import os
import threading
from collections import defaultdict
from pathlib import Path

from assay.adapters.atomic_write import write_text
from assay.adapters.checksums import checksum
from assay.adapters.sandbox.container_engine import Engine
from assay.adapters.sandbox.run_child import Child, run_child
from assay.adapters.scratch import temporary_folder
from assay.core.errors import MeasurementError

NAME = "assay-task"
LOG_BYTES = 8 * 2**20
_SHOWN = 500
# Tasks with the same environment wait for each other here, and then find the image.
_building: "defaultdict[str, threading.Lock]" = defaultdict(threading.Lock)


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
        return _built(engine, folder, timeout_sec, name, log)


def _built(engine: Engine, folder: str, timeout_sec: float, name: str, log: str | None) -> str:
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
