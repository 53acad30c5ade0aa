"""Reads hostile text in a child process that can be killed: the parent's side.

The process is kept between gradings, since starting one takes half a second. How many texts it was killed for is
counted for each grading. The limit is on the CPU time of the child, so a busy machine doesn't change an answer.
The largest file that is read at all, 2 MB with 17,000 tests, takes less than half of it.
"""

import atexit
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable

import msgspec

from assay.adapters.machine.child_process import ChildProcess
from assay.adapters.machine.isolated_reader_child import CPU_SEC, FAILED, READ
from assay.core.errors import AssayError
from assay.evidence.workspace import Answer, Question, UnreadableError

MOST_LOST = 3
_CHILD = "assay.adapters.machine.isolated_reader_child"
# Only a child that neither uses the CPU nor ends gets this far.
_WALL_SEC = 30 * CPU_SEC
_MOST_KEPT = 4096
_idle: list[ChildProcess] = []


class BrokenReaderError(AssayError):
    """One of Assay's readers failed on a text. This says nothing about the text."""


class ReadingApart:
    """A ``ReadApart`` for one grading, which remembers its answers. Safe to use from several threads.

    After ``MOST_LOST`` texts that the child didn't survive, every further text is unreadable, so that a workspace
    full of them doesn't hold a grading up.
    """

    def __init__(self, cpu_sec: float = CPU_SEC) -> None:
        self._lock = threading.Lock()
        self._cpu_sec = cpu_sec
        self._lost = 0
        self._unreadable: dict[object, str] = {}
        self._answers: dict[object, object] = {}

    def __call__(self, read: Callable[[Question], Answer], question: Question, answer: type[Answer]) -> Answer:
        with self._lock:
            key = (read, question)
            if key not in self._answers:
                found = self._ask(read, question, answer)
                if len(self._answers) >= _MOST_KEPT:
                    return found
                self._answers[key] = found
            kept: Answer = self._answers[key]  # type: ignore[assignment]
            return kept

    def _ask(self, read: Callable[[Question], Answer], question: Question, answer: type[Answer]) -> Answer:
        key = (read, question)
        if key not in self._unreadable and self._lost >= MOST_LOST:
            raise UnreadableError(f"the parser had to be stopped {MOST_LOST} times before, so it wasn't tried")
        if key not in self._unreadable:
            try:
                return msgspec.msgpack.decode(self._ask_child(read, question), type=answer)
            except UnreadableError as error:
                self._unreadable[key] = str(error)
        raise UnreadableError(self._unreadable[key])

    def _ask_child(self, read: Callable[[Question], Answer], question: Question) -> bytes:
        request = pickle.dumps((self._cpu_sec, read, question))
        # Somebody may have ended an idle child; a second one only ends because of the text.
        for first in (True, False):
            child = _idle.pop() if _idle else ChildProcess(_CHILD)
            try:
                until = time.monotonic() + _WALL_SEC
                child.send(request, until)
                data = child.receive(until)
            except TimeoutError:
                child.end()
                self._lost += 1
                raise UnreadableError(f"the parser didn't finish within {_WALL_SEC} s") from None
            except (OSError, EOFError):
                ended = child.ended()
                if first and ended != -signal.SIGPROF:
                    continue
                self._lost += 1
                raise UnreadableError(_reason(ended, self._cpu_sec)) from None
            except BaseException:
                child.end()
                raise
            _idle.append(child)
            if data[:1] == READ:
                return data[1:]
            sentence = data[1:].decode(errors="replace")
            raise BrokenReaderError(sentence) if data[:1] == FAILED else UnreadableError(sentence)
        raise AssertionError


def _reason(ended: int, cpu_sec: float) -> str:
    if ended == -signal.SIGPROF:
        return f"the parser gave up on it after {cpu_sec:g} s of CPU time"
    return f"the parser crashed on it (signal {-ended})" if ended < 0 else "the parser crashed on it"


def end_idle() -> None:
    """End the idle processes. The next text starts another."""
    while _idle:
        _idle.pop().end()


atexit.register(end_idle)
os.register_at_fork(after_in_child=_idle.clear)
