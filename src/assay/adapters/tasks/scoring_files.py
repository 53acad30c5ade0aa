"""The files that scoring a coding run reads, on disk, and the sandbox for its commands.

Runs each scorer in a child process, within a time limit: the parent's side.

A pattern, a parser or a loop that never ends holds the interpreter's lock, so only killing the process stops it.
The child runs the scorer and asks the parent for everything about the workspace, until it has an outcome or its
time is up. Commands run in the parent, in their sandbox and with a limit of their own; the scorer's clock is
paused meanwhile. The process is kept between gradings, and each grading begins with a new workspace in it.
"""

import atexit
import contextlib
import functools
import hashlib
import json
import os
import pickle
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import msgspec

from assay import checks
from assay.adapters.machine.child_process import ChildProcess
from assay.adapters.machine.scratch import scratch_folder
from assay.adapters.machine.trees import remove_tree
from assay.adapters.tasks.scenario_file import load_scenario
from assay.adapters.workspace.archives import ALL, Caps, unpack_archive
from assay.adapters.workspace.baseline import folder_baseline, manifest_of
from assay.adapters.workspace.capture import Captured, capture
from assay.adapters.workspace.command_environment import command_environment
from assay.adapters.workspace.commands import Commands
from assay.adapters.workspace.diff import cumulative_diff
from assay.adapters.workspace.git_export import export_commit
from assay.adapters.workspace.memory import Memory
from assay.core.errors import AssayError, MeasurementError
from assay.core.grading import PlacedCheck, RunCheck
from assay.core.outcome import Check, Errored, NotApplicable, Outcome, Scored
from assay.dialects.scorers.scenario import Scenario
from assay.engine.coding.coding_record import Seeded
from assay.engine.coding.score_coding_run import Commit, Files, Patch, PathKind
from assay.engine.sandbox import Sandbox
from assay.evidence.coding_run import AgentRecord, Diff
from assay.evidence.workspace import Baseline, KnownBaseline, ResultMemory, Tree, Workspace

LIMIT_SEC = 300.0
_START_SEC = 120.0
_CHILD = "assay.adapters.tasks.scorer_worker_child"


def _ignore(_captured: Captured) -> None:
    """Nobody else wants to see what was captured."""


ScorerListener: TypeAlias = Callable[[int, int, str], None]


def ignore_scorer(_asked: int, _all: int, _name: str) -> None:
    """Nobody wants to know how far the scoring is."""


@dataclass(frozen=True, slots=True)
class LocalScoringFiles:
    """Scoring on this machine. ``show`` gets what was captured, before any scorer is asked.

    ``base`` is where relative paths of a scenario's environment begin, ``caps`` limits a workspace that is an
    archive, and ``runs`` remembers commands from one grading to the next. ``on_scorer`` hears which scorer is
    asked, by how many were asked before it, of how many, and its name. ``downloads`` says that the workspace may
    be somewhere in what was downloaded of a run.
    """

    sandbox: Callable[[], Sandbox]
    show: Callable[[Captured], None] = _ignore
    base: str = "."
    caps: Caps = ALL
    runs: ResultMemory | None = None
    on_scorer: ScorerListener = ignore_scorer
    downloads: bool = False

    def load_task(self, folder: str) -> Seeded:
        from assay.adapters.tasks.seeded_task import load_seeded  # noqa: PLC0415 - only for a seeded task

        return load_seeded(folder)

    def load_scenario(self, path: str) -> Scenario:
        return load_scenario(path)

    def kind_of(self, path: str) -> PathKind | None:
        if os.path.isdir(path):
            return "folder"
        return "file" if os.path.isfile(path) else None

    @contextlib.contextmanager
    def open_baseline(self, source: Files | Commit) -> Iterator[KnownBaseline]:
        with _folder(source) as root:
            found = folder_baseline(root)
            yield KnownBaseline(found, hashlib.sha256(manifest_of(found)).hexdigest(), found.nested)

    @contextlib.contextmanager
    def capture(
        self,
        left: Files | Commit | Patch,
        before: KnownBaseline,
        scenario: Scenario,
        remember: bool,
        agent: AgentRecord,
        home: str | None = None,
    ) -> Iterator[Captured]:
        with _left_folder(left, before, self.caps, self.downloads) as root:
            # An unpacked archive or commit is new each time: there is nothing to remember of it.
            memory = (
                Memory(root, before.sha256) if remember and isinstance(left, Files) and not left.packed else None
            )
            # Made when the first command needs it, and once.
            around = functools.cache(
                lambda: command_environment(scenario.environment, self.base, self.sandbox(), home)
            )
            commands = Commands(
                root,
                before.baseline,
                self.sandbox,
                scenario.workdir,
                around,
                clean_git=scenario.git == "clean",
                memory=self.runs,
            )
            shown, without = tuple(scenario.show_ignored), scenario.environment.inside
            captured = replace(
                capture(commands, memory, before.nested, shown, without),
                instruction="\n\n".join(scenario.requests).strip() or None,
                agent=agent,
            )
            self.show(captured)
            yield captured

    def diff(self, workspace: Workspace) -> Diff:
        assert isinstance(workspace, Captured), "what was captured here is what is shown here"  # noqa: S101
        text, cut = cumulative_diff(workspace)
        return Diff(text, hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest(), cut)

    def remembered(self, workspace: Workspace) -> int:
        return workspace.commands.remembered if isinstance(workspace, Captured) else 0

    def scorer_runner(self, checks: Sequence[PlacedCheck[Workspace]]) -> RunCheck[Workspace]:
        prepare(checks)
        limit = TimeLimit()
        places = {id(one.check): (number, one.placement.name) for number, one in enumerate(checks)}

        def run(check: Check[Workspace], evidence: Workspace) -> Outcome:
            number, name = places[id(check)]
            self.on_scorer(number, len(checks), name)
            return limit(check, evidence)

        return run

    def isolation(self) -> str:
        return self.sandbox().isolation.backend


def is_kept_run(path: str) -> bool:
    """Whether a folder is a run in the folder of a job. An agent can't make its workspace look like one: what is
    beside it isn't the agent's.
    """
    job = os.path.dirname(os.path.abspath(path))
    return os.path.isfile(f"{path}/result.json") and os.path.isfile(f"{job}/lock.json")


@contextlib.contextmanager
def _left_folder(
    left: Files | Commit | Patch, before: KnownBaseline, caps: Caps, downloads: bool
) -> Iterator[str]:
    if isinstance(left, Patch):
        from assay.adapters.workspace.patched import patched_baseline  # noqa: PLC0415 - only for a patch

        with patched_baseline(left.path, before.baseline) as root:
            yield root
        return
    with _folder(left, caps) as root:
        if downloads and isinstance(left, Files) and not _has_any(root, before.baseline):
            from assay.adapters.tasks.downloaded_run import workspace_in  # noqa: PLC0415 - most are the workspace

            yield workspace_in(root, before.baseline, left.path)
        else:
            yield root


def _has_any(root: str, baseline: Baseline) -> bool:
    return any(os.path.lexists(f"{root}/{path}") for path in baseline.paths())


@contextlib.contextmanager
def _folder(source: Files | Commit, caps: Caps = ALL) -> Iterator[str]:
    """A folder with the files of a source, wherever they come from."""
    if isinstance(source, Files) and not source.packed:
        yield source.path
        return
    root = scratch_folder(0o700)
    try:
        if isinstance(source, Files):
            unpack_archive(source.path, root, caps=caps)
        else:
            export_commit(source.repository, source.name, root)
        yield root
    finally:
        remove_tree(root)


class TimeLimitError(AssayError):
    """A scorer didn't finish within its time limit."""


class LostScorerError(AssayError):
    """The process of a scorer ended without an answer, or with one that can't be used."""


class _Message(msgspec.Struct, frozen=True):
    """A message of the child: it asks the workspace for something, or has a scorer's answer."""

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
# What a scorer may ask the workspace for, and with what.
_ARGUMENTS: Mapping[str, Any] = {
    **dict.fromkeys(("before", "after", "entry", "link_target", "secret", "forget"), tuple[str]),
    RUN: tuple[str, float, Tree, tuple[str, ...], bool, bool, bool],
    "agent": tuple[()],
    "baseline_paths": tuple[()],
}
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
            worker, new = _take_worker()
            try:
                outcome = self._ask_worker(worker, check, evidence)
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

    def _ask_worker(self, worker: _Worker, check: Check[Workspace], evidence: Workspace) -> Outcome:
        if worker.serves is not self:
            self._begin(worker, evidence)
        until = time.monotonic() + self.limit_sec
        worker.child.send(pickle.dumps(("check", check)), until)
        while True:
            message = _decode_message(worker.child.receive(until))
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


def _take_worker() -> tuple[_Worker, bool]:
    """A process for scorers, and whether it is a new one."""
    try:
        return _idle.pop(), False
    except IndexError:
        return _Worker(), True


def _decode_message(data: bytes) -> _Message:
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
    """The workspace's answer to a call."""
    if message.call not in _ARGUMENTS:
        raise LostScorerError(f"the scorer asked for {message.call!r}, which a workspace doesn't have")
    asked: Any = getattr(evidence, message.call)
    if message.call == "agent":
        return asked
    answer = asked(*msgspec.convert(message.arguments, _ARGUMENTS[message.call]))
    return list(answer) if message.call == "baseline_paths" else answer


def end_idle() -> None:
    """End the idle processes. The next scorer starts another."""
    while _idle:
        _idle.pop().child.end()


atexit.register(end_idle)
os.register_at_fork(after_in_child=_idle.clear)
