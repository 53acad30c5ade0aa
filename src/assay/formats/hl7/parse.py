"""Parse HL7 v2 text (ER7): one message or many, in batches and files or bare.

Tolerant: line ends of any kind, MLLP frames, byte order marks, unknown segments, missing trailers and character
sets that were declared wrongly are read, and what a reader should know about that is a note. What can't be read,
because it does not begin with a header or the header declares no usable delimiters, raises ``Hl7Error``.

A text's lines with their numbers, whatever ends them, without MLLP frames, byte order marks and blank lines.

The standard ends a segment with CR. Files often end it with LF or CRLF, so these count too; but where segments do
end with CR, a bare LF in front of something that is no segment is data: a sender's line break within a field.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from assay.evidence.bounds import MOST_SEGMENTS
from assay.formats.hl7.encoding import (
    DOUBLED,
    HEADERS,
    LATIN,
    STANDARD,
    Decoded,
    Encoding,
    Hl7Error,
    codec_of,
    decode,
    is_doubled,
    is_header,
    read_encoding,
)
from assay.formats.hl7.model import Batch, Message, Note, Segment, Transmission, split

# What switches between the character sets of ISO 2022.
_ESCAPE = b"\x1b"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_UTF8_MARK = b"\xef\xbb\xbf"
_MARKS = re.compile(rb"(?<![^\r\n\x0b\x1c])(?:\xef\xbb\xbf)+")
TRAILERS = ("BTS", "FTS")
_ENDS = re.compile(r"(\r\n|\r|\n)")
# The start and end of an MLLP frame, and the byte order mark of a file that was appended to another.
_FRAME, _MARK = "\x0b\x1c", "\ufeff"
_NAME = re.compile(r"[A-Z][A-Z0-9]{2}")


class Line(NamedTuple):
    """One line that is not blank, and its number from 1."""

    text: str
    number: int


@dataclass(frozen=True, slots=True)
class Block:
    """Segments, the first of which is a header or a trailer, and what was noticed about them."""

    segments: tuple[Segment, ...]
    notes: tuple[Note, ...]

    @property
    def name(self) -> str:
        return self.segments[0].name


def parse(data: bytes | str) -> Transmission:
    """Everything that the text holds."""
    assembly = Assembly()
    for block in _blocks(data):
        assembly.add(block)
    return assembly.finished()


def _blocks(data: bytes | str) -> list[Block]:
    """The text's blocks. Bytes are cut up as ISO 8859-1 first: each message says itself what its bytes mean."""
    if isinstance(data, str):
        return blocks_of(_lines(data), as_bytes=False)
    if data.startswith(_UTF16_MARKS):
        return blocks_of(_lines(data.decode("utf-16", "replace")), as_bytes=False)
    data = data.removeprefix(_UTF8_MARK)
    # Most texts have no second mark at the beginning of a line, and are spared the slow search.
    data = _MARKS.sub(b"", data) if _UTF8_MARK in data else data
    return blocks_of(_lines(data.decode(LATIN)), as_bytes=not data.isascii() or _ESCAPE in data)


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


class Assembly:
    """A transmission that is growing block by block."""

    def __init__(self) -> None:
        self._file_header: Segment | None = None
        self._file_trailer: Segment | None = None
        self._batches: list[Batch] = []
        self._batch_header: Segment | None = None
        self._messages: list[Message] = []
        self._notes: list[Note] = []

    def add(self, block: Block) -> None:
        """Take the next block of the text."""
        self._notes += block.notes
        first, name = block.segments[0], block.name
        if name == "MSH":
            self._messages.append(Message(block.segments))
            return
        for segment in block.segments[1:]:
            self._note(segment, f"this segment comes after {name}, outside any message, and is ignored")
        if name == "BTS":
            if self._batch_header is None:
                self._note(first, "BTS ends a batch that no BHS began")
            self._check_count(first, len(self._messages), "messages")
            self._close_batch(first)
            return
        self._close_batch(None)
        if name == "BHS":
            self._batch_header = first
        elif name == "FTS":
            if self._file_header is None:
                self._note(first, "FTS ends a file that no FHS began")
            self._check_count(first, len(self._batches), "batches")
            self._file_trailer = first
        elif self._file_header is None:
            self._file_header = first
        else:
            self._note(first, "a second FHS; what follows is kept with the first file")

    def finished(self) -> Transmission:
        """All of it; a batch that has no trailer ends with the text."""
        self._close_batch(None)
        notes = sorted(self._notes, key=lambda note: note.line)
        return Transmission(self._file_header, tuple(self._batches), self._file_trailer, tuple(notes))

    def _close_batch(self, trailer: Segment | None) -> None:
        if self._batch_header is not None and trailer is None:
            self._note(self._batch_header, "the batch that begins here has no BTS")
        if self._messages or self._batch_header or trailer:
            self._batches.append(Batch(self._batch_header, tuple(self._messages), trailer))
        self._batch_header, self._messages = None, []

    def _check_count(self, trailer: Segment, found: int, what: str) -> None:
        """A trailer's first field is how many there should be; senders may leave it empty."""
        declared = trailer.raw_fields[0].strip() if trailer.raw_fields else ""
        if declared and declared.lstrip("0") != str(found).lstrip("0"):
            self._note(trailer, f"{trailer.name}-1 does not agree with the number of {what}, which is {found}")

    def _note(self, segment: Segment, text: str) -> None:
        self._notes.append(Note(segment.line, text))


def blocks_of(lines: list[Line], *, as_bytes: bool) -> list[Block]:
    """The blocks of a text whose first line is a header.

    ``as_bytes`` says that each character stands for a byte that is still to be decoded.
    """
    found: list[Block] = []
    encoding = STANDARD
    doubled = False
    for group in _groups(lines):
        first = group[0]
        if first.text[:3] in HEADERS:
            encoding, doubled = read_encoding(first.text, first.number), is_doubled(first.text)
        block = _block(_single(group) if doubled else group, encoding, as_bytes=as_bytes)
        note = Note(first.number, "backslashes are doubled, as in MSH|^~\\\\&|; they are read as single ones")
        found.append(replace(block, notes=(note, *block.notes)) if doubled else block)
    return found


def _single(group: list[Line]) -> list[Line]:
    return [Line(line.text.replace(DOUBLED, DOUBLED[0]), line.number) for line in group]


def _groups(lines: Iterable[Line]) -> list[list[Line]]:
    groups: list[list[Line]] = []
    separator = STANDARD.field
    for line in lines:
        if is_header(line.text, separator):
            separator = line.text[3]
            groups.append([])
        elif line.text[:3] in TRAILERS and is_segment(line.text, separator):
            groups.append([])
        groups[-1].append(line)
    return groups


def _block(group: list[Line], encoding: Encoding, *, as_bytes: bool) -> Block:
    declared = _declared_charsets(group[0].text, encoding)
    if as_bytes:
        decoded = decode("\r".join(line.text for line in group).encode(LATIN), declared)
        group = [Line(text, line.number) for text, line in zip(decoded.text.split("\r"), group, strict=True)]
    else:
        decoded = Decoded("", codec_of(declared))
    encoding = replace(encoding, charset=decoded.charset)
    notes = [Note(group[0].number, decoded.remark)] if decoded.remark else []
    segments = segments_of(group, encoding)
    odd = "this line is no segment; it is kept as one, named by what stands in front of its first field"
    return Block(segments, (*notes, *(Note(one.line, odd) for one in segments if not is_name(one.name))))


def segments_of(lines: Iterable[Line], encoding: Encoding) -> tuple[Segment, ...]:
    """Each line as a segment."""
    separator = encoding.field
    numbered = enumerate(lines, start=1)
    return tuple(
        Segment(text.partition(separator)[0], text, encoding, position, number)
        for position, (text, number) in numbered
    )


def _declared_charsets(header: str, encoding: Encoding) -> list[str]:
    """The text of MSH-18."""
    parts = header.split(encoding.field, 18)
    if not header.startswith("MSH") or len(parts) < 18:
        return []
    return split(parts[17], encoding.repetition)


def split_lines(text: str) -> list[Line]:
    """The lines that hold something, each of them one segment."""
    text = text.replace("\x1c\x0b", "\r")
    if "\r" not in text:
        return _kept_lines(text.split("\n"))
    if "\n" not in text:
        return _kept_lines(text.split("\r"))
    pieces = _ENDS.split(text)
    ends = pieces[1::2]
    lines = _kept_lines(pieces[::2])
    return _with_line_breaks(lines, ends) if "\r" in ends and "\n" in ends else lines


def is_segment(text: str, separator: str) -> bool:
    """Whether a segment's name stands in front of the first separator."""
    return is_name(text[:4].partition(separator)[0])


def is_name(text: str) -> bool:
    """Whether this can be a segment's name."""
    return len(text) == 3 and _NAME.match(text) is not None


def _kept_lines(pieces: list[str]) -> list[Line]:
    return [Line(text, number) for number, piece in enumerate(pieces, start=1) if (text := _strip_piece(piece))]


def _strip_piece(piece: str) -> str:
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
