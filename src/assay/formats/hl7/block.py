"""A header or trailer with the lines up to the next one, before it is made into segments."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from assay.formats.hl7.charset import LATIN, Decoded, codec_of, decode
from assay.formats.hl7.encoding import DOUBLED, HEADERS, STANDARD, Encoding, is_doubled, is_header, read_encoding
from assay.formats.hl7.lines import Line, is_name, is_segment
from assay.formats.hl7.model import Segment
from assay.formats.hl7.transmission import Note
from assay.formats.hl7.value import split

TRAILERS = ("BTS", "FTS")


@dataclass(frozen=True, slots=True)
class Block:
    """Segments, the first of which is a header or a trailer, and what was noticed about them."""

    segments: tuple[Segment, ...]
    notes: tuple[Note, ...]

    @property
    def name(self) -> str:
        return self.segments[0].name


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
    declared = _declared(group[0].text, encoding)
    if as_bytes:
        decoded = decode("\r".join(line.text for line in group).encode(LATIN), declared)
        group = [Line(text, line.number) for text, line in zip(decoded.text.split("\r"), group, strict=True)]
    else:
        decoded = Decoded("", codec_of(declared))
    encoding = replace(encoding, charset=decoded.charset)
    notes = [Note(group[0].number, decoded.remark)] if decoded.remark else []
    segments = segments_of(group, encoding)
    return Block(segments, (*notes, *_odd_lines(segments)))


def segments_of(lines: Iterable[Line], encoding: Encoding) -> tuple[Segment, ...]:
    """Each line as a segment."""
    separator = encoding.field
    numbered = enumerate(lines, start=1)
    return tuple(
        Segment(text.partition(separator)[0], text, encoding, position, number)
        for position, (text, number) in numbered
    )


def _odd_lines(segments: Iterable[Segment]) -> list[Note]:
    text = "this line is no segment; it is kept as one, named by what stands in front of its first field"
    return [Note(segment.line, text) for segment in segments if not is_name(segment.name)]


def _declared(header: str, encoding: Encoding) -> list[str]:
    """What MSH-18 says."""
    parts = header.split(encoding.field, 18)
    if not header.startswith("MSH") or len(parts) < 18:
        return []
    return split(parts[17], encoding.repetition)
