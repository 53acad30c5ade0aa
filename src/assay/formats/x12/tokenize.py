"""Split text into interchanges and these into segments.

An interchange declares its own separators, so a file is read one interchange after the other. Cost grows with the
length of the text, whatever is in it.

Read an ISA segment, which declares the separators of its interchange.

Its elements have fixed widths, so the separators stand at known places: the element separator at character 4, the
component separator at 105, the terminator at 106. Writers that don't pad the elements, or that stop in the middle,
are read as far as that can be done without guessing at data.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.evidence.bounds import MOST_SEGMENTS
from assay.formats.x12.envelope import Binary, Measured, assemble, binary_at, binary_parts, is_binary, split_around
from assay.formats.x12.model import (
    Document,
    Findings,
    Interchange,
    NotX12Error,
    Separators,
    X12Mistake,
    X12Segment,
    quote_text,
)

# Control characters such as 1D are separators too, and ``\s`` would take them for white space.
_ISA = re.compile(r"ISA(?=[^A-Za-z0-9 \t\r\n])")
# A header that is not padded: its separator, the first element, and the separator again or the end of the text.
_UNPADDED = re.compile(r"(?<![A-Za-z0-9])ISA([^A-Za-z0-9 \t\r\n])[A-Za-z0-9 ]{0,2}(?:\1|[ \t\r\n]*\Z)")
_LANDMARK = re.compile(r"ISA(?=[^A-Za-z0-9 \t\r\n])|BIN(?=[^A-Za-z0-9 \t\r\n])|BDS(?=[^A-Za-z0-9 \t\r\n])")
_MEANS_NOTHING = "\ufeff \t\r\n"
_WIDTHS = (2, 10, 2, 10, 2, 15, 2, 15, 6, 4, 1, 5, 9, 1, 1, 1)
_LENGTH = 3 + sum(1 + width for width in _WIDTHS)
# Longer than any header can be, even one that is not padded as it should be. It bounds what is looked at.
_WINDOW = 2 * _LENGTH
_NEXT_SEGMENTS = "GS|TA1|IEA|ISA|ST"
# Where a header ends that stops in the middle: at the usual terminator, or with its line.
_LIKELY_END = re.compile(r"[~\r\n]")
_LINE_END = re.compile(r"[\r\n]")
# From this version on, ISA11 is the repetition separator; before, it named a standard.
_REPETITIONS_SINCE = "00402"


@dataclass(frozen=True, slots=True)
class Header:
    """An ISA segment. ``end`` is where the text goes on behind its terminator."""

    elements: tuple[str, ...]
    separators: Separators
    end: int
    terminated: bool
    problems: tuple[tuple[X12Mistake, str], ...]


def tokenize(data: bytes | str) -> Document:
    """The interchanges of a file, with everything that is wrong with their envelopes.

    Raises NotX12Error for text without an ISA header, or with more segments than are read, and nothing else.
    """
    findings = Findings()
    text, encoding = _decode_data(data, findings)
    start = _first_header(text)
    if text[:start].strip(_MEANS_NOTHING):
        findings.add(X12Mistake.JUNK, f"there are {start} characters before the first ISA", None)
    interchanges = tuple(_interchanges(text, start, encoding, findings))
    return Document(text[:start], interchanges, findings.all(), encoding)


def _decode_data(data: bytes | str, findings: Findings) -> tuple[str, str]:
    if isinstance(data, str):
        return data, "utf-8"
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        # Every byte is a character of Latin-1, which old systems send.
        findings.add(X12Mistake.ENCODING, "the bytes are not UTF-8; they are read as Latin-1", None)
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
        findings.add(X12Mistake.UNTERMINATED, "the last segment has no terminator", number)
    segments = [X12Segment("ISA", header.elements, 1)]
    reading = _InterchangeReading(header, number, encoding, findings)
    before = reading.segments([*chunks, unfinished] if unfinished else chunks, segments)
    rest = before + last[len(unfinished) :]
    return assemble(number, header.separators, segments, rest, terminated, findings)


@dataclass(frozen=True, slots=True)
class _InterchangeReading:
    """How the text of one interchange becomes segments."""

    header: Header
    interchange: int
    encoding: str
    findings: Findings

    def segments(self, chunks: list[str], segments: list[X12Segment]) -> str:
        """Adds the segments, and returns the empty lines behind the last."""
        terminator, mark = self.header.separators.terminator, self.header.separators.element
        before: list[str] = []
        for chunk in chunks:
            if not before and chunk[:1].isalnum() and "\n" not in chunk and "\r" not in chunk and chunk[0] != "B":
                # Nearly all segments are so plain that nothing about them has to be found out.
                name, *elements = chunk.split(mark)
                segments.append(X12Segment(name, tuple(elements), len(segments) + 1))
                continue
            text = chunk.lstrip(_MEANS_NOTHING)
            before.append(chunk[: len(chunk) - len(text)])
            if not text and terminator in "\r\n":
                # An empty line is no segment.
                before.append(terminator)
                continue
            number = len(segments) + 1
            name, *elements = self._parts(text, number)
            segments.append(X12Segment(name, tuple(elements), number, "".join(before)))
            before.clear()
        return "".join(before)

    def _parts(self, text: str, number: int) -> list[str]:
        mark = self.header.separators.element
        if is_binary(text, mark):
            parts = binary_parts(text, mark, self.encoding)
            if parts is not None:
                return parts
            message = f"the length in {text[:3]} is not that of its data"
            self.findings.add(X12Mistake.COUNT, message, self.interchange, segment=number)
        return self._on_one_line(text, number).split(mark)

    def _on_one_line(self, text: str, number: int) -> str:
        """Some writers break the text every 80 characters, whatever stands there."""
        if "\n" not in text and "\r" not in text:
            return text
        message = "there are line breaks inside a segment; they are left out"
        self.findings.add(X12Mistake.LINE_BREAK, message, self.interchange, segment=number)
        return text.replace("\r", "").replace("\n", "")


@dataclass(frozen=True, slots=True)
class _Extent:
    """Where a header ends, without its terminator, which is empty if there is none."""

    body: str
    terminator: str
    end: int


def is_fixed(text: str, start: int) -> bool:
    """Whether there is a header with every separator in its place."""
    window = text[start : start + _LENGTH + 1]
    if len(window) <= _LENGTH or not window.startswith("ISA") or not _can_separate(window[3]):
        return False
    at = 3
    for width in _WIDTHS:
        if window[at] != window[3]:
            return False
        at += 1 + width
    return window.count(window[3], 0, _LENGTH) == len(_WIDTHS) and _can_terminate(window[_LENGTH], window[3])


def read_header(text: str, start: int) -> Header:
    """The header at a place where ``ISA`` and a separator stand."""
    if is_fixed(text, start):
        body = text[start : start + _LENGTH]
        return _header(_Extent(body, text[start + _LENGTH], start + _LENGTH + 1), ())
    wrapped = _wrapped_header(text, start)
    if wrapped:
        return _header(wrapped, ((X12Mistake.LINE_BREAK, "there are line breaks inside the ISA segment"),))
    extent = _loose(text, start)
    return _header(extent, (_width_problem(extent.body, text[start + 3]),))


def _wrapped_header(text: str, start: int) -> _Extent | None:
    """A header with every separator in its place once line breaks are taken out."""
    window = text[start : start + _WINDOW]
    plain = window.replace("\r", "").replace("\n", "")
    if not is_fixed(plain, 0):
        return None
    end, left = 0, _LENGTH + 1
    while left:
        left -= window[end] not in "\r\n"
        end += 1
    return _Extent(plain[:_LENGTH], plain[_LENGTH], start + end)


def _loose(text: str, start: int) -> _Extent:
    window = text[start : start + _WINDOW]
    return _before_next_segment(window, start) or _after_last_element(window, start) or _cut_off(text, start)


def _before_next_segment(window: str, start: int) -> _Extent | None:
    """The header up to the terminator that stands before the next segment, if that can be seen."""
    mark = re.escape(window[3])
    found = re.search(rf"([^A-Za-z0-9 {mark}])[ \t\r\n]{{0,400}}+(?:{_NEXT_SEGMENTS}){mark}", window)
    if not found:
        return None
    at = found.start(1)
    if window[at - 1] == window[3] and window[at + 1] in "\r\n":
        # This is the component separator, and the line break behind it is the terminator.
        at += 1
    return _Extent(window[:at], window[at], start + at + 1)


def _after_last_element(window: str, start: int) -> _Extent | None:
    parts = window.split(window[3], len(_WIDTHS))
    if len(parts) <= len(_WIDTHS) or len(parts[-1]) < 2 or not _can_terminate(parts[-1][1], window[3]):
        return None
    at = len(window) - len(parts[-1]) + 1
    return _Extent(window[:at], window[at], start + at + 1)


def _cut_off(text: str, start: int) -> _Extent:
    # The first four characters name the segment and its separator, which may be a tilde itself.
    found = (_LINE_END if text[start + 3] == "~" else _LIKELY_END).search(text, start + 4)
    at = found.start() if found else len(text)
    return _Extent(text[start:at], text[at : at + 1], min(at + 1, len(text)))


def _header(extent: _Extent, problems: tuple[tuple[X12Mistake, str], ...]) -> Header:
    mark = extent.body[3]
    elements = tuple(extent.body.split(mark)[1:])
    component = _usable(elements, 16, {mark, extent.terminator})
    repetition = _usable(elements, 11, {mark, extent.terminator, component}) if _repeats(elements) else None
    for position, what, wrong in (
        (16, "components", len(elements) >= 16 and component is None),
        (11, "repetitions", _repeats(elements) and repetition is None),
    ):
        if wrong:
            said = f"ISA{position} is {quote_text(elements[position - 1])}, which can't separate {what}"
            problems += ((X12Mistake.SEPARATORS, said),)
    # Where the text ends with the header, no terminator is ever looked for; it must only be another than the mark.
    terminator = extent.terminator or ("\n" if mark == "~" else "~")
    separators = Separators(mark, component, repetition, terminator)
    return Header(elements, separators, extent.end, bool(extent.terminator), problems)


def _usable(elements: tuple[str, ...], position: int, taken: set[str | None]) -> str | None:
    mark = elements[position - 1] if len(elements) >= position else ""
    return mark if len(mark) == 1 and _can_separate(mark) and mark not in taken else None


def _repeats(elements: tuple[str, ...]) -> bool:
    return len(elements) >= 12 and elements[11].isdigit() and elements[11] >= _REPETITIONS_SINCE


def _width_problem(body: str, mark: str) -> tuple[X12Mistake, str]:
    elements = body.split(mark)[1:]
    problem = f"the ISA segment has {len(elements)} elements; it must have {len(_WIDTHS)}"
    if len(elements) < len(_WIDTHS):
        return X12Mistake.HEADER_TRUNCATED, problem
    for position, (element, width) in enumerate(zip(elements, _WIDTHS, strict=False), 1):
        if len(element) != width:
            return X12Mistake.HEADER_WIDTH, f"ISA{position:02} has {len(element)} characters; it must have {width}"
    if len(elements) > len(_WIDTHS):
        return X12Mistake.HEADER_WIDTH, problem
    problem = "the ISA segment ends before its terminator, or with one that can't be used"
    return X12Mistake.HEADER_TRUNCATED, problem


def _can_separate(mark: str) -> bool:
    return not mark.isalnum() and mark != " "


def _can_terminate(mark: str, element: str) -> bool:
    return _can_separate(mark) and mark != element
