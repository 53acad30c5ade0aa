"""What changed between two states of a workspace. Pure: it looks at hashes, not at files."""

from collections import defaultdict
from collections.abc import Mapping

from assay.evidence.workspace import Change, ChangeKind, Entry, EntryKind


def changes_between(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> tuple[Change, ...]:
    """All changes, sorted by path.

    A file that went and came back under another name with its content is renamed.
    """
    changed = [
        Change(path, _kind(old, new), old, new, path)
        for path, new in after.items()
        if (old := before.get(path)) is not None
        and (old.digest != new.digest or old.mode != new.mode or old.kind is not new.kind)
    ]
    added = {path: new for path, new in after.items() if path not in before}
    gone = {path: old for path, old in before.items() if path not in after}
    sources = _renames(gone, added)
    moved = set(sources.values())
    changed += (
        Change(path, ChangeKind.DELETED, old, None, path) for path, old in gone.items() if path not in moved
    )
    for path, new in added.items():
        source = sources.get(path)
        kind = ChangeKind.ADDED if source is None else ChangeKind.RENAMED
        changed.append(Change(path, kind, None if source is None else gone[source], new, source or path))
    return tuple(sorted(changed, key=lambda change: change.path))


def _kind(old: Entry, new: Entry) -> ChangeKind:
    if old.kind is not new.kind:
        return ChangeKind.TYPE
    return ChangeKind.MODIFIED if old.digest != new.digest else ChangeKind.MODE


def _renames(gone: Mapping[str, Entry], added: Mapping[str, Entry]) -> dict[str, str]:
    """New paths with the old ones that they came from: equal content, and if possible an equal name."""
    by_content: dict[tuple[EntryKind, str], list[str]] = defaultdict(list)
    for path in sorted(gone, reverse=True):
        if gone[path].size and gone[path].kind is EntryKind.FILE:
            by_content[gone[path].kind, gone[path].digest].append(path)
    sources: dict[str, str] = {}
    for path in sorted(added):
        candidates = by_content.get((added[path].kind, added[path].digest))
        if candidates:
            same_name = [one for one in candidates if one.rsplit("/", 1)[-1] == path.rsplit("/", 1)[-1]]
            source = (same_name or candidates)[-1]
            candidates.remove(source)
            sources[path] = source
    return sources
