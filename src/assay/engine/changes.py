"""What changed between two states of a workspace. Pure: it looks at hashes, not at files."""

from collections import defaultdict
from collections.abc import Callable, Mapping

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
    sources: dict[str, str] = {}
    _pair(gone, added, sources, _name)
    _pair(gone, added, sources, lambda _: "")
    return sources


def _pair(
    gone: Mapping[str, Entry], added: Mapping[str, Entry], sources: dict[str, str], alike: Callable[[str], str]
) -> None:
    """Pair paths that have no partner yet, in order. Each is looked at once: there may be very many."""
    taken = set(sources.values())
    waiting: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path in sorted(gone.keys() - taken, reverse=True):
        if gone[path].size and gone[path].kind is EntryKind.FILE:
            waiting[gone[path].digest, alike(path)].append(path)
    for path in sorted(added.keys() - sources.keys()):
        candidates = waiting.get((added[path].digest, alike(path)))
        if candidates and added[path].kind is EntryKind.FILE:
            sources[path] = candidates.pop()


def _name(path: str) -> str:
    return path.rsplit("/", 1)[-1]
