"""The path language: a place, or places, in a message.

==========================  ==========================================================================
``PID-5.1.2``               field 5, component 1, sub-component 2; ``PID.5.1.2`` is the same
``PID-3[2].1``              of the second repetition; without a number it is the first
``PID-3[*].1``              of every repetition
``PID-3[5=MR].1``           of the repetitions whose component 5 is MR
``OBX[2]-5``                of the second OBX; without a number it is the first
``OBX[*]-5``                of every OBX
``OBX[3.1=8480-6]-5``       of every OBX whose field 3, component 1, is 8480-6 in some repetition
``OBX[3.1=8480-6][1]-5``    of the first of these
``OBX[3.1=8480-6,11=F]-5``  of those for which both hold; ``[3.1=8480-6][11=F]`` is the same
``OBX[3.1="a,b"]-5``        a value with any of ``[],="`` is in quotes; a backslash goes before quotes and itself
``OBX[*]``                  whole segments
==========================  ==========================================================================

A path that compares means the first repetition, one that correlates (``correlate_by``) means any of them.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from assay.formats.hl7.encoding import Hl7PathError

_SAYS_WHICH: Final = re.compile(r"[.-][0-9]+\[")


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition: the part at these numbers (of a segment or of a repetition) has this text."""

    numbers: tuple[int, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice of segments or repetitions: those that fulfil all filters, and of these one or (None) all."""

    filters: tuple[Filter, ...] = ()
    position: int | None = 1

    @property
    def is_definite(self) -> bool:
        """Whether a place is named, and not what must stand there."""
        return self.position is not None and not self.filters


@dataclass(frozen=True, slots=True)
class Hl7Path:
    """A parsed path. ``numbers`` are field, component and sub-component, as far as the path goes."""

    text: str
    segment: str
    segments: Choice
    numbers: tuple[int, ...]
    repetitions: Choice

    def __str__(self) -> str:
        return self.text

    @property
    def is_definite(self) -> bool:
        """Whether the path names one place; otherwise it may find none or many."""
        return self.segments.is_definite and self.repetitions.is_definite


def quote_value(value: str) -> str:
    """The value as a filter takes it, so that nothing in it can change the path."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


@lru_cache(maxsize=4096)
def in_any_repetition(path: Hl7Path) -> Hl7Path:
    """The same place in every repetition of the field, unless the path says in which."""
    return path if _SAYS_WHICH.search(path.text) else replace(path, repetitions=Choice((), None))


_SEGMENT = re.compile(r"[A-Z][A-Z0-9]{2}(?![A-Za-z0-9])")
_STEP = re.compile(r"[.-]")
# Five digits are more than any message has, and Python refuses to read thousands of them.
_NUMBER = re.compile(r"0*([1-9][0-9]{0,4})(?![0-9])")
_OPEN, _CLOSE, _ALL, _EQUALS = (re.compile(re.escape(char)) for char in "[]*=")
_AND = re.compile(r", *")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_PLAIN = re.compile(r'[^\[\]",=]+(?=[\],]|\Z)')


@lru_cache(maxsize=4096)
def parse_path(text: str) -> Hl7Path:
    """The path that the text spells."""
    return _Hl7PathReader(text.strip()).path()


class _Hl7PathReader:
    """A place in the text that moves forward."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def path(self) -> Hl7Path:
        segment = self._need(_SEGMENT, self._about_segment())[0]
        segments, repetitions = self._choice(3), Choice()
        numbers: list[int] = []
        while self._take(_STEP):
            if len(numbers) == 3:
                raise self._wrong("a path ends with the sub-component: PID-5.1.2")
            numbers.append(self._number())
            if len(numbers) == 1:
                repetitions = self._choice(2)
        if self._at < len(self._text):
            raise self._wrong(self._about_rest(len(numbers)))
        return Hl7Path(self._text, segment, segments, tuple(numbers), repetitions)

    def _choice(self, depth: int) -> Choice:
        """Filters first, then perhaps a number or a star. ``depth`` is how many numbers a filter may have."""
        filters: list[Filter] = []
        while self._take(_OPEN):
            position = None if self._take(_ALL) else self._number()
            if position is None or self._text.startswith("]", self._at):
                self._need(_CLOSE, "']' is missing: OBX[2]-5 or OBX[*]-5")
                return Choice(tuple(filters), position)
            filters.append(self._filter(position, depth))
            while self._take(_AND):
                filters.append(self._filter(self._number(), depth))
            self._need(_CLOSE, "a filter ends with ']': OBX[3.1=8480-6]")
        return Choice(tuple(filters), None if filters else 1)

    def _filter(self, first: int, depth: int) -> Filter:
        numbers = [first]
        while len(numbers) < depth and self._take(_STEP):
            numbers.append(self._number())
        self._need(_EQUALS, "a filter is numbers, '=' and a value: OBX[3.1=8480-6]")
        value = self._value()
        if not value:
            raise self._wrong("the value of a filter must not be empty")
        return Filter(tuple(numbers), value)

    def _value(self) -> str:
        if found := self._take(_QUOTED):
            return re.sub(r"\\(.)", r"\1", found[1], flags=re.DOTALL)
        plain = self._need(_PLAIN, 'a filter needs a value behind "=", in quotes if it holds any of [ ] , = "')
        return plain[0].strip()

    def _number(self) -> int:
        return int(self._need(_NUMBER, "a number from 1 to 99999 is missing: everything is counted from 1")[1])

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self._text, self._at)
        if found:
            self._at = found.end()
        return found

    def _need(self, pattern: re.Pattern[str], otherwise: str) -> re.Match[str]:
        found = self._take(pattern)
        if found is None:
            raise self._wrong(otherwise)
        return found

    def _wrong(self, problem: str) -> Hl7PathError:
        return Hl7PathError(self._text, self._at + 1, problem)

    def _about_segment(self) -> str:
        upper = self._text[:3].upper()
        meant = f"{upper}{self._text[3:]}"
        if self._text[:3] != upper and _SEGMENT.match(meant):
            return f"segment names are in capitals: {meant}"
        return "a path begins with a segment's name of three characters: PID-5.1"

    def _about_rest(self, depth: int) -> str:
        if depth == 0:
            return "'-' or '.' and a field's number must follow the segment: PID-5.1"
        if self._text[self._at] == "[":
            return (
                "brackets choose a segment, OBX[2]-5, or a field's repetition, PID-3[2].1, and a number ends them"
            )
        return "only '.' and a number can follow: PID-5.1.2"
