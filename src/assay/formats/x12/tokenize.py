"""Split text into interchanges and these into segments.

An interchange declares its own separators, so a file is read one interchange after the other. Cost grows with the
length of the text, whatever is in it.
"""

import re
from collections.abc import Iterator

from assay.evidence.bounds import MOST_SEGMENTS
from assay.formats.x12.envelope import assemble
from assay.formats.x12.errors import NotX12Error
from assay.formats.x12.findings import Findings, Kind
from assay.formats.x12.header import Header, is_fixed, read_header
from assay.formats.x12.model import Document, Interchange, Segment

# Control characters such as 1D are separators too, and ``\s`` would take them for white space.
_ISA = re.compile(r"ISA(?=[^A-Za-z0-9 \t\r\n])")
# A header that is not padded: its separator, the first element, and the separator again or the end of the text.
_UNPADDED = re.compile(r"(?<![A-Za-z0-9])ISA([^A-Za-z0-9 \t\r\n])[A-Za-z0-9 ]{0,2}(?:\1|[ \t\r\n]*\Z)")
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
    interchanges = tuple(_interchanges(text, start, findings))
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


def _interchanges(text: str, start: int, findings: Findings) -> Iterator[Interchange]:
    number, left = 1, MOST_SEGMENTS
    while start < len(text):
        header = read_header(text, start)
        end = _next_header(text, header)
        left -= 1 + text.count(header.separators.terminator, header.end, end)
        if left < 0:
            raise NotX12Error(f"the text has more than {MOST_SEGMENTS} segments")
        yield _interchange(text[header.end : end], header, number, findings)
        start, number = end, number + 1


def _next_header(text: str, header: Header) -> int:
    """Where the next interchange begins: at an ISA that is the beginning of a segment.

    One with other separators must have them all in their places, so that no element is taken for a header.
    """
    for found in _ISA.finditer(text, header.end):
        at = found.start()
        if _begins_segment(text, at, header) and (text[at + 3] == header.separators.element or is_fixed(text, at)):
            return at
    return len(text)


def _begins_segment(text: str, at: int, header: Header) -> bool:
    while at > header.end and text[at - 1] in " \t":
        at -= 1
    return at == header.end or text[at - 1] in (header.separators.terminator, "\r", "\n")


def _interchange(body: str, header: Header, number: int, findings: Findings) -> Interchange:
    for kind, problem in header.problems:
        findings.add(kind, problem, number, segment=1)
    *chunks, last = body.split(header.separators.terminator)
    unfinished = last.rstrip(_MEANS_NOTHING)
    terminated = header.terminated and not unfinished
    if not terminated:
        findings.add(Kind.UNTERMINATED, "the last segment has no terminator", number)
    segments = [Segment("ISA", header.elements, 1)]
    before = _read_segments([*chunks, unfinished] if unfinished else chunks, header, segments, number, findings)
    rest = before + last[len(unfinished) :]
    return assemble(number, header.separators, segments, rest, terminated, findings)


def _read_segments(
    chunks: list[str], header: Header, segments: list[Segment], interchange: int, findings: Findings
) -> str:
    """Adds the segments, and returns the empty lines behind the last."""
    mark, terminator = header.separators.element, header.separators.terminator
    before: list[str] = []
    for chunk in chunks:
        text = chunk.lstrip(_MEANS_NOTHING)
        before.append(chunk[: len(chunk) - len(text)])
        if not text and terminator in "\r\n":
            # An empty line is no segment.
            before.append(terminator)
            continue
        number = len(segments) + 1
        name, *elements = _on_one_line(text, number, interchange, findings).split(mark)
        segments.append(Segment(name, tuple(elements), number, "".join(before)))
        before.clear()
    return "".join(before)


def _on_one_line(text: str, number: int, interchange: int, findings: Findings) -> str:
    """Some writers break the text every 80 characters, whatever stands there."""
    if "\n" not in text and "\r" not in text:
        return text
    message = "there are line breaks inside a segment; they are left out"
    findings.add(Kind.LINE_BREAK, message, interchange, segment=number)
    return text.replace("\r", "").replace("\n", "")
