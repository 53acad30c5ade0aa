"""Whether protected files stayed as they were. Shared by the checks that guard exact paths."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from assay.core.outcome import Outcome, Scored
from assay.evidence.workspace import Change, EntryKind, Workspace, blind_spots, ignored_paths
from assay.formats.counting import counted
from assay.formats.path_patterns import fold_path, plain_path

Finding = dict[str, object]


@dataclass(frozen=True, slots=True)
class ExactPaths:
    """The parameters and the answer of a check that guards exact paths."""

    paths: tuple[str, ...]

    def __post_init__(self) -> None:
        exact_paths(self.paths)

    def run(self, evidence: Workspace) -> Outcome:
        return unmodified(evidence, self.paths)


def exact_paths(written: Iterable[str]) -> list[str]:
    """Paths as captures have them. Raises ``ValueError`` if there are none, or if one leaves the workspace."""
    paths = [plain_path(path) for path in written]
    if not paths:
        raise ValueError("paths must have at least one path, got an empty list")
    return paths


def unmodified(workspace: Workspace, written: Iterable[str]) -> Outcome:
    """A pass if nothing happened to these paths, nor to one that a careless system takes for one of them.

    Raises ``ValueError`` for a folder or a pattern of files: paths are exact, so neither guards anything.
    """
    paths = exact_paths(written)
    findings = [*_touched(workspace, paths), *_hard_links(workspace, paths), *_unseen(workspace, paths)]
    if not findings:
        return _untouched(workspace, paths)
    edited = {str(finding.get("path")) for finding in findings}
    share = max(0.0, 1 - len(edited) / len(paths))
    return Scored(share, False, _summary(findings[0], len(edited)), {"findings": findings})


def _summary(first: Finding, edited: int) -> str:
    if "path" not in first:
        return f"can't tell: {first['detail']}"
    return f"{first['path']} was edited ({edited} in all)"


def _untouched(workspace: Workspace, paths: Sequence[str]) -> Outcome:
    """A pass. Paths that never existed are named, because a mistyped path looks like that."""
    nothing = [path for path in paths if not _is_file(workspace, path)]
    if not nothing:
        return Scored(1.0, True, _none(paths))
    baseline = list(workspace.baseline_paths())
    for path in nothing:
        if any(one.startswith(f"{path}/") for one in baseline):
            raise ValueError(f"a path must be a file, got the folder {path}: name the files in it")
        meant = next((one for one in baseline if fnmatchcase(one, path)), None)
        if meant is not None:
            raise ValueError(f"a path must be exact, got the pattern {path}: name the files, such as {meant}")
    return Scored(1.0, True, f"{_none(paths)}; {nothing[0]} never existed", {"absent": nothing})


def _none(paths: Sequence[str]) -> str:
    return f"{counted(len(paths), 'protected file')}, none edited"


def _is_file(workspace: Workspace, path: str) -> bool:
    entry = workspace.entry(path)
    return entry is not None and entry.kind is not EntryKind.FOLDER


def _touched(workspace: Workspace, paths: Sequence[str]) -> list[Finding]:
    protected = {fold_path(path) for path in paths}
    touched = ((change, path) for change in workspace.changes for path in change.paths)
    found = [_finding(change, path) for change, path in touched if fold_path(path) in protected]
    added = (path for path in ignored_paths(workspace) if fold_path(path) in protected)
    found += ({"rule": "added", "path": path} for path in added)
    return found


def _hard_links(workspace: Workspace, paths: Sequence[str]) -> list[Finding]:
    """Somebody who holds another name of a file can change it afterwards."""
    entries = ((path, workspace.entry(path)) for path in paths)
    return [
        {"rule": "hard link", "path": path, "detail": f"the file has {entry.names} names"}
        for path, entry in entries
        if entry is not None and entry.kind is EntryKind.FILE and entry.names > 1
    ]


def _unseen(workspace: Workspace, paths: Sequence[str]) -> list[Finding]:
    """Blind spots that one of the paths may be in."""
    return [
        spot
        for spot in blind_spots(workspace)
        if "path" not in spot or any(path.startswith(f"{spot['path']}/") for path in paths)
    ]


def _finding(change: Change, path: str) -> Finding:
    finding: Finding = {"rule": change.kind.value, "path": path}
    if change.before is not None:
        finding["before"] = change.before.digest or change.before.kind.value
    if change.after is not None:
        finding["after"] = change.after.digest or change.after.kind.value
    return finding
