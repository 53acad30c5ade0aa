"""A text's lines with their numbers, whatever ends them, without MLLP frames, byte order marks and blank lines.

The standard ends a segment with CR. Files often end it with LF or CRLF, so these count too; but where segments do
end with CR, a bare LF in front of something that is no segment is data: a sender's line break within a field.
"""

import re
from typing import NamedTuple

from assay.formats.hl7.encoding import STANDARD, is_header

_ENDS = re.compile(r"(\r\n|\r|\n)")
# The start and end of an MLLP frame, and the byte order mark of a file that was appended to another.
_FRAME, _MARK = "\x0b\x1c", "\ufeff"
_NAME = re.compile(r"[A-Z][A-Z0-9]{2}")


class Line(NamedTuple):
    """One line that is not blank, and its number from 1."""

    text: str
    number: int


def split_lines(text: str) -> list[Line]:
    """The lines that hold something, each of them one segment."""
    text = text.replace("\x1c\x0b", "\r")
    if "\r" not in text:
        return _kept(text.split("\n"))
    if "\n" not in text:
        return _kept(text.split("\r"))
    pieces = _ENDS.split(text)
    ends = pieces[1::2]
    lines = _kept(pieces[::2])
    return _with_line_breaks(lines, ends) if "\r" in ends and "\n" in ends else lines


def is_segment(text: str, separator: str) -> bool:
    """Whether a segment's name stands in front of the first separator."""
    return is_name(text[:4].partition(separator)[0])


def is_name(text: str) -> bool:
    """Whether this can be a segment's name."""
    return len(text) == 3 and _NAME.match(text) is not None


def _kept(pieces: list[str]) -> list[Line]:
    return [Line(text, number) for number, piece in enumerate(pieces, start=1) if (text := _stripped(piece))]


def _stripped(piece: str) -> str:
    """The line without what is around it; white space is data unless it is all there is or indents a segment."""
    if piece[:1].isalpha() and piece[-1] not in _FRAME:
        return piece
    text = piece.rstrip(_FRAME).lstrip(_FRAME + _MARK)
    bare = text.lstrip(" \t")
    return bare if not bare or _NAME.match(bare) else text


def _with_line_breaks(lines: list[Line], ends: list[str]) -> list[Line]:
    """Give lines that belong to the field before them back to it. ``ends[n - 1]`` is what ends line n."""
    groups: list[list[Line]] = []
    separator = STANDARD.field
    for line in lines:
        if is_header(line.text, separator):
            separator = line.text[3]
        follows_break = line.number > 1 and ends[line.number - 2] == "\n"
        if groups and follows_break and not is_segment(line.text, separator):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [Line("\n".join(line.text for line in group), group[0].number) for group in groups]
