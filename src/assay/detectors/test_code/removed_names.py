"""Names that a change removed from the code under test, so that their tests had to be removed, too."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath

from assay.detectors.test_code.changed import chooser
from assay.detectors.test_code.paths import language_of, may_hold_source
from assay.detectors.test_code.read import decoded
from assay.evidence.workspace import Change, EntryKind, Workspace
from assay.formats.source_text import added_lines

_DEFINED = re.compile(
    r"\b(?:def|class|func|fun|fn|function|interface|struct|enum|trait|type|module|record|object|const|let|var|val)\s+"
    r"(?:[(<][^)>\n]{0,400}[)>]\s*)?(?:\w{1,200}+\.)?(\w{3,})"
    r"|^[ \t]+(?:(?:public|protected|private|internal|static|async|final|override|virtual)\s++){1,8}"
    r"[\w<>\[\], ?]*?\b(\w{3,})\s*\("
    r"|^([A-Za-z_]\w{2,})[ \t]*(?::[^=\n]*)?=(?!=)",
    re.MULTILINE,
)
# A member of a class or of an enumeration, on a line of its own.
_CONSTANT = re.compile(r"^[ \t]{1,40}(?:\w{1,40}[ ]){0,6}([A-Z]\w{2,60})\b[ \t]{0,4}(?:[=,({:;]|$)", re.MULTILINE)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{2,}")
_LARGEST = 1_000_000
_QUOTED_OR_WORD = re.compile(rb"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[\w\x80-\xff]+")


@dataclass(frozen=True, slots=True)
class ChangedNames:
    """Names that no changed file mentions any more, and names that none mentioned before.

    ``removed`` was defined in the changed sources. ``old`` and ``new`` also have their constants, wherever they
    stand: an old name and a new one in the same place were a renaming. ``unasked`` was removed though there is an
    instruction that doesn't ask for it.
    """

    removed: frozenset[str] = frozenset()
    old: frozenset[str] = frozenset()
    new: frozenset[str] = frozenset()
    unasked: frozenset[str] = frozenset()


NO_NAMES = ChangedNames()


def changed_names(workspace: Workspace, test_globset: tuple[str, ...] | None) -> ChangedNames:
    """The names in the changed sources before and after."""
    chosen = chooser(test_globset)
    read = [change for change in workspace.changes if language_of(change.old_path) or language_of(change.path)]
    before, after = _texts(workspace, read)
    sources = [change for change in read if not _tests(change.paths, chosen)]
    # A name that is defined on a line that is still there is still mentioned.
    had = [c for c in sources if c.old_path in before]
    lost = [_only_in(before[c.old_path], after.get(c.path, "")) for c in had]
    removed = _defined(lost) | {PurePosixPath(c.old_path).stem for c in sources if c.after is None}
    old = removed | _constants(lost)
    if old:
        old -= _mentioned(after.values())
    # A name may be mentioned as a word of the language, though nothing is called so any more.
    renamed = renamings(workspace).keys()
    if not old | renamed:
        return ChangedNames()
    fresh = [_only_in(after[c.path], before.get(c.old_path, "")) for c in sources if c.path in after]
    new = (_defined(fresh) | _constants(fresh)) - _mentioned(before.values())
    gone = frozenset(removed & old)
    files = {c.old_path: text for c, text in zip(had, lost, strict=True) if c.after is None}
    asked = _asked(workspace.instruction, gone, files)
    return ChangedNames(asked, frozenset(old | renamed), frozenset(new), gone - asked)


def renamings(workspace: Workspace) -> dict[str, str]:
    """Old names in the source with their new ones: definitions that differ in nothing but the name."""
    found: dict[str, set[str]] = {}
    for change in workspace.changes:
        before, after = _text(workspace.before(change.old_path)), _text(workspace.after(change.path))
        if not language_of(change.path) or _tests(change.paths, chooser(None)) or not (before and after):
            continue
        known, left = defined_in(before), defined_in(after)
        fresh: dict[bytes, set[str]] = {}
        for line in _only_in(after, before).split("\n"):
            for new in defined_in(line) - known:
                fresh.setdefault(_without_name(line, new), set()).add(new)
        for line in _only_in(before, after).split("\n") if fresh else ():
            for old in defined_in(line) - left:
                # Of more than one, nobody knows which it is.
                found.setdefault(old, set()).update(islice(fresh.get(_without_name(line, old), ()), 2))
    return {old: new for old, several in found.items() if len(several) == 1 for new in several}


def _without_name(line: str, name: str) -> bytes:
    return with_names(line.encode(), {name: "\0"})


def with_names(data: bytes, names: Mapping[str, str]) -> bytes:
    """A text with new names in the place of old ones, but for those within quotes."""
    new = {old.encode(): name.encode() for old, name in names.items()}
    return _QUOTED_OR_WORD.sub(lambda found: new.get(found[0], found[0]), data) if new else data


def _texts(workspace: Workspace, read: list[Change]) -> tuple[dict[str, str], dict[str, str]]:
    """The texts of changed files before and after, by their paths."""
    before = {change.old_path: _text(workspace.before(change.old_path)) for change in read if _was_file(change)}
    return before, {
        change.path: _text(workspace.after(change.path)) for change in read if change.after is not None
    }


def _asked(instruction: str | None, gone: frozenset[str], files: Mapping[str, str]) -> frozenset[str]:
    """The names whose removal is believed: all without an instruction, else those that it asks to remove.

    Of a file that is gone as a whole, whoever asks for one name, or for the file, asks for all of it.
    """
    if instruction is None:
        return gone
    from assay.detectors.removal_asked import removals_asked  # noqa: PLC0415 - only where something was removed

    asked = removals_asked(instruction, gone)
    for path, text in files.items():
        beside = gone & (defined_in(text) | {PurePosixPath(path).stem})
        if beside & asked or removals_asked(instruction, [PurePosixPath(path).stem]):
            asked |= beside
    return asked


def _only_in(text: str, other: str) -> str:
    """The lines of a text that another one does not have."""
    return added_lines(other, text, context=0).text if other else text


def _was_file(change: Change) -> bool:
    return change.before is not None and change.before.kind is EntryKind.FILE


def _text(data: bytes | None) -> str:
    return decoded(data or b"")[0][:_LARGEST]


def _defined(texts: Iterable[str]) -> set[str]:
    return {name for text in texts for name in defined_in(text)}


def _constants(texts: Iterable[str]) -> set[str]:
    return {name for text in texts for name in _CONSTANT.findall(text)}


def _mentioned(texts: Iterable[str]) -> set[str]:
    return {name for text in texts for name in _IDENTIFIER.findall(text)}


def _tests(paths: Iterable[str], chosen: Callable[[str], bool]) -> bool:
    """Whether a file is nothing but tests."""
    return any(chosen(path) and not may_hold_source(path) for path in paths)


def defined_in(text: str) -> set[str]:
    """The names that a text defines, in any of the languages."""
    return {name for groups in _DEFINED.findall(text[:_LARGEST]) for name in groups if name}
