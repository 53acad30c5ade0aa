"""Ctrl-C, and the signals by which systems end a program, end a command in order."""

import os
import signal
import time
from types import FrameType

INTERRUPTED = 130
PATIENCE_SEC = 2.0


def stop_in_order() -> None:
    """Let SIGTERM and SIGHUP act like Ctrl-C. More of them change nothing at first; then they end it at once.

    A signal that is ignored stays ignored: nohup asks for that.
    """
    stopping = _Stopping()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, stopping)


class _Stopping:
    def __init__(self) -> None:
        self._since: float | None = None

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        if self._since is None:
            self._since = now
            raise KeyboardInterrupt
        if now - self._since > PATIENCE_SEC:
            # Sandboxes end with this process, and what is half written doesn't count.
            os._exit(INTERRUPTED)
