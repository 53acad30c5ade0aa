"""Source code as text."""

from itertools import accumulate
from typing import NamedTuple

_LARGEST = 2_000_000


def source_text(data: bytes | None) -> str | None:
    """The text of a file, with line feeds; None for no file, a binary file and one too large to be code."""
    if data is None or len(data) > _LARGEST or b"\0" in data[:4096]:
        return None
    text = data.decode("utf-8-sig", "replace")
    return text.replace("\r\n", "\n") if "\r" in text else text


_CONTEXT = 3


class AddedLines(NamedTuple):
    """Lines put together, and for each its number in the later text."""

    text: str
    numbers: tuple[int, ...]


def added_lines(before: str, after: str, context: int = _CONTEXT) -> AddedLines:
    """The added lines, with some around them. A line that moved or was repeated was there already."""
    lines = after.split("\n")
    known = set(before.split("\n"))
    fresh = [0] * (len(lines) + 1)
    for index, line in enumerate(lines):
        if line not in known:
            fresh[max(0, index - context)] += 1
            fresh[min(len(lines), index + context + 1)] -= 1
    chosen = [index for index, depth in enumerate(accumulate(fresh[:-1])) if depth > 0]
    return AddedLines("\n".join(lines[index] for index in chosen), tuple(index + 1 for index in chosen))
