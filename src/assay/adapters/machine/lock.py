"""A lock for the whole machine: one process at a time holds it, whoever runs it.

The lock is on the root folder: everybody may open it, nobody can replace it, and no file is left behind. Processes
that share absolute paths share the lock, wherever their temporary files are.
"""

import contextlib
import fcntl
import os
import threading
from collections.abc import Callable, Iterator

from assay.core.errors import MeasurementError

_CHECK_SEC = 0.1


@contextlib.contextmanager
def machine_lock(
    check: Callable[[], None] = lambda: None, *, shared: bool = False, folder: str = "/"
) -> Iterator[int]:
    """Wait for the lock and hold it. Raises ``MeasurementError`` where folders can't be locked.

    ``check`` is called now and then while somebody else holds it. It may end the waiting by raising something.
    Several can hold it at a time if it is ``shared``. Another folder that every machine has is another lock.
    """
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _take(fd, check, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield fd
    finally:
        # A process that was forked meanwhile has the descriptor, too, and closing it here wouldn't unlock it.
        with contextlib.suppress(OSError):
            fcntl.flock(fd, fcntl.LOCK_UN)
        os.close(fd)


def _take(fd: int, check: Callable[[], None], how: int) -> None:
    try:
        fcntl.flock(fd, how | fcntl.LOCK_NB)
    except BlockingIOError:
        _wait(fd, check, how)
    except OSError as error:
        raise _lock_error(error) from error


def _wait(fd: int, check: Callable[[], None], how: int) -> None:
    """Wait in the kernel's queue, in a thread and with a descriptor made for this.

    The lock belongs to both descriptors. If the other one is closed by then, the lock is free again at once.
    """
    errors: list[OSError] = []
    done = threading.Event()
    own = os.dup(fd)

    def queue() -> None:
        try:
            fcntl.flock(own, how)
        except OSError as error:
            errors.append(error)
        os.close(own)
        done.set()

    threading.Thread(target=queue, daemon=True).start()
    while not done.wait(_CHECK_SEC):
        check()
    if errors:
        raise _lock_error(errors[0]) from errors[0]


def _lock_error(error: OSError) -> MeasurementError:
    return MeasurementError(f"can't lock a folder of the machine: {error.strerror}")
