"""A piece of an archive of runs, which can be killed, begun again, and split among machines without a service.

A shard has the runs whose names hash to its number, so that every machine finds the same ones, whatever is added.
A run is claimed by a lock on its folder while somebody works on it: the kernel lets go of it with the process.
"""

import contextlib
import fcntl
import hashlib
import os
import struct
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from typing import Final, TypeVar

from assay.adapters.machine.own_process import stoppable

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Shard:
    """One of several shares of some runs."""

    number: int
    of: int

    def has(self, path: str) -> bool:
        """By the names of the run and its job: the folder around them may be another one elsewhere."""
        name = "/".join(os.path.abspath(path).split("/")[-2:])
        digest = hashlib.sha256(name.encode(errors="surrogateescape")).digest()
        return int.from_bytes(digest[:8]) % self.of == self.number - 1


WHOLE: Final = Shard(1, 1)


def work_off(
    paths: Sequence[str],
    work: Callable[[str], Answer],
    threads: int,
    shard: Shard = WHOLE,
    tell: Callable[[int, int], None] = lambda _done, _all: None,
) -> Iterator[Answer]:
    """The answers for the runs of a shard, in their order. ``tell`` hears how many of how many are done.

    Ctrl-C ends the work that is under way. What was done is kept where ``work`` keeps it.
    """
    chosen = [path for path in paths if shard.has(path)]
    waiting: deque[Future[Answer]] = deque()
    done = 0
    with stoppable() as stop, ThreadPoolExecutor(threads) as pool:
        try:
            for path in [*chosen, *[None] * 2 * threads]:
                if path is not None:
                    waiting.append(pool.submit(copy_context().run, work, path))
                if waiting and (path is None or len(waiting) > 2 * threads):
                    answer = waiting.popleft().result()
                    done += 1
                    tell(done, len(chosen))
                    yield answer
        except BaseException:
            stop.ring()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


@contextlib.contextmanager
def claim(folder: str) -> Iterator[bool]:
    """Whether this process may work on a run alone. Where folders can't be locked, it may.

    For a run in a pack, a byte of a file beside the pack is locked, since the pack has locks of its own.
    """
    packed = None
    if not os.path.isdir(folder):
        from assay.adapters.machine.packs import find_place  # noqa: PLC0415 - few runs are in a pack

        packed = find_place(folder)
    if packed is None:
        fd, place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC), None
    else:
        fd = os.open(f"{packed.pack.path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        place = 0 if packed.entry is None else packed.entry.id
    try:
        yield _is_claimed(fd, place)
    finally:
        if place is None:
            with contextlib.suppress(OSError):
                fcntl.flock(fd, fcntl.LOCK_UN)
        os.close(fd)


def _is_claimed(fd: int, place: int | None) -> bool:
    try:
        if place is None:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            fcntl.fcntl(fd, fcntl.F_OFD_SETLK, struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, place, 1, 0))
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
