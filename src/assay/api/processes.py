"""Several processes behind one socket: a parent starts them, starts again what died, and ends all on a signal."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Final, NoReturn

from assay.core.errors import AssayError

Say = Callable[[str], None]
ENDING: Final = (signal.SIGINT, signal.SIGTERM)
# One that dies at once isn't started a hundred times a second.
PAUSE_SEC: Final = 1.0


class Processes:
    """``serve`` is what each of them does, by its number. It returns when a signal ends the process."""

    def __init__(self, count: int, serve: Callable[[int], int], say: Say) -> None:
        self._count = count
        self._serve = serve
        self._say = say
        self._alive: dict[int, int] = {}
        self._ending = False
        # Nothing is ever written. It ends when the parent does, however that dies.
        self._reading, self._writing = os.pipe()
        for one in ENDING:
            signal.signal(one, self._end)

    def run(self) -> int:
        """Until a signal, or as long as they live. To be called before the process has threads."""
        for number in range(self._count):
            self._start(number)
        while self._alive:
            process, status = os.wait()
            died = self._alive.pop(process, None)
            if died is not None and not self._ending:
                why = os.waitstatus_to_exitcode(status)
                self._say(f"process {died} of {self._count} ended by itself ({why}), and is started again")
                time.sleep(PAUSE_SEC)
                self._start(died)
        return 0

    def _end(self, number: int, _frame: object) -> None:
        self._ending = True
        for process in self._alive:
            os.kill(process, number)

    def _start(self, number: int) -> None:
        """A signal comes before or after this, and never to a process that nobody knows."""
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
        try:
            if not self._ending:
                process = os.fork()
                if process == 0:
                    self._be(number)
                self._alive[process] = number
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)

    def _be(self, number: int) -> NoReturn:
        code = 1
        try:
            for one in ENDING:
                signal.signal(one, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
            os.close(self._writing)
            threading.Thread(target=self._end_with_parent, daemon=True).start()
            code = self._serve(number)
        except AssayError as error:
            print(f"assay: {error}", file=sys.stderr)
        finally:
            sys.stderr.flush()
            os._exit(code)

    def _end_with_parent(self) -> None:
        os.read(self._reading, 1)
        os.kill(os.getpid(), signal.SIGTERM)
