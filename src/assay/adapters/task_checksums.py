"""The two checksums that harbor records of a task, so that its tools recognise what Assay ran.

``tree`` is task_checksum in a trial's result.json: one hash over the whole folder, by name and content, with links
followed. ``package`` is the digest in lock.json: one hash over the files that a published task consists of.
"""

import hashlib
import os
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase

from assay.adapters.checksums import file_checksum
from assay.engine.task import HarborChecksums

_SINGLE_FILES = ("task.toml", "instruction.md", "README.md")
_FOLDERS = ("environment", "tests", "solution", "steps")
# Harbor ignores these where a task has no .gitignore.
_IGNORED_FOLDER = "__pycache__"
_IGNORED_NAMES = ("*.pyc", ".DS_Store", "*.swp", "*.swo", "*~")


def harbor_checksums(root: str) -> HarborChecksums:
    """The checksums of a task's folder. Each file is read once."""
    hashes: dict[str, str] = {}

    def content(path: str) -> str:
        real = os.path.realpath(path)
        if real not in hashes:
            hashes[real] = file_checksum(real)
        return hashes[real]

    return HarborChecksums(_tree(root, content, frozenset()) or _sha256(""), _package(root, content))


def _tree(folder: str, content: Callable[[str], str], around: frozenset[str]) -> str | None:
    """The hash of a folder; None if there is no file in it, because empty folders don't count.

    A link to a folder around it is left out. Harbor refuses such a task.
    """
    real = os.path.realpath(folder)
    if real in around:
        return None
    entries: list[str] = []
    for entry in os.scandir(folder):
        if os.path.isdir(entry.path):
            inner = _tree(entry.path, content, around | {real})
            entries += [] if inner is None else [f"dirhash:{inner}\0name:{entry.name}"]
        elif os.path.isfile(entry.path):
            entries.append(f"data:{content(entry.path)}\0name:{entry.name}")
    return _sha256("\0\0".join(sorted(entries))) if entries else None


def _package(root: str, content: Callable[[str], str]) -> str:
    is_ignored = _ignoring(root)
    paths = sorted(path for path in _published(root) if not is_ignored(path))
    return _sha256("".join(f"{path}\0{content(f'{root}/{path}')}\n" for path in paths))


def _published(root: str) -> Iterator[str]:
    yield from (name for name in _SINGLE_FILES if os.path.exists(f"{root}/{name}"))
    for name in _FOLDERS:
        for folder, _, files in os.walk(f"{root}/{name}"):
            for file in files:
                if os.path.isfile(f"{folder}/{file}"):
                    yield os.path.relpath(f"{folder}/{file}", root)


def _ignoring(root: str) -> Callable[[str], bool]:
    if not os.path.exists(f"{root}/.gitignore"):
        return _ignored_by_default
    from pathspec import PathSpec  # noqa: PLC0415 - few tasks have a .gitignore

    with open(f"{root}/.gitignore", encoding="utf-8", errors="surrogateescape") as file:
        return PathSpec.from_lines("gitignore", file.read().splitlines()).match_file


def _ignored_by_default(path: str) -> bool:
    parts = path.split("/")
    return _IGNORED_FOLDER in parts[:-1] or any(
        fnmatchcase(part, pattern) for part in parts for pattern in _IGNORED_NAMES
    )


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()
