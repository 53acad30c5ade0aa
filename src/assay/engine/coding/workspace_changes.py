"""The changes between two states of a workspace. Pure: it looks at hashes, not at files."""

from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Mapping

from assay.evidence.workspace import Change, ChangeKind, Entry, EntryKind

_FOLDER = Entry(EntryKind.FOLDER, 0o755, 0, "")


def changes_between(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> tuple[Change, ...]:
    """All changes, sorted by path.

    A file that is gone while its content is there under another name was renamed.
    """
    added = {path: new for path, new in after.items() if path not in before}
    gone = {path: old for path, old in before.items() if path not in after}
    sources = _renames(gone, added)
    folders = {parent for path in gone for parent in _parents(path)}
    found = [
        *_edited_paths(before, after),
        *_deleted_paths(gone, sources),
        *_added_paths(added, gone, sources, folders),
    ]
    return tuple(sorted(found, key=lambda change: change.path))


def _edited_paths(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> Iterator[Change]:
    for path, new in after.items():
        old = before.get(path)
        if old is not None and (old.digest, old.mode, old.kind) != (new.digest, new.mode, new.kind):
            yield Change(path, _kind(old, new), old, new, path)


def _deleted_paths(gone: Mapping[str, Entry], sources: Mapping[str, str]) -> Iterator[Change]:
    moved = set(sources.values())
    return (Change(path, ChangeKind.DELETED, old, None, path) for path, old in gone.items() if path not in moved)


def _added_paths(
    added: Mapping[str, Entry], gone: Mapping[str, Entry], sources: Mapping[str, str], folders: Container[str]
) -> Iterator[Change]:
    """The new paths. A link or a file in the place of a folder isn't: the folder became it."""
    for path, new in added.items():
        source = sources.get(path)
        if source is None and path in folders:
            yield Change(path, ChangeKind.TYPE, _FOLDER, new, path)
        elif source is None:
            yield Change(path, ChangeKind.ADDED, None, new, path)
        else:
            yield Change(path, ChangeKind.RENAMED, gone[source], new, source)


def _parents(path: str) -> Iterator[str]:
    at = path.rfind("/")
    while at > 0:
        yield path[:at]
        at = path.rfind("/", 0, at)


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
