"""Grade outputs from a training loop, many at a time: in asyncio, or in a loop without it."""

import asyncio
import contextlib
import contextvars
import functools
import os
import threading
from collections.abc import AsyncIterable, AsyncIterator, Coroutine, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from assay.adapters.machine.own_process import Stop
from assay.adapters.machine.scratch import scratch_folder
from assay.adapters.machine.trees import remove_tree
from assay.core.errors import InputError, StoppedError, check_stopped
from assay.rewards.graded import GradedOutput, broken, undecided
from assay.rewards.outputs import Output, usable
from assay.rewards.ways import Settings, Way

# As long as a grading that was ended has to clean up before its caller goes on.
TO_END_SEC = 1.0
AT_ONCE = 4
ELSEWHERE = "a Grader must be used in the process that entered it; enter another one here"

Answered = TypeVar("Answered")


class Grader:
    """Grades outputs by a task or a scenario, at most ``at_once`` at a time. For ``async with``.

    ``task`` is the folder of a task or of a seeded task, or the file of a scenario, which is seeded now or
    compared with a ``baseline``. ``strict`` is for scorers. ``control``, ``profile`` and ``key`` are for
    verifiers: whether one without a usable reward is run again to find out why, how its files are read, and which
    of several rewards decides.

    A grader can be sent to another process before it is entered, and is used in the process that entered it.
    """

    def __init__(
        self,
        task: str | os.PathLike[str],
        *,
        baseline: str | os.PathLike[str] | None = None,
        at_once: int = AT_ONCE,
        isolation: str = "auto",
        strict: bool = False,
        control: bool = True,
        profile: str | None = None,
        key: str | None = None,
    ) -> None:
        if at_once < 1:
            raise InputError(f"at_once must be 1 or more, got {at_once}")
        named = None if baseline is None else os.fspath(baseline)
        self._settings = Settings(os.fspath(task), named, isolation, strict, control, profile, key)
        self._at_once = at_once
        self._way: Way | None = None
        self._process = 0
        self._running: set[Stop] = set()

    @classmethod
    def from_task(cls, task: str | os.PathLike[str], **settings: Any) -> "Environment":
        """A task as an environment: ``reset()`` gives its instruction and a workspace, ``grade()`` the reward."""
        return Environment(cls(task, **settings))

    def __reduce__(self) -> tuple[Any, ...]:
        return functools.partial(Grader, **asdict(self._settings), at_once=self._at_once), ()

    async def __aenter__(self) -> Self:
        """Make the task and its sandbox ready. Raises ``InputError`` if they can't be."""
        if self._way is not None:
            raise InputError("a Grader must be entered once at a time; make another one")
        self._pool = ThreadPoolExecutor(self._at_once, thread_name_prefix="grading")
        self._slots = asyncio.Semaphore(self._at_once)
        try:
            self._way = await self._in_thread(self._settings.make_ready)
        except BaseException:
            self._pool.shutdown(wait=False)
            raise
        self._process = os.getpid()
        return self

    async def __aexit__(self, *_: object) -> None:
        """End the gradings that are running, and remove everything that was made for them."""
        if os.getpid() != self._process:
            return
        way, self._way = self._way, None
        for stop in list(self._running):
            stop.ring()
        if way is not None:
            try:
                await asyncio.shield(asyncio.to_thread(_close, self._pool, way))
            except RuntimeError:  # At the end of the interpreter, which has waited for all threads.
                _close(self._pool, way)

    @property
    def instruction(self) -> str:
        """The agent's instruction."""
        return self._ready().instruction

    async def grade(self, output: Output, *, deadline: float | None = None) -> GradedOutput:
        """Grade one output. After ``deadline`` seconds, counted from when its turn comes, it has no reward.

        If this is cancelled, everything that was started for it is ended first. Raises ``InputError`` if the
        output is of the wrong kind.
        """
        if deadline is not None and not deadline > 0:
            raise InputError(f"deadline must be a number of seconds above 0, got {deadline!r}")
        way, output = self._ready(), usable(output)
        async with self._slots:
            self._ready()
            stop = Stop()
            self._running.add(stop)
            timer = None if deadline is None else asyncio.get_running_loop().call_later(deadline, stop.ring)
            grading = self._in_thread(_grade, way, output, stop)
            grading.add_done_callback(functools.partial(self._ended, stop))
            try:
                return await asyncio.shield(grading)
            except StoppedError:
                if self._way is None:
                    raise
                return undecided("deadline", f"the caller's deadline of {deadline or 0:g} s passed")
            except asyncio.CancelledError:
                stop.ring()
                await asyncio.wait([grading], timeout=TO_END_SEC)
                raise
            finally:
                if timer is not None:
                    timer.cancel()

    async def grade_many(
        self, outputs: Iterable[Output] | AsyncIterable[Output], *, deadline: float | None = None
    ) -> AsyncIterator[tuple[int, GradedOutput]]:
        """Grade outputs and give each back with its number, from 0, as soon as it is graded.

        An output is taken only when there is room for it: at most ``at_once`` were taken and not given back.
        """
        waiting: dict[asyncio.Task[GradedOutput], int] = {}
        source = enumerate_all(outputs)
        more = True
        try:
            while more or waiting:
                while more and len(waiting) < self._at_once:
                    try:
                        number, output = await anext(source)
                    except StopAsyncIteration:
                        more = False
                    else:
                        waiting[asyncio.ensure_future(self.grade(output, deadline=deadline))] = number
                if waiting:
                    done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                    first = min(done, key=waiting.__getitem__)
                    yield waiting.pop(first), first.result()
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    async def write_workspace(self, folder: str | os.PathLike[str]) -> None:
        """Write the files that an agent begins with into a new folder."""
        await self._in_thread(self._ready().write_workspace, os.fspath(folder))

    def _ready(self) -> Way:
        if self._way is None:
            raise InputError("a Grader must be entered before it grades: 'async with Grader(…) as grader'")
        if os.getpid() != self._process:
            raise InputError(ELSEWHERE)
        return self._way

    def _ended(self, stop: Stop, grading: "asyncio.Future[GradedOutput]") -> None:
        self._running.discard(stop)
        stop.close()
        if not grading.cancelled():
            grading.exception()  # Somebody who was cancelled doesn't look at it.

    def _in_thread(self, function: Any, *args: Any) -> "asyncio.Future[Any]":
        run = contextvars.copy_context().run
        return asyncio.get_running_loop().run_in_executor(self._pool, functools.partial(run, function, *args))


def _grade(way: Way, output: Output, stop: Stop) -> GradedOutput:
    with stop.applies():
        check_stopped()
        try:
            return way.grade(output)
        except OSError as error:
            return broken(f"the output can't be graded: {error.strerror}")


def _close(pool: ThreadPoolExecutor, way: Way) -> None:
    pool.shutdown()
    way.close()


async def enumerate_all(outputs: Iterable[Output] | AsyncIterable[Output]) -> AsyncIterator[tuple[int, Output]]:
    """Outputs with their numbers, wherever they come from."""
    number = 0
    if isinstance(outputs, AsyncIterable):
        async for output in outputs:
            yield number, output
            number += 1
    else:
        for output in outputs:
            yield number, output
            number += 1


class SyncGrader:
    """A ``Grader`` for code without asyncio, to be used in a ``with``: its work is done in a loop of its own."""

    def __init__(self, task: str | os.PathLike[str] | Grader, **settings: Any) -> None:
        self._grader = task if isinstance(task, Grader) else Grader(task, **settings)
        self._process = 0

    def __enter__(self) -> Self:
        self._process = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="grader", daemon=True)
        self._thread.start()
        try:
            self._wait(self._grader.__aenter__())
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if os.getpid() != self._process:
            return
        try:
            self._wait(self._grader.__aexit__())
        finally:
            self._leave()

    @property
    def instruction(self) -> str:
        """The agent's instruction."""
        return self._grader.instruction

    def grade(self, output: Output, *, deadline: float | None = None) -> GradedOutput:
        """Grade one output, as ``Grader.grade``. Safe to use from several threads."""
        return _result(self.submit(output, deadline=deadline))

    def submit(self, output: Output, *, deadline: float | None = None) -> Future[GradedOutput]:
        """Begin to grade one output, without waiting for it. Cancelling the future ends the grading."""
        return self._begin(self._grader.grade(output, deadline=deadline))

    def grade_many(
        self, outputs: Iterable[Output], *, deadline: float | None = None
    ) -> Iterator[tuple[int, GradedOutput]]:
        """Grade outputs, as ``Grader.grade_many``."""
        graded = self._grader.grade_many(outputs, deadline=deadline)
        try:
            with contextlib.suppress(StopAsyncIteration):
                while True:
                    yield self._wait(anext(graded))  # type: ignore[arg-type]
        finally:
            self._wait(graded.aclose())  # type: ignore[attr-defined]

    def write_workspace(self, folder: str | os.PathLike[str]) -> None:
        """Write the files that an agent begins with into a new folder."""
        self._wait(self._grader.write_workspace(folder))

    def _wait(self, work: Coroutine[Any, Any, Answered]) -> Answered:
        return _result(self._begin(work))

    def _begin(self, work: Coroutine[Any, Any, Answered]) -> Future[Answered]:
        if os.getpid() != self._process:
            work.close()
            raise InputError(ELSEWHERE)
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _leave(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def _result(future: Future[Answered]) -> Answered:
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


@dataclass(frozen=True, slots=True)
class Episode:
    """The start of an agent: its instruction, and a folder to work in."""

    instruction: str
    workspace: Path


class Environment:
    """A task as an environment for a loop. Closed by ``close``, at the end of a ``with``, or with the process."""

    def __init__(self, grader: Grader) -> None:
        self._grader = SyncGrader(grader)
        self._open = contextlib.ExitStack()
        self._place = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def reset(self) -> Episode:
        """Begin again, in a new workspace. That of the episode before is removed."""
        if not self._place:
            self._open.enter_context(self._grader)
        self._remove()
        self._place = scratch_folder(0o700)
        self._grader.write_workspace(f"{self._place}/workspace")
        return Episode(self._grader.instruction, Path(self._place, "workspace"))

    def grade(self, output: Output | None = None, *, deadline: float | None = None) -> GradedOutput:
        """Grade the workspace as it is now, or another output. Raises ``InputError`` before a ``reset``."""
        if not self._place:
            raise InputError("an environment must be reset before it grades")
        left = Path(self._place, "workspace") if output is None else output
        return self._grader.grade(left, deadline=deadline)

    def close(self) -> None:
        """End it and remove its workspace."""
        self._remove()
        self._open.close()

    def _remove(self) -> None:
        place, self._place = self._place, ""
        if place:
            remove_tree(place)
