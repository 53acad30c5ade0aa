"""Find what an agent changed in a folder since the baseline, without running anything of the agent's.

New files under the baseline's own ignore rules, such as a virtual environment or caches.

Nobody reads them one by one and no command sees them, so nothing in them can act. The rules are those of the
``.gitignore`` files of the baseline: what an agent writes into such a file ignores nothing.
"""

import functools
import os
import secrets
import stat
import string
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from assay.adapters.machine.isolated_reader import ReadingApart
from assay.adapters.machine.safe_read import read_below
from assay.adapters.workspace.baseline import MAX_READ
from assay.adapters.workspace.commands import Commands
from assay.adapters.workspace.memory import Memory, Remembered
from assay.adapters.workspace.walk import Walked, entries_of, parse_record, plain_mode, walking
from assay.engine.coding.workspace_changes import changes_between
from assay.evidence.coding_run import AgentRecord
from assay.evidence.files import Content
from assay.evidence.workspace import (
    AS_LEFT,
    Answer,
    Baseline,
    Change,
    CommandResult,
    Entry,
    EntryKind,
    IgnoredFiles,
    Question,
    Tree,
    ignored_paths,
)
from assay.formats.globs import NAME, IgnoreRules
from assay.formats.path_patterns import matching
from assay.formats.source_text import source_text

# 26 to the power of 16: more than anybody can try.
SECRET_LENGTH = 16


class _Contents:
    """A cache of contents: several scorers ask for the same files. Beyond its size, files are read each time."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], bytes | None] = {}
        self._room = MAX_READ

    def get(self, key: tuple[str, str], read: Callable[[str], bytes | None]) -> bytes | None:
        if key in self._kept:
            return self._kept[key]
        data = read(key[1])
        self._room -= len(data or b"")
        if self._room >= 0:
            self._kept[key] = data
        return data


@dataclass(frozen=True)
class Captured:
    """A folder as it was found."""

    root: str
    baseline: Baseline
    changes: tuple[Change, ...]
    nested_repositories: tuple[str, ...]
    cut: tuple[str, ...]
    commands: Commands
    ignored: tuple[IgnoredFiles, ...] = ()
    instruction: str | None = None
    agent: AgentRecord = AgentRecord()  # noqa: RUF009 - frozen
    _reading: ReadingApart = field(init=False, compare=False, default_factory=ReadingApart)
    _contents: _Contents = field(init=False, compare=False, default_factory=_Contents)

    def before(self, path: str) -> bytes | None:
        return self._contents.get(("before", path), self._before)

    def after(self, path: str) -> bytes | None:
        return self._contents.get(("after", path), self._after)

    def _before(self, path: str) -> bytes | None:
        entry = self.baseline.entry(path)
        return self.baseline.read(path) if entry is not None and entry.kind is EntryKind.FILE else None

    def _after(self, path: str) -> bytes | None:
        found = read_below(self.root, path.split("/"), MAX_READ)
        return found.data if isinstance(found, Content) else None

    def entry(self, path: str) -> Entry | None:
        changed = self._changed.get(path)
        if changed is not None:
            return changed
        found = self._stat_now(path)
        if found is None:
            return None
        if path in self._unread:
            return _unread_entry(found)
        known = None if path in self._changed else self.baseline.entry(path)
        if known is not None:
            return Entry(known.kind, known.mode, known.size, known.digest, found.st_nlink)
        kind = EntryKind.FOLDER if stat.S_ISDIR(found.st_mode) else EntryKind.OTHER
        return Entry(kind, plain_mode(found.st_mode), 0, "")

    def link_target(self, path: str) -> str | None:
        entry = self.entry(path)
        if entry is None or entry.kind is not EntryKind.LINK:
            return None
        return os.readlink(f"{self.root}/{path}")

    def baseline_paths(self) -> Iterable[str]:
        return sorted(self.baseline.paths())

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
        return self.commands.run(command, timeout_sec, tree, collect, remember, watch, once)

    def forget(self, kept_as: str) -> None:
        if self.commands.memory is not None:
            self.commands.memory.forget(kept_as)

    def secret(self, of: str = "") -> str:
        known = self.commands.word(of) if of else None
        return known or "".join(secrets.choice(string.ascii_lowercase) for _ in range(SECRET_LENGTH))

    def read_apart(self, read: Callable[[Question], Answer], question: Question, answer: type[Answer]) -> Answer:
        return self._reading(read, question, answer)

    @functools.cached_property
    def _unread(self) -> frozenset[str]:
        return frozenset(ignored_paths(self))

    @functools.cached_property
    def _changed(self) -> dict[str, Entry | None]:
        """The entries at changed paths; None for the old path of a rename, whatever is there now."""
        left: dict[str, Entry | None] = {change.old_path: None for change in self.changes}
        return left | {change.path: change.after for change in self.changes}

    def _stat_now(self, path: str) -> os.stat_result | None:
        """Look at a path now, without following a link on the way."""
        if os.path.realpath(f"{self.root}/{os.path.dirname(path)}") != _below(self.root, os.path.dirname(path)):
            return None
        try:
            return os.lstat(f"{self.root}/{path}")
        except OSError:
            return None


def capture(
    commands: Commands,
    memory: Memory | None = None,
    nested_before: Iterable[str] = (),
    shown: tuple[str, ...] = (),
    without: Sequence[str] = (),
) -> Captured:
    """Walk a folder and compare it with the baseline.

    New files under the baseline's own ignore rules are listed and not read. Commands see them only where one of
    the patterns ``shown`` names them. ``without`` has folders that don't belong to the workspace, such as a
    virtual environment that a scenario names. One that the baseline has files in does belong to it.
    """
    root, baseline = commands.root, commands.baseline
    taken = time.time()
    with walking(root) as wait:
        remembered = memory.recall() if memory is not None else Remembered()
        walked = _belonging(wait(), without, baseline)
    cut = list(walked.cut)
    new, gone = walked.records - remembered.records, remembered.records - walked.records
    ignored = Ignored(baseline)
    aside, new = ignored.told_apart(new)
    before, after = _entries_to_compare(baseline, remembered, entries_of(root, new, cut), gone)
    changes = changes_between(before, after)
    if memory is not None and not cut and (new or gone):
        differing = {path: after.get(path) for change in changes for path in change.paths}
        memory.keep(taken, walked.records - aside, new, differing)
    known = set(nested_before)
    nested = tuple(path for path in walked.nested if path not in known and not ignored.has_folder(path))
    hidden = frozenset(path for each in ignored.files for path in each.paths if matching(path, shown) is None)
    commands = replace(commands, hidden=commands.hidden | hidden)
    return Captured(root, baseline, changes, nested, tuple(cut), commands, ignored.files)


def _unread_entry(found: os.stat_result) -> Entry:
    """The entry of a path whose content nobody read."""
    kinds = ((stat.S_ISREG, EntryKind.FILE), (stat.S_ISLNK, EntryKind.LINK), (stat.S_ISDIR, EntryKind.FOLDER))
    kind = next((kind for fits, kind in kinds if fits(found.st_mode)), EntryKind.OTHER)
    return Entry(kind, plain_mode(found.st_mode), found.st_size, "", found.st_nlink)


def _belonging(walked: Walked, without: Sequence[str], baseline: Baseline) -> Walked:
    """The walk without folders in which the baseline has nothing."""
    starts = [f"{folder}/" for folder in without if not any(_is_in(path, folder) for path in baseline.paths())]
    if not starts:
        return walked
    mine = tuple(starts)
    kept = (row for row in walked.records if not parse_record(row).path.startswith(mine))
    nested = tuple(path for path in walked.nested if not f"{path}/".startswith(mine))
    return replace(walked, records=frozenset(kept), nested=nested)


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _entries_to_compare(
    baseline: Baseline, remembered: Remembered, after: dict[str, Entry], gone_records: Iterable[bytes]
) -> tuple[dict[str, Entry], dict[str, Entry]]:
    """The entries of all paths that may have changed, before and after. ``after`` holds the inspected ones."""
    if remembered.records:
        gone = {parse_record(row).path for row in gone_records} - after.keys()
        touched, after = _touched_since(remembered, after, gone)
    else:
        touched = {*after, *baseline.paths()}
    entries = ((path, baseline.entry(path)) for path in touched)
    return {path: entry for path, entry in entries if entry is not None}, after


def _touched_since(
    remembered: Remembered, after: dict[str, Entry], gone: set[str]
) -> tuple[set[str], dict[str, Entry]]:
    """The paths that changed since the last capture or differed then, and what is there now as far as known."""
    still = {path: entry for path, entry in remembered.differing.items() if path not in after}
    known = {path: entry for path, entry in still.items() if entry is not None and path not in gone}
    return {*after, *gone, *still}, {**after, **known}


def _below(root: str, folder: str) -> str:
    return os.path.normpath(os.path.join(os.path.realpath(root), folder))


class Ignored:
    """The ignored part of a walk. The rules are read at the first path that the baseline doesn't have."""

    def __init__(self, baseline: Baseline) -> None:
        self._baseline = baseline
        self._stat_now: dict[str, list[str]] = defaultdict(list)

    def told_apart(self, rows: Iterable[bytes]) -> tuple[frozenset[bytes], frozenset[bytes]]:
        """The records of ignored new files, and the others."""
        aside: set[bytes] = set()
        others: set[bytes] = set()
        for row in rows:
            path = parse_record(row).path
            rule = self._rules.rule_for(path) if self._baseline.entry(path) is None else None
            (others if rule is None else aside).add(row)
            if rule is not None:
                self._stat_now[rule].append(path)
        return frozenset(aside), frozenset(others)

    def has_folder(self, path: str) -> bool:
        """Whether a folder that has a repository of its own is ignored with everything in it."""
        return self._rules.folder_rule(path) is not None

    @property
    def files(self) -> tuple[IgnoredFiles, ...]:
        return tuple(IgnoredFiles(rule, tuple(sorted(paths))) for rule, paths in sorted(self._stat_now.items()))

    @functools.cached_property
    def _rules(self) -> IgnoreRules:
        texts: dict[str, str] = {}
        for path in self._baseline.paths():
            folder, _, name = path.rpartition("/")
            entry = self._baseline.entry(path) if name == NAME else None
            if entry is not None and entry.kind is EntryKind.FILE:
                texts[folder] = source_text(self._baseline.read(path)) or ""
        return IgnoreRules(texts)
