"""Parse HL7 v2 text (ER7): one message or many, in batches and files or bare.

Tolerant: line ends of any kind, MLLP frames, byte order marks, unknown segments, missing trailers and character
sets that were declared wrongly are read, and what a reader should know about that is a note. What can't be read,
because it does not begin with a header or the header declares no usable delimiters, raises ``Hl7Error``.
"""

import re

from assay.evidence.bounds import MOST_SEGMENTS
from assay.formats.hl7.assembly import Assembly
from assay.formats.hl7.block import Block, blocks_of
from assay.formats.hl7.charset import LATIN
from assay.formats.hl7.encoding import STANDARD, is_header
from assay.formats.hl7.errors import Hl7Error
from assay.formats.hl7.lines import Line, split_lines
from assay.formats.hl7.model import Message
from assay.formats.hl7.transmission import Transmission

# What switches between the character sets of ISO 2022.
_ESCAPE = b"\x1b"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_UTF8_MARK = b"\xef\xbb\xbf"
_MARKS = re.compile(rb"(?<![^\r\n\x0b\x1c])(?:\xef\xbb\xbf)+")


def parse(data: bytes | str) -> Transmission:
    """Everything that the text holds."""
    assembly = Assembly()
    for block in _blocks(data):
        assembly.add(block)
    return assembly.finished()


def parse_message(data: bytes | str) -> Message:
    """The one message that the text holds."""
    messages = parse(data).messages
    if len(messages) != 1:
        line = messages[1].header.line if messages else 1
        raise Hl7Error(f"expected one message, got {len(messages)}", line)
    return messages[0]


def _blocks(data: bytes | str) -> list[Block]:
    """The text's blocks. Bytes are cut up as ISO 8859-1 first: each message says itself what its bytes mean."""
    if isinstance(data, str):
        return blocks_of(_lines(data), as_bytes=False)
    if data.startswith(_UTF16_MARKS):
        return blocks_of(_lines(data.decode("utf-16", "replace")), as_bytes=False)
    data = _without_marks(data)
    return blocks_of(_lines(data.decode(LATIN)), as_bytes=not data.isascii() or _ESCAPE in data)


def _without_marks(data: bytes) -> bytes:
    """The bytes without the byte order marks of UTF-8 at the beginnings of lines."""
    data = data.removeprefix(_UTF8_MARK)
    # Most texts have no second one, and are spared the slow search.
    return _MARKS.sub(b"", data) if _UTF8_MARK in data else data


def _lines(text: str) -> list[Line]:
    """The text's lines, the first of which is a header."""
    if max(text.count("\r"), text.count("\n")) > MOST_SEGMENTS:
        raise Hl7Error(f"the text has more than {MOST_SEGMENTS} segments", 1)
    lines = split_lines(text)
    if not lines:
        raise Hl7Error("the text is empty; a message begins with MSH", 1)
    first = lines[0]
    if is_header(first.text, STANDARD.field):
        return lines
    if first.text.startswith("MSH"):
        raise Hl7Error("MSH must be followed by the field separator, as in MSH|^~\\&|", first.number)
    raise Hl7Error("the text must begin with MSH (or BHS or FHS, for a batch or a file)", first.number)
