"""The cumulative diff of a capture, made by git in a repository of Assay's own.

Only what changed goes into it, as two commits. There is no work tree, so nothing that an agent wrote steers git:
no attributes, no filters, no hooks, no configuration.
"""

import os
import subprocess
from collections.abc import Iterator

from assay.adapters.scratch import scratch_folder
from assay.adapters.trees import remove_tree
from assay.adapters.workspace.capture import Captured
from assay.core.errors import MeasurementError
from assay.evidence.workspace import Change, Entry, EntryKind

MAX_DIFF = 16 * 2**20
GIT_ENV = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
}
_AUTHOR = b"committer Assay <assay@localhost> 0 +0000\n"
_SETTINGS = ("-c", "core.protectHFS=false", "-c", "core.protectNTFS=false", "-c", "core.quotePath=true")


def cumulative_diff(captured: Captured) -> tuple[str, bool]:
    """The diff against the baseline, renames found, and whether it was cut."""
    folder = scratch_folder(0o700)
    try:
        git(["init", "-q", "--bare", "--template=", folder])
        git(["-C", folder, *_SETTINGS, "fast-import", "--quiet", "--force"], b"".join(_stream(captured)))
        options = ["--no-ext-diff", "--no-textconv", "--no-color", "-r", "-p", "-M"]
        text = git(["-C", folder, *_SETTINGS, "diff-tree", *options, "refs/heads/before", "refs/heads/after"])
    finally:
        remove_tree(folder)
    return text[:MAX_DIFF].decode(errors="replace"), len(text) > MAX_DIFF


def git(arguments: list[str], stdin: bytes = b"") -> bytes:
    """Run git with nobody's configuration. Raises ``MeasurementError``."""
    try:
        ran = subprocess.run(
            ["git", *arguments],  # noqa: S607 - looked for on a PATH of our own
            input=stdin,
            env=GIT_ENV,
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise MeasurementError(f"git can't be started: {error.strerror}") from error
    if ran.returncode:
        lines = ran.stderr.decode(errors="replace").strip().splitlines()
        raise MeasurementError(f"git {arguments[0]} failed: {lines[-1] if lines else ran.returncode}")
    return ran.stdout


def _stream(captured: Captured) -> Iterator[bytes]:
    """Both states as ``git fast-import`` reads them. Files that are too large are left out of both."""
    yield b"commit refs/heads/before\n" + _AUTHOR + b"data 0\n"
    for change in captured.changes:
        yield from _file(change.old_path, change.before, _old(captured, change))
    yield b"\ncommit refs/heads/after\n" + _AUTHOR + b"data 0\n"
    for change in captured.changes:
        yield from _file(change.path, change.after, _new(captured, change))
    yield b"\n"


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
    yield b"M %s inline %s\ndata %d\n%s\n" % (mode, _quoted(path), len(data), data)


def _quoted(path: str) -> bytes:
    """A path as C writes texts, so that any name can stand in a line."""
    raw = os.fsencode(path)
    return (
        b'"'
        + b"".join(b"\\%03o" % byte if byte < 32 or byte > 126 or byte in b'"\\' else b"%c" % byte for byte in raw)
        + b'"'
    )
