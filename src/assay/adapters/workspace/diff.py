"""The diff between baseline and workspace, made by git in a repository of Assay's own.

Only changed files go into that repository, as two commits. It has no work tree, so no file of the agent's can
influence git: no attributes, filters, hooks or configuration.
"""

import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass

from assay.adapters.machine.scratch import temporary_folder
from assay.adapters.workspace.capture import Captured
from assay.adapters.workspace.git_export import git
from assay.evidence.workspace import Change, Entry, EntryKind

MAX_DIFF = 16 * 2**20
MAX_CONTENT = 256 * 2**20
_AUTHOR = b"committer Assay <assay@localhost> 0 +0000\n"
_SETTINGS = ("-c", "core.protectHFS=false", "-c", "core.protectNTFS=false", "-c", "core.quotePath=true")


def cumulative_diff(captured: Captured) -> tuple[str, bool]:
    """The diff against the baseline, with renames, and whether something is missing from it."""
    states = _States(captured)
    with temporary_folder(0o700) as folder:
        git(["init", "-q", "--bare", "--template=", folder])
        git(["-C", folder, *_SETTINGS, "fast-import", "--quiet", "--force"], b"".join(states.stream()))
        options = ["--no-ext-diff", "--no-textconv", "--no-color", "-r", "-p", "-M"]
        text = git(["-C", folder, *_SETTINGS, "diff-tree", *options, "refs/heads/before", "refs/heads/after"])
    text = states.names.given_back(text)
    return text[:MAX_DIFF].decode(errors="replace"), states.cut or len(text) > MAX_DIFF


class _States:
    """Both states as ``git fast-import`` reads them. ``cut`` says whether something was left out."""

    def __init__(self, captured: Captured) -> None:
        self._captured = captured
        self.names = _Names(secrets.token_hex(16))
        self._left = MAX_CONTENT
        self.cut = bool(captured.cut)

    def stream(self) -> Iterator[bytes]:
        shown = [change for change in self._captured.changes if self._takes(change)]
        yield b"commit refs/heads/before\n" + _AUTHOR + b"data 0\n"
        for change in shown:
            old_path = self.names.accepted(change.old_path)
            yield from _file(old_path, change.before, _old(self._captured, change))
        yield b"\ncommit refs/heads/after\n" + _AUTHOR + b"data 0\n"
        for change in shown:
            yield from _file(self.names.accepted(change.path), change.after, _new(self._captured, change))
        yield b"\n"

    def _takes(self, change: Change) -> bool:
        """Whether the contents still fit: all of them are in memory at once."""
        size = sum(entry.size for entry in (change.before, change.after) if entry is not None)
        fits = size <= self._left
        self._left -= size if fits else 0
        self.cut = self.cut or not fits
        return fits


@dataclass(frozen=True, slots=True)
class _Names:
    """Names that git refuses, in any case of their letters, under others: ``.GIT`` is an ordinary folder here."""

    mark: str
    """What nobody could have written into a file or a name."""

    def accepted(self, path: str) -> str:
        parts = (f"{part}-{self.mark}" if part.lower() == ".git" else part for part in path.split("/"))
        return "/".join(parts)

    def given_back(self, text: bytes) -> bytes:
        return text.replace(f"-{self.mark}".encode(), b"")


def _old(captured: Captured, change: Change) -> bytes | None:
    return None if change.before is None else captured.baseline.read(change.old_path)


def _new(captured: Captured, change: Change) -> bytes | None:
    if change.after is not None and change.after.kind is EntryKind.LINK:
        target = captured.link_target(change.path)
        return None if target is None else os.fsencode(target)
    return captured.after(change.path)


def _file(path: str, entry: Entry | None, data: bytes | None) -> Iterator[bytes]:
    if entry is None or data is None or entry.kind is EntryKind.OTHER:
        return
    mode = b"120000" if entry.kind is EntryKind.LINK else b"100755" if entry.executable else b"100644"
    yield b"M %s inline %s\ndata %d\n%s\n" % (mode, _quote_path(path), len(data), data)


def _quote_path(path: str) -> bytes:
    """A path as a C string, so that any name fits on a line."""
    raw = os.fsencode(path)
    return (
        b'"'
        + b"".join(b"\\%03o" % byte if byte < 32 or byte > 126 or byte in b'"\\' else b"%c" % byte for byte in raw)
        + b'"'
    )
