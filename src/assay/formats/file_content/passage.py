"""One passage through a file of any size: its length, checksums, texts that occur, and its content up to a cap.

Nothing but the capped content is kept.
"""

import codecs
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a passage looks for. ``keep`` is how much content may be kept; a longer one is not kept at all."""

    algorithms: Sequence[str] = ()
    texts: Sequence[str] = ()
    keep: int = 0


@dataclass(frozen=True, slots=True)
class Passage:
    """What it saw. ``content`` is None where it was longer than what may be kept."""

    size: int
    checksums: dict[str, str]
    present: dict[str, bool]
    content: bytes | None


def pass_through(chunks: Iterable[bytes], wanted: Wanted) -> Passage:
    """Read all chunks once."""
    hashes = {name: hashlib.new(name, usedforsecurity=False) for name in wanted.algorithms}
    searches = [_Search(text) for text in wanted.texts]
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


class _Search:
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
