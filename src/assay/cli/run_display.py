"""The progress of a running job: a live line in a terminal, plain lines elsewhere."""

import sys
import threading
import time

from assay.cli.table import clean
from assay.dialects.harbor.trial import Trial
from assay.engine.trial_queue import Ended
from assay.engine.trial_record import BROKEN


class Display:
    """Shows each trial as it starts and ends. Called from several threads; writes to standard error."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._live = sys.stderr.isatty()
        self._lock = threading.Lock()
        self._running: dict[str, float] = {}
        self._done = 0
        self._total = 0
        self._began = time.monotonic()

    def begin(self, folder: str, total: int, finished: int, backend: str) -> None:
        self._done, self._total = finished, total
        before = f", {finished} of them already finished" if finished else ""
        self._line(f"{clean(folder)}: {total} {'trial' if total == 1 else 'trials'}{before}, in {backend}")

    def complain(self, complaint: str) -> None:
        print(f"assay: {clean(complaint)}", file=sys.stderr)

    def note(self, said: str) -> None:
        self._line(f"note: {clean(said)}")

    def started(self, name: str) -> None:
        with self._lock:
            self._running[name] = time.monotonic()
            self._status()

    def retrying(self, trial: Trial, wait_sec: float) -> None:
        self._line(f"{clean(trial.name)}: {trial.exception_type}, trying again in {wait_sec:g} s")

    def ended(self, ended: Ended, done: int, total: int) -> None:
        trial, remark = ended.trial, ended.remark
        with self._lock:
            began = self._running.pop(trial.name, self._began)
            self._done = done
            seconds = time.monotonic() - began
            self._clear()
            suffix = "" if remark is None else f" ({clean(remark)})"
            self._print(f"{done}/{total}  {clean(trial.name)}  {_outcome(ended)}{suffix}  {seconds:.1f} s")
            self._status()

    def end(self) -> None:
        with self._lock:
            self._clear()

    def _line(self, text: str) -> None:
        with self._lock:
            self._clear()
            self._print(text)
            self._status()

    def _print(self, text: str) -> None:
        if not self._quiet:
            print(text, file=sys.stderr, flush=True)

    def _status(self) -> None:
        if self._live and not self._quiet and self._running:
            names = ", ".join(clean(name) for name in list(self._running)[:3])
            more = f" and {len(self._running) - 3} more" if len(self._running) > 3 else ""
            elapsed = time.monotonic() - self._began
            sys.stderr.write(f"{self._done}/{self._total} done, {elapsed:.0f} s · running {names}{more}"[:110])
            sys.stderr.flush()

    def _clear(self) -> None:
        if self._live and not self._quiet:
            sys.stderr.write("\r\x1b[2K")


def _outcome(ended: Ended) -> str:
    """What a trial came to, with its rewards and its exception."""
    trial = ended.trial
    words = "" if ended.state is None else f"{ended.state.value.replace('_', ' ')}  "
    if trial.exception_type == BROKEN:
        return f"{words}no reward ({BROKEN}: {clean(trial.exception_message)})"
    if trial.rewards is None:
        why = "" if trial.exception_type is None else f" ({trial.exception_type})"
        return f"{words}no reward{why}"
    rewards = ", ".join(f"{clean(key)} {value:g}" for key, value in trial.rewards.items())
    return f"{words}{rewards}" + ("" if trial.exception_type is None else f" (despite {trial.exception_type})")
