"""A grader for each task of a dataset."""

import asyncio
import atexit
import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeAlias

from assay.rewards.graded import GradedOutput
from assay.rewards.grader import SyncGrader
from assay.rewards.outputs import Answer, Output

MOST = 64
ToOutput: TypeAlias = Callable[[str], Output]
answer: ToOutput = Answer


class Graders:
    """Graders by task, each made ready by its first output. Safe to use from several threads and loops.

    At most ``most`` are kept ready: those that were used last, and those that are at work. The settings are those
    of ``Grader``. A process that was forked or started from this one makes its own.
    """

    def __init__(self, *, most: int = MOST, **settings: Any) -> None:
        self._most, self._settings = most, settings
        self._begin()
        atexit.register(self.close)

    def _begin(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._ready: OrderedDict[str, tuple[SyncGrader, set[Future[GradedOutput]]]] = OrderedDict()

    def submit(
        self, task: str | os.PathLike[str], output: Output, *, deadline: float | None = None
    ) -> Future[GradedOutput]:
        """Begin to grade an output by a task. Raises ``InputError`` for a task that can't be used."""
        if os.getpid() != self._process:
            self._begin()
        with self._lock:
            grader, running = self._grader(os.fspath(task))
            future = grader.submit(output, deadline=deadline)
            running.add(future)
        future.add_done_callback(running.discard)
        return future

    async def grade(
        self, task: str | os.PathLike[str], output: Output, *, deadline: float | None = None
    ) -> GradedOutput:
        """Grade an output by a task, from any loop of asyncio."""
        return await asyncio.wrap_future(await asyncio.to_thread(self.submit, task, output, deadline=deadline))

    def close(self) -> None:
        """End all gradings and graders."""
        if os.getpid() == self._process:
            with self._lock:
                while self._ready:
                    self._ready.popitem()[1][0].__exit__()

    def _grader(self, task: str) -> tuple[SyncGrader, set[Future[GradedOutput]]]:
        if task not in self._ready:
            self._ready[task] = (SyncGrader(task, **self._settings).__enter__(), set())
            idle = [name for name, (_, running) in self._ready.items() if not running and name != task]
            for name in idle[: max(len(self._ready) - self._most, 0)]:
                self._ready.pop(name)[0].__exit__()
        self._ready.move_to_end(task)
        return self._ready[task]

    def __reduce__(self) -> tuple[Any, ...]:
        return _graders, (self._most, self._settings)


def _graders(most: int, settings: dict[str, Any]) -> Graders:
    return Graders(most=most, **settings)
