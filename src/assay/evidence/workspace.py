"""A workspace after an agent: the changes since the baseline, and a way to read and run what is there.

Some parsers never return from some texts, and only killing their process stops them. Checks and detectors call
such a parser through ``Workspace.read_apart``; an adapter decides where it runs.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol, TypeVar

from assay.core.errors import AssayError
from assay.evidence.coding_run import AgentRecord, ProcessEnd

Question = TypeVar("Question", bound=Hashable)
Answer = TypeVar("Answer")


class UnreadableError(AssayError):
    """A text can't be read within the limits. The message is the reason, without a subject and a full stop."""


class ReadApart(Protocol):
    """Calls a function of a module with one value that can be pickled, and returns data of the type ``answer``."""

    def __call__(self, read: Callable[[Question], Answer], question: Question, answer: type[Answer]) -> Answer:
        """The result of ``read``. Raises ``UnreadableError`` if ``read`` raises it or exceeds the limits."""


def read_here(read: Callable[[Question], Answer], question: Question, answer: type[Answer]) -> Answer:  # noqa: ARG001
    """A ``ReadApart`` without limits, in this process: for text that is known to be harmless."""
    return read(question)


class EntryKind(Enum):
    """A path's kind, by itself and without following it."""

    FILE = "file"
    LINK = "link"
    FOLDER = "folder"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Entry:
    """One path as it was found. ``digest`` is that of a file's content or a link's target; "" for anything else.

    ``names`` counts the hard links of a file: how many names it has, anywhere on the disk.
    """

    kind: EntryKind
    mode: int
    size: int
    digest: str
    names: int = 1

    @property
    def executable(self) -> bool:
        return self.kind is EntryKind.FILE and self.mode & 0o100 != 0


@dataclass(frozen=True, slots=True)
class IgnoredFiles:
    """New files that a line of the baseline's own ``.gitignore`` files names. They are counted, and not read."""

    rule: str
    paths: tuple[str, ...]


class ChangeKind(Enum):
    """How a path differs from the baseline."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"
    MODE = "mode"
    TYPE = "type"


@dataclass(frozen=True, slots=True)
class Change:
    """One changed path, relative to the workspace with ``/``. ``old_path`` differs from it for a rename only."""

    path: str
    kind: ChangeKind
    before: Entry | None
    after: Entry | None
    old_path: str

    @property
    def paths(self) -> tuple[str, ...]:
        """A rename counts under both of its paths."""
        return (self.path,) if self.path == self.old_path else (self.old_path, self.path)


@dataclass(frozen=True, slots=True)
class Opened:
    """The files of a tree that were opened for reading while a command ran, also under the names of links to them.

    ``missed`` says what couldn't be watched, one sentence each: then files may have been opened that aren't here.
    """

    paths: frozenset[str] = frozenset()
    missed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a command on the workspace ended, and the tail of what it printed."""

    end: ProcessEnd
    output: str
    output_cut: bool
    duration_sec: float
    files: dict[str, bytes | None]
    """The requested files as the command left them; None if the command wrote no regular file there."""
    spent_sec: float = 0.0
    """How long it took with everything around it: making the files, starting the sandbox, reading the answer."""
    kept_as: str = ""
    """The name under which it is remembered; empty if it isn't."""
    remembered: bool = False
    """Whether an earlier grading ran it."""
    opened: Opened | None = None
    """None unless it was asked for."""
    cpu_sec: float | None = None
    """The time of processors that it took, which a busy machine doesn't change; None if nobody measured it."""


class Side(Enum):
    """Whose files: as the agent left them, or as they were before it began."""

    AGENT = "agent"
    BASELINE = "baseline"


@dataclass(frozen=True, slots=True)
class Tree:
    """The files that a command sees: those of one side, some of the other side, and some of our own.

    ``swapped`` has patterns of paths that are as on the other side: changed and deleted files come back, and added
    ones are removed. ``without`` has patterns of paths that aren't there at all. ``files`` are written on top.
    """

    side: Side = Side.AGENT
    swapped: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)


AS_LEFT = Tree()
"""The workspace as the agent left it."""


class Workspace(Protocol):
    """A workspace after the agent is gone."""

    @property
    def changes(self) -> tuple[Change, ...]:
        """Everything that differs from the baseline, sorted by path."""

    @property
    def nested_repositories(self) -> tuple[str, ...]:
        """Folders below the workspace that have a ``.git`` of their own and had none at the baseline."""

    @property
    def ignored(self) -> tuple[IgnoredFiles, ...]:
        """New files under the baseline's ignore rules, which are no changes. Commands don't see them."""

    @property
    def cut(self) -> tuple[str, ...]:
        """The capture's omissions, one sentence each. Empty if it saw everything."""

    @property
    def instruction(self) -> str | None:
        """The agent's instruction, all turns together; None if that isn't known."""

    @property
    def agent(self) -> AgentRecord:
        """The agent's own record of what it did; without a trajectory if it left none."""

    def before(self, path: str) -> bytes | None:
        """The content of a regular file at the baseline; None if there was none."""

    def after(self, path: str) -> bytes | None:
        """The content of a regular file now; None if there is none."""

    def entry(self, path: str) -> Entry | None:
        """The entry at a path now, changed or not."""

    def link_target(self, path: str) -> str | None:
        """Where a link points now; None if the path isn't a link."""

    def baseline_paths(self) -> Iterable[str]:
        """Every path of the baseline, sorted."""

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
        """Run a shell command on a copy of the workspace, in a sandbox.

        ``tree`` says which files it sees; ``collect`` has paths to read afterwards, which count only if they were
        written after the command began. With ``remember``, an earlier grading of the same content may answer: the
        first time that this is asked, with its first run, the second time with its second. ``watch`` notes which
        files are opened. With ``once``, scorers that ask the same in one grading share one run.
        """

    def forget(self, kept_as: str) -> None:
        """Remember a run no longer, because it was repeated and came out differently."""

    def secret(self, of: str = "") -> str:
        """A random word of letters that nobody could know before, another one each time.

        The word ``of`` something is the same whenever the same content is graded with a memory of runs: a command
        that holds it is remembered, too.
        """

    def read_apart(self, read: Callable[[Question], Answer], question: Question, answer: type[Answer]) -> Answer:
        """Call a parser that may never return, in a process that can be killed."""


def changed_paths(workspace: Workspace) -> list[str]:
    """Every path that changed. A rename changes two."""
    return sorted({path for change in workspace.changes for path in change.paths})


def ignored_paths(workspace: Workspace) -> list[str]:
    """Every new path under the baseline's ignore rules. It counts where a scorer's pattern names it."""
    return [path for files in workspace.ignored for path in files.paths]


def blind_spots(workspace: Workspace) -> list[dict[str, object]]:
    """Where changes may hide. A check that nothing was changed must not pass if there are any."""
    spots: list[dict[str, object]] = []
    spots += ({"rule": "nested repository", "path": path} for path in workspace.nested_repositories)
    spots += ({"rule": "not captured", "detail": sentence} for sentence in workspace.cut)
    return spots


def place_of(finding: Mapping[str, object]) -> object:
    """Where a finding is: its path, or the sentence about what could not be captured."""
    return finding.get("path") or finding.get("detail")


class ResultMemory(Protocol):
    """Results by a key, which is the hash of everything that they follow from. No method raises."""

    def recall(self, key: str) -> CommandResult | None:
        """The result; None if there is none that can be trusted."""

    def keep(self, key: str, ran: CommandResult) -> bool:
        """Remember a result. Returns whether that worked."""

    def forget(self, key: str) -> None:
        """Remember it no longer."""

    def word(self, of: str) -> str | None:
        """A word that is always the same for a text, and that nobody else can guess; None if there is none."""


def may_be_kept(ran: CommandResult) -> bool:
    """Whether a command came to its own end. Another time, what was stopped may finish."""
    return ran.end.exit_code is not None and not (ran.end.timed_out or ran.end.out_of_memory or ran.end.excess)


class Baseline(Protocol):
    """A state to compare with."""

    def paths(self) -> Iterable[str]: ...

    def entry(self, path: str) -> Entry | None: ...

    def read(self, path: str) -> bytes | None:
        """The content of a file, or the target of a link; None for anything else, and for a file over the cap."""


@dataclass(frozen=True, slots=True)
class KnownBaseline:
    """A baseline with the hash of all of it, and the repositories that were inside the workspace then."""

    baseline: Baseline
    sha256: str
    nested: tuple[str, ...]
