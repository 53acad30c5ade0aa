"""A unified diff page by page, with the numbers of its lines. A diff of any size is looked through in pieces."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from assay.evidence.files import ByteSource

LINES: Final = 500
CHARACTERS: Final = 100_000
LINE: Final = 2000
"""How many characters of a line are shown."""
PIECE: Final = 1 << 20
MOST_FILES: Final = 20_000
_BEGINS: Final = b"diff --git "
_HUNK: Final = re.compile(r"@@ -(\d{1,9})(?:,\d+)? \+(\d{1,9})(?:,\d+)? @@")
Kind: TypeAlias = Literal["file", "place", "added", "removed", "same"]


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line. ``old`` and ``new`` are its numbers before and after; None where it has none."""

    kind: Kind
    text: str
    path: str
    old: int | None = None
    new: int | None = None


@dataclass(frozen=True, slots=True)
class DiffRange:
    """Where the diff of one file is."""

    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class DiffPage:
    """Some lines, and the place of more: the number of the file and of the line in it."""

    files: tuple[DiffRange, ...]
    lines: tuple[DiffLine, ...]
    next: tuple[int, int] | None


def diff_page(source: ByteSource, file: int = 0, line: int = 0) -> DiffPage:
    """The lines from one line of one file on, as many as fit on a page."""
    files = tuple(files_of(source))
    shown: list[DiffLine] = []
    size = 0
    for number in range(file, len(files)):
        skipped = line if number == file else 0
        for count, found in enumerate(_lines(source, files[number])):
            if count < skipped:
                continue
            if len(shown) >= LINES or size >= CHARACTERS:
                return DiffPage(files, tuple(shown), (number, count))
            shown.append(found)
            size += len(found.text)
    return DiffPage(files, tuple(shown), None)


def files_of(source: ByteSource) -> Iterator[DiffRange]:
    """Where each file begins and ends. What comes before the first one belongs to it."""
    starts = [*_starts(source), source.size]
    for count, (start, end) in enumerate(pairwise(starts)):
        if count == MOST_FILES:
            return
        head = source.read(start, 8192).partition(b"\n")[0].decode(errors="replace")
        yield DiffRange(_path(head), start, end)


def _starts(source: ByteSource) -> Iterator[int]:
    """The places of lines that begin a file."""
    at, before = 0, b"\n"
    found = False
    while at < source.size:
        data = source.read(at, PIECE)
        if not data:
            break
        whole = before + data
        place = whole.find(b"\n" + _BEGINS)
        while place >= 0:
            found = True
            yield at - len(before) + place + 1
            place = whole.find(b"\n" + _BEGINS, place + 1)
        at += len(data)
        before = whole[-len(_BEGINS) :]
    if not found and source.size:
        yield 0


def _path(head: str) -> str:
    if not head.startswith("diff --git "):
        return ""
    return head.rpartition(" b/")[2] or head.removeprefix("diff --git ")


def _lines(source: ByteSource, file: DiffRange) -> Iterator[DiffLine]:
    old = new = 0
    inside = False
    for raw in _split(source, file):
        line = raw.decode(errors="replace")
        text = line if len(line) <= LINE else f"{line[:LINE]}… [{len(line) - LINE} characters more]"
        hunk = _HUNK.match(line)
        if hunk is not None:
            old, new, inside = int(hunk[1]), int(hunk[2]), True
            yield DiffLine("place", text, file.path)
        elif not inside:
            yield DiffLine("file" if line.startswith("diff --git ") else "place", text, file.path)
        elif line.startswith("+"):
            yield DiffLine("added", text[1:], file.path, None, new)
            new += 1
        elif line.startswith("-"):
            yield DiffLine("removed", text[1:], file.path, old)
            old += 1
        elif line.startswith("\\"):
            yield DiffLine("place", text, file.path)
        else:
            yield DiffLine("same", text[1:], file.path, old, new)
            old, new = old + 1, new + 1


def _split(source: ByteSource, file: DiffRange) -> Iterator[bytes]:
    at, rest = file.start, b""
    while at < file.end:
        data = source.read(at, min(PIECE, file.end - at))
        if not data:
            break
        at += len(data)
        lines = (rest + data).split(b"\n")
        rest = lines.pop()
        yield from lines
        if len(rest) > PIECE:
            rest = rest[: 4 * LINE]  # One line without an end: its beginning is enough.
    if rest:
        yield rest
