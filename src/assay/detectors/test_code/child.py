"""The native parser in a process of its own.

Its grammars lose themselves in some short texts, and then nothing but the end of the process stops them. So
files that need it are read in a child, one after the other; a file that takes too long costs the child its life
and is compared by lines. Run as a module, this is the child: it reads requests from its input until that ends.
"""

import atexit
import contextlib
import ctypes
import os
import resource
import select
import signal
import subprocess
import sys
import threading
import time

import msgspec

from assay.detectors.test_code.model import TestCode

LIMIT_SEC = 10.0
MOST_LOST = 5
_MEMORY = 4 * 2**30
_HEADER = 8
_PR_SET_PDEATHSIG = 1


class Request(msgspec.Struct, frozen=True):
    """One text to read."""

    language: str
    text: str
    with_markup: bool


class Child:
    """Our end of the child. It is started when the first file needs it. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._lost = 0

    @property
    def pid(self) -> int | None:
        """The process, while there is one."""
        return None if self._process is None else self._process.pid

    def read(self, request: Request) -> TestCode:
        """What the child makes of a text; a problem where it does not come back."""
        with self._lock:
            if self._lost >= MOST_LOST:
                return _problem(request, "The parser was given up after it lost itself in several files.")
            for _ in range(2):
                try:
                    return self._asked(request)
                except TimeoutError:
                    self.end()
                    break
                except (OSError, EOFError, msgspec.DecodeError):
                    # Somebody may have ended it before it had the text; if it was the text, it ends again.
                    self.end()
            self._lost += 1
            return _problem(request, "The parser lost itself in the file.")

    def end(self) -> None:
        """Without waiting for what it is doing."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
            process.wait()

    def _asked(self, request: Request) -> TestCode:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
            )
        assert self._process.stdin is not None  # noqa: S101 - both are pipes
        assert self._process.stdout is not None  # noqa: S101
        until = time.monotonic() + LIMIT_SEC
        _send(self._process.stdin.fileno(), msgspec.msgpack.encode(request))
        size = int.from_bytes(_received(self._process.stdout.fileno(), _HEADER, until))
        return msgspec.msgpack.decode(_received(self._process.stdout.fileno(), size, until), type=TestCode)


def _problem(request: Request, sentence: str) -> TestCode:
    return TestCode(request.language, problems=(sentence,))


def _send(fd: int, data: bytes) -> None:
    view = memoryview(len(data).to_bytes(_HEADER) + data)
    while view:
        view = view[os.write(fd, view) :]


def _received(fd: int, size: int, until: float) -> bytes:
    chunks: list[bytes] = []
    while size:
        ready, _, _ = select.select([fd], [], [], max(until - time.monotonic(), 0))
        if not ready:
            raise TimeoutError
        chunk = os.read(fd, min(size, 1 << 20))
        if not chunk:
            raise EOFError
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)


def serve() -> None:
    """Answer requests until there are none any more."""
    from assay.detectors.test_code.read import parsed  # noqa: PLC0415 - who only asks does not need the readers

    # It dies with whoever started it, even in the middle of an endless loop.
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    with contextlib.suppress(EOFError):
        while True:
            forever = time.monotonic() + 10**8
            size = int.from_bytes(_received(sys.stdin.fileno(), _HEADER, forever))
            request = msgspec.msgpack.decode(_received(sys.stdin.fileno(), size, forever), type=Request)
            _send(sys.stdout.fileno(), msgspec.msgpack.encode(parsed(request)))


_child = Child()


def end_child() -> None:
    """End the process of the parser. The next file that needs one gets another."""
    _child.end()


atexit.register(end_child)


def read_in_child(language: str, text: str, with_markup: bool) -> TestCode:
    """Read a text with the native parser, within bounds."""
    return _child.read(Request(language, text.encode("utf-8", "replace").decode(), with_markup))


if __name__ == "__main__":
    serve()
