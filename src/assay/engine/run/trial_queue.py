"""Run the trials of a job, several at a time, with retries, and keep its result.json up to date.

Harbor rewrites the whole result after each trial, so its overhead grows with the square of the number of trials.
Here the result is written again only when that takes a small share of the time since the last write.
"""

import contextvars
import queue
import threading
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Protocol

from assay.core.errors import StoppedError
from assay.dialects.harbor.trial import Trial
from assay.dialects.harbor.wire import EXCLUDED_FROM_RETRY
from assay.engine.machine import Host
from assay.engine.run.ports import Planned, trial_name
from assay.engine.run.trial_record import TOO_MUCH_DISK
from assay.evidence.run import State

WRITING_SHARE = 0.05
MAX_WAIT_SEC = 60.0


@dataclass(frozen=True, slots=True)
class EndedTrial:
    """A trial that ended, what it came to, and a remark if the evaluation doesn't agree with its rewards."""

    trial: Trial
    remark: str | None = None
    state: State | None = None


class TrialRunner(Protocol):
    """Runs single trials."""

    def run(self, planned: Planned, name: str) -> EndedTrial:
        """Run one attempt to its end and keep it. The trial is finished once this returns."""

    def discard(self, name: str) -> None:
        """Remove an attempt that will be retried."""


class Result(Protocol):
    """The job's result."""

    def write(self, trials: Sequence[Trial], n_retries: int, n_running: int, finished: bool) -> None:
        """Write the result."""


class Listener(Protocol):
    """Gets the events of the trials, from several threads."""

    def started(self, name: str) -> None: ...
    def retrying(self, trial: Trial, wait_sec: float) -> None: ...
    def ended(self, ended: EndedTrial, done: int, total: int) -> None: ...


@dataclass
class TrialQueue:
    """Runs the trials of one job. ``finished`` has those that an earlier run of the same job finished."""

    runner: TrialRunner
    result: Result
    listener: Listener
    _: KW_ONLY
    host: Host
    concurrent: int
    max_retries: int
    total: int
    finished: Mapping[int, Trial]
    n_retries: int = 0

    def __post_init__(self) -> None:
        self._trials = dict(self.finished)
        self._lock = threading.Lock()
        self._running = 0
        self._unwritten = False
        self._last_write = 0.0
        self._write_cost = 0.0
        self._stop = threading.Event()
        self._done: list[threading.Event] = []

    def run(self, planned: Sequence[Planned]) -> list[Trial]:
        """Run the planned trials and return all trials of the job in order."""
        work: queue.SimpleQueue[Planned] = queue.SimpleQueue()
        for one in planned:
            work.put(one)
        failures: list[BaseException] = []
        self._write(finished=False, force=True)
        for _ in range(min(self.concurrent, max(len(planned), 1))):
            done = threading.Event()
            here = contextvars.copy_context()
            threading.Thread(target=here.run, args=(self._work, work, failures, done), daemon=True).start()
            self._done.append(done)
        self.wait()
        if failures:
            raise failures[0]
        self._write(finished=True, force=True)
        return self._in_order()

    def stop(self) -> None:
        """Start no more trials. The caller has to stop those that are running."""
        self._stop.set()

    def wait(self) -> None:
        """Wait until no trial is running, then write the result if it is out of date.

        A stopped job writes no result at its end, so that is done here. This doesn't join the threads, because
        Python 3.11 takes a thread for dead if Ctrl-C interrupts its join.
        """
        for done in self._done:
            while not done.wait(0.1):
                with self._lock:
                    if self._unwritten:
                        self._write(finished=False, force=False)
        if self._stop.is_set() and self._unwritten:
            self._running = 0
            self._write(finished=False, force=True)

    def _work(
        self, work: "queue.SimpleQueue[Planned]", failures: list[BaseException], done: threading.Event
    ) -> None:
        try:
            self._work_off(work, failures)
        finally:
            done.set()

    def _work_off(self, work: "queue.SimpleQueue[Planned]", failures: list[BaseException]) -> None:
        while not self._stop.is_set():
            try:
                planned = work.get_nowait()
            except queue.Empty:
                return
            try:
                self._run_one(planned)
            except StoppedError:
                return
            except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
                failures.append(error)
                self._stop.set()
                return

    def _run_one(self, planned: Planned) -> None:
        name = trial_name(planned.task.name, self.host.random_letters)
        with self._lock:
            self._running += 1
        self.listener.started(name)
        ended = self._with_retries(planned, name)
        with self._lock:
            self._running -= 1
            self._trials[planned.position] = ended.trial
            done = len(self._trials)
            self._unwritten = True
            self._write(finished=False, force=False)
        self.listener.ended(ended, done, self.total)

    def _with_retries(self, planned: Planned, name: str) -> EndedTrial:
        """Retry after an exception, unless a retry would only raise it again."""
        for _ in range(self.max_retries):
            ended = self.runner.run(planned, name)
            kind = ended.trial.exception_type
            if kind is None or kind in (*EXCLUDED_FROM_RETRY, TOO_MUCH_DISK):
                return ended
            self.runner.discard(name)
            wait = min(1.0, MAX_WAIT_SEC)
            self.listener.retrying(ended.trial, wait)
            with self._lock:
                self.n_retries += 1
            if self._stop.wait(wait):
                raise StoppedError("the job was stopped")
        return self.runner.run(planned, name)

    def _write(self, *, finished: bool, force: bool) -> None:
        now = self.host.monotonic()
        if not force and (now - self._last_write) * WRITING_SHARE < self._write_cost:
            return
        self._unwritten = False
        self.result.write(self._in_order(), self.n_retries, self._running, finished)
        self._last_write = self.host.monotonic()
        self._write_cost = self._last_write - now

    def _in_order(self) -> list[Trial]:
        return [self._trials[position] for position in sorted(self._trials)]
