"""Split text into interchanges and these into segments.

An interchange declares its own separators, so a file is read one interchange after the other. Cost grows with the
length of the text, whatever is in it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.evidence.bounds import MOST_SEGMENTS
from assay.formats.x12.binary import Binary, Measured, binary_at, binary_parts, is_binary, split_around
from assay.formats.x12.envelope import assemble
from assay.formats.x12.errors import NotX12Error
from assay.formats.x12.findings import Findings, Kind
from assay.formats.x12.header import Header, is_fixed, read_header
from assay.formats.x12.model import Document, Interchange, Segment

# Control characters such as 1D are separators too, and ``\s`` would take them for white space.
_ISA = re.compile(r"ISA(?=[^A-Za-z0-9 \t\r\n])")
# A header that is not padded: its separator, the first element, and the separator again or the end of the text.
_UNPADDED = re.compile(r"(?<![A-Za-z0-9])ISA([^A-Za-z0-9 \t\r\n])[A-Za-z0-9 ]{0,2}(?:\1|[ \t\r\n]*\Z)")
_LANDMARK = re.compile(r"ISA(?=[^A-Za-z0-9 \t\r\n])|BIN(?=[^A-Za-z0-9 \t\r\n])|BDS(?=[^A-Za-z0-9 \t\r\n])")
_MEANS_NOTHING = "\ufeff \t\r\n"


def tokenize(data: bytes | str) -> Document:
    """The interchanges of a file, with everything that is wrong with their envelopes.

    Raises NotX12Error for text without an ISA header, or with more segments than are read, and nothing else.
    """
    findings = Findings()
    text, encoding = _decoded(data, findings)
    start = _first_header(text)
    if text[:start].strip(_MEANS_NOTHING):
        findings.add(Kind.JUNK, f"there are {start} characters before the first ISA", None)
    interchanges = tuple(_interchanges(text, start, encoding, findings))
    return Document(text[:start], interchanges, findings.all(), encoding)


def _decoded(data: bytes | str, findings: Findings) -> tuple[str, str]:
    if isinstance(data, str):
        return data, "utf-8"
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        # Every byte is a character of Latin-1, which old systems send.
        findings.add(Kind.ENCODING, "the bytes are not UTF-8; they are read as Latin-1", None)
        return data.decode("latin-1"), "latin-1"


def _first_header(text: str) -> int:
    """Where the first header stands: at the beginning, or with everything in its place, or else a likely one."""
    beginning = len(text) - len(text.lstrip(_MEANS_NOTHING))
    if _UNPADDED.match(text, beginning):
        return beginning
    for found in _ISA.finditer(text):
        if is_fixed(text, found.start()):
            return found.start()
    meant = _UNPADDED.search(text)
    if meant is None:
        raise NotX12Error("the text is not X12: it has no ISA header")
    return meant.start()


def _interchanges(text: str, start: int, encoding: str, findings: Findings) -> Iterator[Interchange]:
    number, left, measured = 1, MOST_SEGMENTS, Measured(text, encoding)
    while start < len(text):
        header = read_header(text, start)
        end, data = _extent(measured, header)
        body, terminator = text[header.end : end], header.separators.terminator
        left -= 1 + body.count(terminator) - sum(body.count(terminator, *one) for one in data)
        if left < 0:
            raise NotX12Error(f"the text has more than {MOST_SEGMENTS} segments")
        chunks = split_around(body, terminator, data)
        yield _interchange(chunks, header, number, encoding, findings)
        start, number = end, number + 1


def _extent(measured: Measured, header: Header) -> tuple[int, list[Binary]]:
    """Where the next interchange begins, at an ISA that begins a segment, and the binary data up to there.

    An ISA with other separators must have them all in their places, so that no element is taken for a header.
    """
    data: list[Binary] = []
    text, mark, at = measured.text, header.separators.element, header.end
    while found := _LANDMARK.search(text, at):
        at = found.end()
        if not _begins_segment(text, found.start(), header):
            continue
        if found[0] == "ISA" and (text[at] == mark or is_fixed(text, found.start())):
            return found.start(), data
        binary = binary_at(measured, found.start(), header.separators)
        if binary is not None:
            data.append(Binary(binary.start - header.end, binary.end - header.end))
            at = binary.end
    return len(text), data


def _begins_segment(text: str, at: int, header: Header) -> bool:
    while at > header.end and text[at - 1] in " \t":
        at -= 1
    return at == header.end or text[at - 1] in (header.separators.terminator, "\r", "\n")


def _interchange(parts: list[str], header: Header, number: int, encoding: str, findings: Findings) -> Interchange:
    for kind, problem in header.problems:
        findings.add(kind, problem, number, segment=1)
    *chunks, last = parts
    unfinished = last.rstrip(_MEANS_NOTHING)
    terminated = header.terminated and not unfinished
    if not terminated:
        findings.add(Kind.UNTERMINATED, "the last segment has no terminator", number)
    segments = [Segment("ISA", header.elements, 1)]
    reading = _Reading(header, number, encoding, findings)
    before = reading.segments([*chunks, unfinished] if unfinished else chunks, segments)
    rest = before + last[len(unfinished) :]
    return assemble(number, header.separators, segments, rest, terminated, findings)


@dataclass(frozen=True, slots=True)
class _Reading:
    """How the text of one interchange becomes segments."""

    header: Header
    interchange: int
    encoding: str
    findings: Findings

    def segments(self, chunks: list[str], segments: list[Segment]) -> str:
        """Adds the segments, and returns the empty lines behind the last."""
        terminator, mark = self.header.separators.terminator, self.header.separators.element
        before: list[str] = []
        for chunk in chunks:
            if not before and chunk[:1].isalnum() and "\n" not in chunk and "\r" not in chunk and chunk[0] != "B":
                # Nearly all segments are so plain that nothing about them has to be found out.
                name, *elements = chunk.split(mark)
                segments.append(Segment(name, tuple(elements), len(segments) + 1))
                continue
            text = chunk.lstrip(_MEANS_NOTHING)
            before.append(chunk[: len(chunk) - len(text)])
            if not text and terminator in "\r\n":
                # An empty line is no segment.
                before.append(terminator)
                continue
            number = len(segments) + 1
            name, *elements = self._parts(text, number)
            segments.append(Segment(name, tuple(elements), number, "".join(before)))
            before.clear()
        return "".join(before)

    def _parts(self, text: str, number: int) -> list[str]:
        mark = self.header.separators.element
        if is_binary(text, mark):
            parts = binary_parts(text, mark, self.encoding)
            if parts is not None:
                return parts
            message = f"the length in {text[:3]} is not that of its data"
            self.findings.add(Kind.COUNT, message, self.interchange, segment=number)
        return self._on_one_line(text, number).split(mark)

    def _on_one_line(self, text: str, number: int) -> str:
        """Some writers break the text every 80 characters, whatever stands there."""
        if "\n" not in text and "\r" not in text:
            return text
        message = "there are line breaks inside a segment; they are left out"
        self.findings.add(Kind.LINE_BREAK, message, self.interchange, segment=number)
        return text.replace("\r", "").replace("\n", "")
