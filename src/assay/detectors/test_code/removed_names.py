"""Names that a change removed from the code under test, so that their tests had to be removed, too."""

import re
from collections.abc import Callable, Iterable
from pathlib import PurePosixPath

from assay.detectors.test_code.changed import chooser
from assay.detectors.test_code.paths import language_of
from assay.detectors.test_code.read import decoded
from assay.evidence.workspace import Change, EntryKind, Workspace

_DEFINED = re.compile(
    r"\b(?:def|class|func|fn|function|interface|struct|enum|trait|type|module|record|object|const|let|var|val)\s+"
    r"(?:\([^)\n]{0,400}\)\s*)?(?:self\.)?(\w{3,})"
    r"|^[ \t]+(?:(?:public|protected|private|internal|static|async|final|override|virtual)\s++){1,8}"
    r"[\w<>\[\], ?]*?\b(\w{3,})\s*\("
    r"|^([A-Za-z_]\w{2,})[ \t]*(?::[^=\n]*)?=(?!=)",
    re.MULTILINE,
)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{2,}")
_LARGEST = 1_000_000


def removed_names(workspace: Workspace, test_globset: tuple[str, ...] | None) -> frozenset[str]:
    """What was defined in the changed sources before and is not even mentioned in any changed file after."""
    chosen = chooser(test_globset)
    defined: set[str] = set()
    for change in workspace.changes:
        if language_of(change.old_path) and not _tests(change.paths, chosen):
            defined |= _defined_before(change, workspace)
    if not defined:
        return frozenset()
    for change in workspace.changes:
        if change.after is not None and language_of(change.path):
            defined -= _mentioned(workspace.after(change.path))
    return frozenset(defined)


def _defined_before(change: Change, workspace: Workspace) -> set[str]:
    """What a file defined; where it is gone as a whole, its module, too."""
    if change.before is None or change.before.kind is not EntryKind.FILE:
        return set()
    defined = defined_in(decoded(workspace.before(change.old_path) or b"")[0])
    return defined if change.after is not None else defined | {PurePosixPath(change.old_path).stem}


def _tests(paths: Iterable[str], chosen: Callable[[str], bool]) -> bool:
    """Rust's files are code and tests at once."""
    return any(chosen(path) and not path.endswith(".rs") for path in paths)


def defined_in(text: str) -> set[str]:
    """The names that a text defines, in any of the languages."""
    return {name for groups in _DEFINED.findall(text[:_LARGEST]) for name in groups if name}


def _mentioned(data: bytes | None) -> set[str]:
    return set(_IDENTIFIER.findall(decoded(data or b"")[0][:_LARGEST]))
