"""Read an ISA segment, which declares the separators of its interchange.

Its elements have fixed widths, so the separators stand at known places: the element separator at character 4, the
component separator at 105, the terminator at 106. Writers that don't pad the elements, or that stop in the middle,
are read as far as that can be done without guessing at data.
"""

import re
from dataclasses import dataclass

from assay.formats.x12.findings import Kind, quoted
from assay.formats.x12.model import Separators

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
    problems: tuple[tuple[Kind, str], ...]


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
    wrapped = _wrapped(text, start)
    if wrapped:
        return _header(wrapped, ((Kind.LINE_BREAK, "there are line breaks inside the ISA segment"),))
    extent = _loose(text, start)
    return _header(extent, (_width_problem(extent.body, text[start + 3]),))


def _wrapped(text: str, start: int) -> _Extent | None:
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


def _header(extent: _Extent, problems: tuple[tuple[Kind, str], ...]) -> Header:
    mark = extent.body[3]
    elements = tuple(extent.body.split(mark)[1:])
    component = _usable(elements, 16, {mark, extent.terminator})
    repetition = _usable(elements, 11, {mark, extent.terminator, component}) if _repeats(elements) else None
    if len(elements) >= 16 and component is None:
        problems += ((Kind.SEPARATORS, f"ISA16 is {quoted(elements[15])}, which can't separate components"),)
    if _repeats(elements) and repetition is None:
        problems += ((Kind.SEPARATORS, f"ISA11 is {quoted(elements[10])}, which can't separate repetitions"),)
    # Where the text ends with the header, no terminator is ever looked for; it must only be another than the mark.
    terminator = extent.terminator or ("\n" if mark == "~" else "~")
    separators = Separators(mark, component, repetition, terminator)
    return Header(elements, separators, extent.end, bool(extent.terminator), problems)


def _usable(elements: tuple[str, ...], position: int, taken: set[str | None]) -> str | None:
    mark = elements[position - 1] if len(elements) >= position else ""
    return mark if len(mark) == 1 and _can_separate(mark) and mark not in taken else None


def _repeats(elements: tuple[str, ...]) -> bool:
    return len(elements) >= 12 and elements[11].isdigit() and elements[11] >= _REPETITIONS_SINCE


def _width_problem(body: str, mark: str) -> tuple[Kind, str]:
    elements = body.split(mark)[1:]
    if len(elements) < len(_WIDTHS):
        return Kind.HEADER_TRUNCATED, f"the ISA segment has {len(elements)} elements; it must have {len(_WIDTHS)}"
    for position, (element, width) in enumerate(zip(elements, _WIDTHS, strict=False), 1):
        if len(element) != width:
            return Kind.HEADER_WIDTH, f"ISA{position:02} has {len(element)} characters; it must have {width}"
    if len(elements) > len(_WIDTHS):
        return Kind.HEADER_WIDTH, f"the ISA segment has {len(elements)} elements; it must have {len(_WIDTHS)}"
    return Kind.HEADER_TRUNCATED, "the ISA segment ends before its terminator, or with one that can't be used"


def _can_separate(mark: str) -> bool:
    return not mark.isalnum() and mark != " "


def _can_terminate(mark: str, element: str) -> bool:
    return _can_separate(mark) and mark != element
