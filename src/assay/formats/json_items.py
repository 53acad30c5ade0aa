"""Read a large JSON file a part at a time, if a program wrote each item of its lists on a line of its own.

It writes each item after the same white space. A newline can't be in a JSON string, so the text between two such
places is an item, or is none at all: then the reader of items fails, and the file has to be read as a whole. Lines
with a text and a comma, one behind the other, are items of a list, and without all but the first the file is JSON
as much as before.
"""

import re
from collections.abc import Callable
from typing import Final

from assay.evidence.files import ByteSource

_CHUNK: Final = 1 << 20
_MOST_BEFORE: Final = 1 << 20
_TEXT: Final = rb'\n[ \t]*+"[^"\\\x00-\x1f]*+",'
_TEXTS: Final = re.compile(rb"(%s)((?:%s)++)" % (_TEXT, _TEXT))


def read_items(source: ByteSource, field: str, take: Callable[[bytes], object]) -> bytes | None:
    """Give each object of the list in a field of the file to ``take``. Returns the file with an empty list.

    None if the file isn't written like that; some items may have been taken. ``take`` may raise ``ValueError``.
    """
    text = source.read(0, _MOST_BEFORE)
    name = re.escape(field).encode()
    begin = re.search(rb'"%s"\s*:\s*\[(\n[ \t]*)\{' % name, text)
    if begin is None:
        return None
    space = begin[1]
    between, after = b"%s},%s{" % (space, space), b"%s}\n" % space
    rest = text[: begin.end() - len(space) - 1]
    place, text = len(text), text[begin.end() :]
    while True:
        *items, text = text.split(between)
        for item in items:
            take(b"{%s}" % item)
        chunk = source.read(place, _CHUNK)
        if not chunk:
            break
        place += len(chunk)
        text += chunk
    item, found, tail = text.rpartition(after)
    if not found:
        return None
    take(b"{%s}" % item)
    return rest + tail if (rest + tail).count(b'"%s"' % field.encode()) == 1 else None


def read_outline(source: ByteSource) -> bytes:
    """The file without most items of its lists of texts."""
    found: list[bytes] = []
    line: list[bytes] = []
    place = 0
    while chunk := source.read(place, _CHUNK):
        place += len(chunk)
        lines, newline, rest = chunk.rpartition(b"\n")
        if newline:
            found.append(_TEXTS.sub(_first_text, b"".join([*line, lines])))
            line = [newline]
        line.append(rest)
    return b"".join([*found, *line])


def _first_text(texts: re.Match[bytes]) -> bytes:
    try:
        texts[2].decode()
    except UnicodeDecodeError:
        return texts[0]
    return texts[1]
