"""Plain text: ``content`` is all of it, ``line.3`` its third line and ``line.*`` every line.

A file of any size is read in one passage: its length, checksums, texts that occur, and its content up to a cap.
"""

import codecs
import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from assay.core.errors import AssayError
from assay.formats.field_rules.values import Plain

_PATH: Final = re.compile(r"content|line\.(\*|[1-9][0-9]{0,8})")
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
Finder: TypeAlias = Callable[[str], Sequence[Plain]]
MAX_VALUES = 4_000_000


class FileFormatError(AssayError):
    """The file is not what its format says. The message says why, and quotes no value."""


def decoded(data: bytes) -> str:
    """Bytes as text: UTF-16 where a mark says so, else UTF-8, else Latin-1, in which every byte is a character."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def check_path(path: str) -> None:
    """Refuse an invalid path. Raises ``ValueError``."""
    if not _PATH.fullmatch(path):
        raise ValueError(f"a path into a text must be content, line.N with N from 1, or line.*, got {path!r}")


def open_content(data: bytes) -> Finder:
    """How to find values in it."""
    text = decoded(data)
    lines = _LINE_END.split(text.removesuffix("\n").removesuffix("\r")) if text else []

    def find(path: str) -> list[str]:
        if path == "content":
            return [text]
        number = path.removeprefix("line.")
        if number == "*":
            return lines
        return [lines[int(number) - 1]] if int(number) <= len(lines) else []

    return find


@dataclass(frozen=True, slots=True)
class Wanted:
    """The aims of a passage. ``keep`` is how much content may be kept; a longer one is not kept at all."""

    algorithms: Sequence[str] = ()
    texts: Sequence[str] = ()
    keep: int = 0


@dataclass(frozen=True, slots=True)
class Passage:
    """The result. ``content`` is None where it was longer than what may be kept."""

    size: int
    checksums: dict[str, str]
    present: dict[str, bool]
    content: bytes | None


def pass_through(chunks: Iterable[bytes], wanted: Wanted) -> Passage:
    """Read all chunks once."""
    hashes = {name: hashlib.new(name, usedforsecurity=False) for name in wanted.algorithms}
    searches = [_PassageSearch(text) for text in wanted.texts]
    kept, size = bytearray(), 0
    for chunk in chunks:
        size += len(chunk)
        for one in hashes.values():
            one.update(chunk)
        for search in searches:
            search.feed(chunk)
        if size <= wanted.keep:
            kept += chunk
        else:
            kept.clear()
    return Passage(
        size,
        {name: one.hexdigest() for name, one in hashes.items()},
        {search.text: search.found for search in searches},
        bytes(kept) if size <= wanted.keep else None,
    )


class _PassageSearch:
    """Looks for a text over the ends of chunks, in UTF-8 or whichever UTF-16 the first bytes declare."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found = False
        self._needles: tuple[bytes, ...] = ()
        self._rest = b""
        self._begun = False

    def feed(self, chunk: bytes) -> None:
        if self.found:
            return
        window = self._rest + chunk
        if not self._begun:
            if len(window) < 2:
                self._rest = window
                self._needles = _needles(self.text, window)
                self.found = any(one in window for one in self._needles)
                return
            self._begun, self._needles = True, _needles(self.text, window)
        self.found = any(one in window for one in self._needles)
        overlap = max(map(len, self._needles)) - 1
        self._rest = window[-overlap:] if overlap else b""


def _needles(text: str, beginning: bytes) -> tuple[bytes, ...]:
    if beginning.startswith(codecs.BOM_UTF16_LE):
        return (text.encode("utf-16-le", "surrogatepass"),)
    if beginning.startswith(codecs.BOM_UTF16_BE):
        return (text.encode("utf-16-be", "surrogatepass"),)
    utf8 = text.encode("utf-8", "surrogatepass")
    latin = text.encode("latin-1", "ignore")
    return (utf8, latin) if latin.decode("latin-1") == text and latin != utf8 else (utf8,)
