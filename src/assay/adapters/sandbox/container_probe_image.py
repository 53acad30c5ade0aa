"""Images for a test command, to see whether an engine can run anything here. None is fetched from the network."""

import io
import os
import shutil
import tarfile
from collections.abc import Iterator

from assay.adapters.sandbox.container_engine import Engine
from assay.adapters.sandbox.run_child import DEFAULT_PATH

# It has a shell and nothing else, and stays on the machine for the next time.
IMAGE = "localhost/assay-trial:1"
MOST_IMAGES = 3


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
