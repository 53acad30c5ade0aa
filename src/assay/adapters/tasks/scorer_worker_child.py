"""Runs each scorer in a child process, within a time limit: the child's side."""

import contextlib
import gc
import importlib
import json
import pickle
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec

from assay import checks
from assay.adapters.machine.child_process import Parent
from assay.adapters.machine.isolated_reader import ReadingApart
from assay.core.errors import MeasurementError
from assay.core.grading import outcome_of
from assay.core.outcome import Check, Errored, NotApplicable, Outcome
from assay.evidence.coding_run import AgentRecord
from assay.evidence.workspace import (
    AS_LEFT,
    Answer,
    Change,
    CommandResult,
    Entry,
    IgnoredFiles,
    Question,
    Tree,
    Workspace,
)

_MOST_KEPT = 64 * 2**20
_Kept = TypeVar("_Kept")


@dataclass
class AskedWorkspace:
    """The parent's workspace, asked through the pipe. Contents are kept: several scorers read the same files."""

    parent: Parent
    changes: tuple[Change, ...]
    nested_repositories: tuple[str, ...]
    cut: tuple[str, ...]
    ignored: tuple[IgnoredFiles, ...] = ()
    instruction: str | None = None
    _reading: ReadingApart = field(default_factory=ReadingApart)
    _contents: dict[tuple[str, str], bytes | None] = field(default_factory=dict)
    _room: int = _MOST_KEPT

    @property
    def agent(self) -> AgentRecord:
        return self._ask_parent(AgentRecord, "agent") or AgentRecord()

    def before(self, path: str) -> bytes | None:
        return self._content("before", path)

    def after(self, path: str) -> bytes | None:
        return self._content("after", path)

    def entry(self, path: str) -> Entry | None:
        return self._ask_parent(Entry, "entry", path)

    def link_target(self, path: str) -> str | None:
        return self._ask_parent(str, "link_target", path)

    def baseline_paths(self) -> Iterable[str]:
        return self._ask_parent(list[str], "baseline_paths") or []

    def run(
        self,
        command: str,
        timeout_sec: float,
        tree: Tree = AS_LEFT,
        collect: tuple[str, ...] = (),
        remember: bool = False,
        watch: bool = False,
        once: bool = False,
    ) -> CommandResult:
        asked = (command, timeout_sec, msgspec.to_builtins(tree), collect, remember, watch, once)
        ran = self._ask_parent(CommandResult, "run", *asked)
        if ran is None:
            raise MeasurementError("the command gave no answer")
        return ran

    def forget(self, kept_as: str) -> None:
        self._ask_parent(str, "forget", kept_as)

    def secret(self, of: str = "") -> str:
        return self._ask_parent(str, "secret", of) or ""

    def read_apart(self, read: Callable[[Question], Answer], question: Question, answer: type[Answer]) -> Answer:
        return self._reading(read, question, answer)

    def _content(self, when: str, path: str) -> bytes | None:
        if (when, path) in self._contents:
            return self._contents[when, path]
        data = self._ask_parent(bytes, when, path)
        self._room -= len(data or b"")
        if self._room >= 0:
            self._contents[when, path] = data
        return data

    def _ask_parent(self, kind: type[_Kept], call: str, *arguments: object) -> _Kept | None:  # noqa: ARG002
        self.parent.send(json.dumps({"call": call, "arguments": arguments}).encode())
        found: _Kept | None = pickle.loads(self.parent.receive())  # noqa: S301 - sent by the parent
        return found


def serve() -> None:
    """Run scorers until the parent has no more."""
    # Syntax trees are many objects without cycles. Looking for cycles in them again and again takes a third of the
    # time.
    gc.set_threshold(200_000, 20, 100)
    parent = Parent()
    workspace = AskedWorkspace(parent, (), (), ())
    with contextlib.suppress(EOFError):
        while True:
            word, value = pickle.loads(parent.receive())  # noqa: S301 - sent by the parent
            if word == "import":
                checks.__path__, modules = value
                for module in modules:
                    importlib.import_module(module)
            elif word == "workspace":
                checks.__path__, *seen = value
                workspace = AskedWorkspace(parent, *seen)
                parent.send(b"ready")
            else:
                parent.send(_answer(value, workspace))


def _answer(check: Check[Workspace], workspace: AskedWorkspace) -> bytes:
    """A scorer's answer as data. Evidence that JSON can't hold is an error of the scorer."""
    try:
        return _encode_outcome(outcome_of(check, workspace, lambda check, evidence: _plain(check.run(evidence))))
    except MeasurementError as error:
        return json.dumps({"broken": str(error)}).encode()


def _plain(outcome: Outcome) -> Outcome:
    """The outcome itself, if it can be sent."""
    _encode_outcome(outcome)
    return outcome


def _encode_outcome(outcome: Outcome) -> bytes:
    if isinstance(outcome, Errored):
        return json.dumps({"errored": (outcome.summary, outcome.error_type)}).encode()
    if isinstance(outcome, NotApplicable):
        return json.dumps({"not_applicable": outcome.summary}).encode()
    scored = (outcome.score, outcome.passed, outcome.summary, dict(outcome.evidence))
    return json.dumps({"scored": scored}).encode()


if __name__ == "__main__":
    serve()
