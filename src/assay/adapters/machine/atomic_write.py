"""Write a file so that a reader sees the old content or the new one, never half of either.

A process that is killed in between leaves an unfinished file under another name; see ``is_unfinished``.
"""

import contextlib
import os
import secrets
from collections.abc import Callable, Iterator

PREFIX = ".assay-"


def write_text(path: str, text: str) -> None:
    """Replace the file at ``path``. A link there is replaced, not followed."""
    _write(path, text, _nothing)


def write_durably(path: str, text: str) -> None:
    """Replace the file at ``path`` so that the new content survives a power cut."""
    _write(path, text, os.fsync)


def is_unfinished(name: str) -> bool:
    """Whether a file of this name is still being written, or was left by a killed process."""
    return name.startswith(PREFIX)


def remove_unfinished(folder: str) -> None:
    """Remove unfinished files from a folder that nobody else is writing to."""
    for name in os.listdir(folder):
        if is_unfinished(name):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(f"{folder}/{name}")


@contextlib.contextmanager
def unfinished_file(folder: str, text: str, settle: Callable[[int], None]) -> Iterator[str]:
    """A file with this content under a name of its own, to be moved or linked to its place."""
    temporary = f"{folder}/{PREFIX}{secrets.token_hex(8)}"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        try:
            _write_all(fd, memoryview(text.encode()))
            os.fchmod(fd, 0o644)
            settle(fd)
        finally:
            os.close(fd)
        yield temporary
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


def _write_all(fd: int, content: memoryview) -> None:
    while content:
        content = content[os.write(fd, content) :]


def _write(path: str, text: str, settle: Callable[[int], None]) -> None:
    try:
        with unfinished_file(os.path.dirname(path) or ".", text, settle) as temporary:
            os.replace(temporary, path)
    except OSError as error:  # It names the file that somebody asked for, not the one on the way to it.
        error.filename, error.filename2 = path, None
        raise


def _nothing(_fd: int) -> None:
    """Leave the content in the page cache: only a power cut loses it."""
