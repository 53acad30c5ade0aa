"""Run a job: the planned trials, some at a time, with retries, and a true result.json at every moment.

Harbor rewrites its whole result after each trial, so a job's own cost grows with the square of its trials. Here
the result is written again only when that costs a small share of the time since the last writing.
"""

import queue
import random
import string
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from assay.dialects.harbor.trial import Trial
from assay.dialects.harbor.wire import EXCLUDED_FROM_RETRY
from assay.engine.sandbox import InterruptedRunError
from assay.engine.task import Task

WRITING_SHARE = 0.05
MAX_WAIT_SEC = 60.0
_LETTERS = string.ascii_letters + string.digits


@dataclass(frozen=True, slots=True)
class Planned:
    """One trial that is to be run: a task, which attempt at it, and the dataset it comes from."""

    task: Task
    attempt: int
    source: str | None
    position: int


class TrialStore(Protocol):
    """Runs and keeps single trials, and the job's result."""

    def run_trial(self, planned: Planned, name: str) -> Trial:
        """Run one attempt to its end and keep it. The trial is finished once this returns."""
        ...

    def remark(self, name: str) -> str | None:
        """What the evaluation has to say against the rewards of a trial that was just run."""
        ...

    def discard_trial(self, name: str) -> None:
        """Remove an attempt that is to be tried again."""
        ...

    def write_result(self, trials: Sequence[Trial], n_retries: int, n_running: int, finished: bool) -> None:
        """Write the job's result.json."""
        ...


class Listener(Protocol):
    """Is told what happens, from several threads."""

    def started(self, name: str) -> None: ...
    def retrying(self, trial: Trial, wait_sec: float) -> None: ...
    def ended(self, trial: Trial, remark: str | None, done: int, total: int) -> None: ...


def plan_trials(tasks: Sequence[tuple[Task, str | None]], attempts: int) -> list[Planned]:
    """Every task's first attempt, then every second: in harbor's order."""
    pairs = [(task, attempt, source) for attempt in range(attempts) for task, source in tasks]
    return [Planned(task, attempt, source, position) for position, (task, attempt, source) in enumerate(pairs)]


def trial_name(task: str) -> str:
    """Harbor's form of a name: the task's, two underscores and seven random letters."""
    stem = task.rpartition("/")[2][:32].rstrip("_-")
    return f"{stem}__{''.join(random.choices(_LETTERS, k=7))}"  # noqa: S311 - a name, not a secret


class JobRun:
    """One job on its way. ``finished`` holds the trials that an earlier run of the same job left."""

    def __init__(
        self,
        store: TrialStore,
        listener: Listener,
        *,
        concurrent: int,
        max_retries: int,
        total: int,
        finished: dict[int, Trial],
        n_retries: int = 0,
    ) -> None:
        self._store = store
        self._listener = listener
        self._concurrent = concurrent
        self._max_retries = max_retries
        self._total = total
        self._trials = dict(finished)
        self._n_retries = n_retries
        self._lock = threading.Lock()
        self._running = 0
        self._unwritten = False
        self._last_write = 0.0
        self._write_cost = 0.0
        self._stop = threading.Event()
        self._done: list[threading.Event] = []

    def run(self, planned: Sequence[Planned]) -> list[Trial]:
        """Run what is planned and return all trials of the job in their order."""
        work: queue.SimpleQueue[Planned] = queue.SimpleQueue()
        for one in planned:
            work.put(one)
        failures: list[BaseException] = []
        self._write(finished=False, force=True)
        for _ in range(min(self._concurrent, max(len(planned), 1))):
            done = threading.Event()
            threading.Thread(target=self._work, args=(work, failures, done), daemon=True).start()
            self._done.append(done)
        self.wait()
        if failures:
            raise failures[0]
        self._write(finished=True, force=True)
        return self._in_order()

    def stop(self) -> None:
        """Start no more trials. Those under way are the caller's to stop."""
        self._stop.set()

    def wait(self) -> None:
        """Until nothing is under way, catching up with what was not written yet.

        A job that was stopped writes nothing at its end, so what is left is written now.

        Not by joining the threads: one whose join Ctrl-C interrupts is taken for dead in Python 3.11.
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
            except InterruptedRunError:
                return
            except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
                failures.append(error)
                self._stop.set()
                return

    def _run_one(self, planned: Planned) -> None:
        name = trial_name(planned.task.name)
        with self._lock:
            self._running += 1
        self._listener.started(name)
        trial = self._with_retries(planned, name)
        with self._lock:
            self._running -= 1
            self._trials[planned.position] = trial
            done = len(self._trials)
            self._unwritten = True
            self._write(finished=False, force=False)
        self._listener.ended(trial, self._store.remark(name), done, self._total)

    def _with_retries(self, planned: Planned, name: str) -> Trial:
        """Try again after an exception, unless it is one that another try would only repeat."""
        for _ in range(self._max_retries):
            trial = self._store.run_trial(planned, name)
            if trial.exception_type is None or trial.exception_type in EXCLUDED_FROM_RETRY:
                return trial
            self._store.discard_trial(name)
            wait = min(1.0, MAX_WAIT_SEC)
            self._listener.retrying(trial, wait)
            with self._lock:
                self._n_retries += 1
            if self._stop.wait(wait):
                raise InterruptedRunError("the job was stopped")
        return self._store.run_trial(planned, name)

    def _write(self, *, finished: bool, force: bool) -> None:
        now = time.monotonic()
        if not force and (now - self._last_write) * WRITING_SHARE < self._write_cost:
            return
        self._unwritten = False
        self._store.write_result(self._in_order(), self._n_retries, self._running, finished)
        self._last_write = time.monotonic()
        self._write_cost = self._last_write - now

    def _in_order(self) -> list[Trial]:
        return [self._trials[position] for position in sorted(self._trials)]
