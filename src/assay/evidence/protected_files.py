"""Whether files that must stay as they were did so. Shared by the checks that guard exact paths."""

from collections.abc import Callable, Sequence

from assay.core.outcome import Outcome, Scored
from assay.evidence.workspace import Change, EntryKind, Workspace, blind_spots

Finding = dict[str, object]


def unmodified(workspace: Workspace, paths: Sequence[str], alike: Callable[[str], str]) -> Outcome:
    """A pass if nothing happened to these paths, nor to one that a careless system takes for one of them.

    ``alike`` gives equal names for paths that are taken for the same.
    """
    plain = [path.removeprefix("./") for path in paths]
    findings = [*_touched(workspace, plain, alike), *_hard_links(workspace, plain), *_unseen(workspace, plain)]
    if not findings:
        return Scored(1.0, True, f"none of {len(plain)} was edited")
    edited = {str(finding.get("path")) for finding in findings}
    first = findings[0].get("path") or findings[0].get("detail")
    share = max(0.0, 1 - len(edited) / len(plain))
    return Scored(share, False, f"{first} was edited ({len(edited)} in all)", {"findings": findings})


def _touched(workspace: Workspace, paths: Sequence[str], alike: Callable[[str], str]) -> list[Finding]:
    protected = {alike(path) for path in paths}
    return [
        _finding(change, path) for change in workspace.changes for path in change.paths if alike(path) in protected
    ]


def _hard_links(workspace: Workspace, paths: Sequence[str]) -> list[Finding]:
    """Whoever holds the other name of a file can change it afterwards."""
    entries = ((path, workspace.entry(path)) for path in paths)
    return [
        {"rule": "hard link", "path": path, "detail": f"the file has {entry.names} names"}
        for path, entry in entries
        if entry is not None and entry.kind is EntryKind.FILE and entry.names > 1
    ]


def _unseen(workspace: Workspace, paths: Sequence[str]) -> list[Finding]:
    """Blind spots, where one of the paths may lie in them."""
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
