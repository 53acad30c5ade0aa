"""Reads hostile text in a child process that can be killed: the child's side. Its answers are data only."""

import contextlib
import pickle
import resource
import signal

import msgspec

from assay.adapters.machine.child_process import Parent
from assay.evidence.workspace import UnreadableError

CPU_SEC = 20
READ, UNREADABLE, FAILED = b"r", b"u", b"f"
_MEMORY = 4 * 2**30


def serve() -> None:
    """Answer requests until the parent has no more."""
    parent = Parent()
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    with contextlib.suppress(EOFError):
        while True:
            cpu_sec, read, question = pickle.loads(parent.receive())  # noqa: S301 - sent by the parent
            _limit_cpu(cpu_sec)
            try:
                answer = READ + msgspec.msgpack.encode(read(question))
            except UnreadableError as error:
                answer = UNREADABLE + str(error).encode(errors="replace")
            except MemoryError:
                answer = UNREADABLE + b"the parser needs too much memory for it"
            except Exception as error:  # noqa: BLE001 - whoever asked raises it again
                answer = FAILED + f"{type(error).__name__}: {error}".encode(errors="replace")
            parent.send(answer)


def _limit_cpu(seconds: float) -> None:
    """Let the kernel kill the process after this much more CPU time, by ``SIGPROF``."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


if __name__ == "__main__":
    serve()
