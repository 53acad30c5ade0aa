"""A workspace in memory: what was there, what is there now, and the changes that follow from the two."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from assay.evidence.coding_run import AgentRecord, ProcessEnd
from assay.evidence.workspace import (
    AS_LEFT,
    Answer,
    Change,
    ChangeKind,
    CommandResult,
    Entry,
    EntryKind,
    IgnoredFiles,
    Question,
    Side,
    Tree,
    read_here,
)

Files = Mapping[str, bytes | str]


@dataclass(frozen=True)
class FakeWorkspace:
    """Files by path before and after; text is UTF-8. Links are targets by path; modes default to 0o644.

    A path that is in ``before`` and not in ``after`` was deleted. ``runs`` has the answers of commands by command.
    """

    old: Files = field(default_factory=dict)
    new: Files = field(default_factory=dict)
    old_links: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    old_modes: Mapping[str, int] = field(default_factory=dict)
    modes: Mapping[str, int] = field(default_factory=dict)
    nested_repositories: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    ignored: tuple[IgnoredFiles, ...] = ()
    runs: Mapping[str, CommandResult] = field(default_factory=dict)
    baseline_runs: Mapping[str, CommandResult] = field(default_factory=dict)
    instruction: str | None = None
    agent: AgentRecord = AgentRecord()  # noqa: RUF009 - frozen

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        old = _entries(self.old, self.old_links, self.old_modes)
        new = self._now
        gone = {path: entry for path, entry in old.items() if path not in new}
        renamed = _renames(gone, {path: entry for path, entry in new.items() if path not in old})
        moved = set(renamed.values())
        found = [_changed(path, old[path], new[path]) for path in old.keys() & new.keys()]
        found += [
            Change(path, ChangeKind.DELETED, entry, None, path)
            for path, entry in gone.items()
            if path not in moved
        ]
        for path in new.keys() - old.keys():
            source = renamed.get(path)
            kind = ChangeKind.ADDED if source is None else ChangeKind.RENAMED
            found.append(Change(path, kind, None if source is None else old[source], new[path], source or path))
        return tuple(sorted((change for change in found if change is not None), key=lambda change: change.path))

    def before(self, path: str) -> bytes | None:
        return _content(self.old, path)

    def after(self, path: str) -> bytes | None:
        return _content(self.new, path)

    def entry(self, path: str) -> Entry | None:
        return self._now.get(path)

    @cached_property
    def _now(self) -> dict[str, Entry]:
        return _entries(self.new, self.links, self.modes)

    def link_target(self, path: str) -> str | None:
        return self.links.get(path)

    def baseline_paths(self) -> Iterable[str]:
        return sorted({*self.old, *self.old_links})

    def run(
        self,
        command: str,
        timeout_sec: float,  # noqa: ARG002
        tree: Tree = AS_LEFT,
        collect: tuple[str, ...] = (),  # noqa: ARG002
        remember: bool = False,  # noqa: ARG002
        watch: bool = False,  # noqa: ARG002
        once: bool = False,  # noqa: ARG002
    ) -> CommandResult:
        runs = self.runs if tree.side is Side.AGENT else self.baseline_runs
        return runs.get(command) or CommandResult(ProcessEnd(0), "", False, 0.0, {})

    def forget(self, kept_as: str) -> None:
        """Nothing is remembered here."""

    def secret(self, of: str = "") -> str:  # noqa: ARG002
        return "qwertyuiopasdfgh"

    def read_apart(self, read: Callable[[Question], Answer], question: Question, answer: type[Answer]) -> Answer:
        return read_here(read, question, answer)


def edited(path: str, old: bytes | str, new: bytes | str) -> FakeWorkspace:
    """A workspace with one file that was edited."""
    return FakeWorkspace({path: old}, {path: new})


def added(path: str, new: bytes | str) -> FakeWorkspace:
    """A workspace with one file that is new."""
    return FakeWorkspace({}, {path: new})


def _content(files: Files, path: str) -> bytes | None:
    found = files.get(path)
    return found.encode() if isinstance(found, str) else found


def _entries(files: Files, links: Mapping[str, str], modes: Mapping[str, int]) -> dict[str, Entry]:
    found = {path: _entry(EntryKind.FILE, content, modes.get(path, 0o644)) for path, content in files.items()}
    return found | {path: _entry(EntryKind.LINK, target, 0o777) for path, target in links.items()}


def _entry(kind: EntryKind, content: bytes | str, mode: int) -> Entry:
    data = content.encode() if isinstance(content, str) else content
    return Entry(kind, mode, len(data), hashlib.sha256(data).hexdigest())


def _renames(gone: Mapping[str, Entry], fresh: Mapping[str, Entry]) -> dict[str, str]:
    """New path to old path, for equal content. Each old path serves once."""
    by_content: dict[tuple[EntryKind, str], list[str]] = {}
    for path in sorted(gone, reverse=True):
        by_content.setdefault((gone[path].kind, gone[path].digest), []).append(path)
    found = {}
    for path in sorted(fresh):
        sources = by_content.get((fresh[path].kind, fresh[path].digest))
        if sources:
            found[path] = sources.pop()
    return found


def _changed(path: str, old: Entry, new: Entry) -> Change | None:
    if old == new:
        return None
    if old.kind is not new.kind:
        return Change(path, ChangeKind.TYPE, old, new, path)
    kind = ChangeKind.MODIFIED if old.digest != new.digest else ChangeKind.MODE
    return Change(path, kind, old, new, path)
