"""A lock that is the whole machine's: one holder at a time, whoever they are.

It is held on the root folder: everybody may open that, nobody can put another in its place, and no file is left
behind. Who shares its absolute paths shares the lock, wherever their temporary files are.
"""

import contextlib
import fcntl
import os
from collections.abc import Iterator

from assay.core.errors import MeasurementError


@contextlib.contextmanager
def machine_lock() -> Iterator[None]:
    """Wait for the lock and hold it. Raises ``MeasurementError`` where folders can't be locked."""
    fd = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _take(fd)
        yield
    finally:
        os.close(fd)


def _take(fd: int) -> None:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
    except OSError as error:
        raise MeasurementError(f"the root folder can't be locked: {error.strerror}") from error
