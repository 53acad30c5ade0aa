"""Runs each scorer in a child process, within a time limit: the parent's side.

A pattern, a parser or a loop that never ends holds the interpreter's lock, so only killing the process stops it.
The child runs the scorer and asks the parent for everything about the workspace, until it has an outcome or its
time is up. Commands run in the parent, in their sandbox and with a limit of their own; the scorer's clock is
paused meanwhile. The process is kept between gradings, and each grading begins with a new workspace in it.
"""

import atexit
import json
import pickle
import time
from collections.abc import Callable, Iterable

import msgspec

from assay import checks
from assay.adapters.child_process import ChildProcess
from assay.core.check import Check
from assay.core.errors import AssayError, MeasurementError
from assay.core.grading import PlacedCheck
from assay.core.outcome import Errored, NotApplicable, Outcome, Scored
from assay.evidence.workspace import Tree, Workspace

LIMIT_SEC = 300.0
_START_SEC = 120.0
_CHILD = "assay.adapters.scorer_worker_child"
_READS = frozenset({"before", "after", "entry", "link_target"})


class TimeLimitError(AssayError):
    """A scorer didn't finish within its time limit."""


class LostScorerError(AssayError):
    """The process of a scorer ended without an answer, or with one that can't be used."""


class _Message(msgspec.Struct, frozen=True):
    """What the child says: it asks for something of the workspace, or it has the answer of a scorer."""

    call: str = ""
    arguments: list[object] = []
    scored: tuple[float, bool, str, dict[str, object]] | None = None
    not_applicable: str | None = None
    errored: tuple[str, str] | None = None
    broken: str | None = None


class _Worker:
    """A child, and the grading it works for."""

    def __init__(self) -> None:
        self.child = ChildProcess(_CHILD)
        self.serves: object = None


RUN = "run"
# Calls whose time isn't the scorer's: a command has a limit of its own, and a word may need the hash of all files.
_OF_THE_MACHINE = frozenset({RUN, "secret"})
_idle: list[_Worker] = []


def prepare(placed: Iterable[PlacedCheck[Workspace]]) -> None:
    """Start a process for these scorers if none is idle. It imports them while the workspace is captured."""
    if _idle:
        return
    worker = _Worker()
    modules = sorted({type(one.check).__module__ for one in placed})
    worker.child.send(pickle.dumps(("import", (list(checks.__path__), modules))), time.monotonic() + _START_SEC)
    _idle.append(worker)


class TimeLimit:
    """Runs the scorers of one grading within a limit each. A ``RunCheck``; safe to use from several threads."""

    def __init__(self, limit_sec: float = LIMIT_SEC) -> None:
        self.limit_sec = limit_sec

    def __call__(self, check: Check[Workspace], evidence: Workspace) -> Outcome:
        # An idle process may have ended with the thread that started it; if a new one ends, the scorer ended it.
        new = False
        while not new:
            worker, new = _taken()
            try:
                outcome = self._asked(worker, check, evidence)
            except TimeoutError:
                worker.child.end()
                raise TimeLimitError(
                    f"stopped after {self.limit_sec:g} s: a scorer must finish within its time limit"
                ) from None
            except (OSError, EOFError):
                ended = worker.child.ended()
            except BaseException:
                worker.child.end()
                raise
            else:
                _idle.append(worker)
                return outcome
        how = f"signal {-ended}" if ended < 0 else f"exit code {ended}"
        raise LostScorerError(f"the process of the scorer ended before it had an answer ({how})")

    def _asked(self, worker: _Worker, check: Check[Workspace], evidence: Workspace) -> Outcome:
        if worker.serves is not self:
            self._begin(worker, evidence)
        until = time.monotonic() + self.limit_sec
        worker.child.send(pickle.dumps(("check", check)), until)
        while True:
            message = _decoded(worker.child.receive(until))
            if not message.call:
                return _outcome(message)
            begin = time.monotonic()
            answer = pickle.dumps(_looked_up(evidence, message))
            if message.call in _OF_THE_MACHINE:
                until += time.monotonic() - begin
            worker.child.send(answer, until)

    def _begin(self, worker: _Worker, evidence: Workspace) -> None:
        """Tell a worker what was changed. The scorer's clock starts when the worker is ready."""
        until = time.monotonic() + _START_SEC
        seen = (
            *(evidence.changes, evidence.nested_repositories, evidence.cut, evidence.ignored),
            evidence.instruction,
        )
        try:
            worker.child.send(pickle.dumps(("workspace", (list(checks.__path__), *seen))), until)
            worker.child.receive(until)
        except TimeoutError:
            raise MeasurementError(f"the process for scorers didn't start within {_START_SEC:g} s") from None
        worker.serves = self


def _taken() -> tuple[_Worker, bool]:
    """A process for scorers, and whether it is a new one."""
    try:
        return _idle.pop(), False
    except IndexError:
        return _Worker(), True


def _decoded(data: bytes) -> _Message:
    """Only data comes back, since the child has read what an agent wrote. File names may hold lone surrogates."""
    try:
        return msgspec.convert(json.loads(data), _Message)
    except (ValueError, RecursionError) as error:
        raise LostScorerError(f"the scorer's answer can't be used: {error}") from error


def _outcome(message: _Message) -> Outcome:
    if message.broken is not None:
        raise MeasurementError(message.broken)
    if message.errored is not None:
        return Errored(*message.errored)
    if message.not_applicable is not None:
        return NotApplicable(message.not_applicable)
    if message.scored is None:
        raise LostScorerError("the scorer gave no answer")
    score, passed, summary, evidence = message.scored
    return Scored(score, passed, summary, evidence)


def _looked_up(evidence: Workspace, message: _Message) -> object:
    """What the workspace answers to a call."""
    if message.call in _READS:
        (path,) = msgspec.convert(message.arguments, tuple[str])
        look: Callable[[str], object] = getattr(evidence, message.call)
        return look(path)
    if message.call == "baseline_paths":
        return list(evidence.baseline_paths())
    if message.call == "secret":
        return evidence.secret(*msgspec.convert(message.arguments, tuple[str]))
    if message.call == "forget":
        evidence.forget(*msgspec.convert(message.arguments, tuple[str]))
        return None
    if message.call == RUN:
        asked = tuple[str, float, Tree, tuple[str, ...], bool, bool]
        return evidence.run(*msgspec.convert(message.arguments, asked))
    raise LostScorerError(f"the scorer asked for {message.call!r}, which a workspace doesn't have")


def end_idle() -> None:
    """End the idle processes. The next scorer starts another."""
    while _idle:
        _idle.pop().child.end()


atexit.register(end_idle)
