"""Binary segments: BIN and BDS say how many bytes of data follow, in which any character may stand.

``BIN*length*data`` and ``BDS*filter*length*data`` end with the terminator behind that many bytes. Where there is
none, the segment is read like any other, and a finding says so.
"""

import re
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Final, NamedTuple

from assay.formats.x12.model import Separators

DATA_AT: Final = {"BIN": 2, "BDS": 3}
"""The position of the data among the elements."""


class Binary(NamedTuple):
    """The data of a binary segment, by its place in the text."""

    start: int
    end: int


class Measured:
    """A text of which it is known where so many bytes end. That is worked out once, when it is first needed."""

    def __init__(self, text: str, encoding: str) -> None:
        self.text = text
        self._encoding = encoding

    def behind(self, start: int, length: int) -> int | None:
        """Where so many bytes from a place on end; None if there are fewer, or a character is cut in two."""
        if self._offsets is None:
            return start + length if start + length <= len(self.text) else None
        wanted = self._offsets[start] + length
        end = bisect_left(self._offsets, wanted)
        return end if end < len(self._offsets) and self._offsets[end] == wanted else None

    @cached_property
    def _offsets(self) -> "array[int] | None":
        """The number of bytes before each character; None if each has one."""
        if self._encoding == "latin-1" or self.text.isascii():
            return None
        sizes = (len(character.encode(self._encoding, "surrogatepass")) for character in self.text)
        return array("Q", accumulate(sizes, initial=0))


def binary_at(measured: Measured, at: int, separators: Separators) -> Binary | None:
    """The data of the binary segment that begins here; None for any other, and for one whose length is wrong."""
    text = measured.text
    head = _head(separators.element, separators.terminator).match(text, at)
    if head is None:
        return None
    end = measured.behind(head.end(), int(head[1] or head[2]))
    fits = end is not None and text.startswith(separators.terminator, end)
    return Binary(head.end(), end) if end is not None and fits else None


def split_around(body: str, terminator: str, data: Sequence[Binary]) -> list[str]:
    """The text between terminators, of which those in the data are none."""
    chunks: list[str] = []
    kept = here = 0
    for one in data:
        *whole, last = body[here : one.start].split(terminator)
        if whole:
            chunks += [body[kept:here] + whole[0], *whole[1:]]
            kept = one.start - len(last)
        here = one.end
    first, *rest = body[here:].split(terminator)
    return [*chunks, body[kept:here] + first, *rest]


def binary_parts(text: str, mark: str, encoding: str) -> list[str] | None:
    """The name and the elements of a binary segment, with its data whole; None if its length is wrong."""
    parts = text.split(mark, DATA_AT[text[:3]])
    length, data = parts[-2], parts[-1]
    right = length.isdecimal() and len(length) < 10 and len(data.encode(encoding, "surrogatepass")) == int(length)
    return parts if right and len(parts) > DATA_AT[text[:3]] else None


def is_binary(text: str, mark: str) -> bool:
    """Whether a segment is one that has data in it."""
    return text[:3] in DATA_AT and text[3:4] == mark


@lru_cache(maxsize=64)
def _head(element: str, terminator: str) -> re.Pattern[str]:
    mark, other = re.escape(element), rf"[^{re.escape(element)}{re.escape(terminator)}]{{0,20}}"
    return re.compile(rf"BIN{mark}([0-9]{{1,9}}){mark}|BDS{mark}{other}{mark}([0-9]{{1,9}}){mark}")
