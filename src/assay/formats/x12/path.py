"""Paths into a transaction set, as values.

::

    2110C/EB[01=B]07            element 7 of the EB segments of loop 2110C whose element 1 is B
    2110C/EB[01=B]-7            the same; so is 2110C/EB[01=B].7
    STC01-1, STC.1.1            a component
    EB03[2]                     the second repetition; without it, every repetition is a value
    CLP[2]04                    of the second CLP; CLP[*]04 and CLP04 are of all
    2100C/NM1[01=IL,08=MI]09    both must hold; NM1[01=IL][08=MI]09 is the same
    2000C/2100C/2110C/EB01      loops from the outside in; some may be left out, but not the segment's own
    2100[2]/2110/SVC02          inside the second loop 2100
    */REF[01=EJ]02              in any loop, which is what no loop means too
    SET/REF[01=EV]02            in no loop of the set
    2110C/EB[01=B]              whole segments
    ISA06, GS08, ST01           envelopes

A number in brackets counts what is left of everything before it, in the order of the file: ``EB[01=B][2]`` is the
second of those whose element 1 is B. A value that has one of ``[],="`` in it, or a blank at either end, is written
in double quotes, as ``quoted_value`` does.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from assay.formats.x12.guides import GUIDES, Guide
from assay.formats.x12.model import X12PathError

OUTSIDE_LOOPS = frozenset(("ISA", "IEA", "TA1", "GS", "GE"))


@dataclass(frozen=True, slots=True)
class Nth:
    """The one of this number, from 1."""

    number: int


@dataclass(frozen=True, slots=True)
class Equals:
    """Those in which an element or component has a text, in any of its repetitions."""

    element: int
    component: int | None
    value: str


@dataclass(frozen=True, slots=True)
class LoopStep:
    """A loop by its name, ``*`` for any; all of them or the one of a number."""

    id: str
    number: int | None


@dataclass(frozen=True, slots=True)
class X12Path:
    """A path that was read. Without an element it means whole segments."""

    text: str
    loops: tuple[LoopStep, ...]
    segment: str
    filters: tuple[Nth | Equals, ...]
    element: int | None
    component: int | None
    repetition: int | None


def quoted_value(value: str) -> str:
    """A value as it can stand behind ``=`` in a path, whatever is in it."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


_LOOP = re.compile(r"(\*|[A-Z0-9]{2,6})(?:\[(\*|[0-9]{1,6})\])?/")
# The last two digits of a name are the element, so that N103 is element 3 of N1 and NM109 is element 9 of NM1.
_SEGMENT = re.compile(r"([A-Z][A-Z0-9]{1,2}?)([0-9]{2})?(?![A-Za-z0-9*])")
_ELEMENT = re.compile(r"(?:[-.]([0-9]{1,2})|([0-9]{2}))(?![0-9])")
_COMPONENT = re.compile(r"[-.]([0-9]{1,2})(?![0-9])")
_NO_LOOP = re.compile(r"([^/\[]*(?:\[[^\]/]*\])?)/")
_NUMBER = re.compile(r"\[(\*|[0-9]{1,6})\]")
_OPEN = re.compile(r"\[(?=[0-9]{1,2}(?:[-.][0-9]{1,2})?=)")
_EQUALS = re.compile(r"([0-9]{1,2})(?:[-.]([0-9]{1,2}))?=")
_VALUE = re.compile(r'(?:"((?:[^"\\]|\\.)*)"|((?! )[^\[\]",=]*(?<! )))(?=[\],])', re.DOTALL)
_END = re.compile(r"\]|, *")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)

_NO_CONDITION = "behind a comma stands another condition, such as the 06=29 of [01=C,06=29]"
_NO_VALUE = (
    'a value ends with ] or a comma, and is in double quotes if it has one of [ ] , = " or a blank at either end'
)
_LEFT_OVER_SEGMENT = "behind a segment stands an element, such as the 07 of EB07 or the -7 of EB-7"
_LEFT_OVER_ELEMENT = "behind an element stands a component such as -1, a repetition such as [2], or nothing"

_LOOPS = frozenset({"*"}.union(*(guide.loops for guide in GUIDES)))
_KNOWN = OUTSIDE_LOOPS.union(*(guide.segment_ids for guide in GUIDES))


@lru_cache(maxsize=4096)
def parse_path(text: str) -> X12Path:
    """A path from its text. Raises X12PathError, which says where it is wrong and what would be right."""
    return _X12PathReader(text).path()


class _X12PathReader:
    """Goes through the text from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._taken_at = 0

    def path(self) -> X12Path:
        loops = tuple(self._loops())
        name, element = self._segment(bool(loops))
        filters = () if element else tuple(self._filters())
        if element is None and (found := self._take(_ELEMENT)):
            element = self._counted(found[1] or found[2], "elements")
        component = repetition = None
        if element:
            if found := self._take(_COMPONENT):
                component = self._counted(found[1], "components")
            if found := self._take(_NUMBER):
                repetition = self._number(found[1], "repetitions")
        if self._at < len(self._text):
            raise self._wrong(_LEFT_OVER_ELEMENT if element else _LEFT_OVER_SEGMENT)
        return X12Path(self._text, loops, name, filters, element, component, repetition)

    def _loops(self) -> list[LoopStep]:
        steps = []
        while found := self._take(_LOOP):
            if found[1] not in _LOOPS:
                raise self._wrong(_no_loop(found[1]), self._taken_at)
            steps.append(LoopStep(found[1], self._number(found[2], "loops")))
        return steps

    def _segment(self, in_loops: bool) -> tuple[str, int | None]:
        found = self._take(_SEGMENT)
        if found is None:
            raise self._wrong(self._no_segment())
        if in_loops and found[1] in OUTSIDE_LOOPS:
            rest = self._text[self._taken_at :]
            raise self._wrong(f"{found[1]} is not in a loop; write {rest}", self._taken_at)
        self._check_name(found[1])
        return found[1], self._counted(found[2], "elements") if found[2] else None

    def _filters(self) -> list[Nth | Equals]:
        filters: list[Nth | Equals] = []
        while self._text.startswith("[", self._at):
            if found := self._take(_NUMBER):
                number = self._number(found[1], "segments")
                filters += [Nth(number)] if number else []
            elif self._take(_OPEN):
                filters += self._conditions()
            else:
                raise self._wrong("brackets must hold a qualifier such as [01=B], a number such as [2], or *")
        return filters

    def _conditions(self) -> Iterator[Equals]:
        """All that stand in one pair of brackets."""
        end = None
        while end is None or end[0] != "]":
            found = self._take(_EQUALS)
            if found is None:
                raise self._wrong(_NO_CONDITION)
            element = self._counted(found[1], "elements")
            component = self._counted(found[2], "components") if found[2] else None
            value, end = self._take(_VALUE), self._take(_END)
            if value is None or end is None:
                raise self._wrong(_NO_VALUE)
            text = value[2] if value[1] is None else _ESCAPED.sub(r"\1", value[1])
            yield Equals(element, component, text)

    def _number(self, text: str | None, what: str) -> int | None:
        return None if text in (None, "*") else self._counted(text or "", what)

    def _counted(self, text: str, what: str) -> int:
        number = int(text)
        if number == 0:
            raise self._wrong(f"{what} count from 1", self._taken_at)
        return number

    def _check_name(self, name: str) -> None:
        """EB7 is a name that a segment could have, so it would find nothing where EB07 is meant."""
        short, digit = name[:2], name[2:]
        if name not in _KNOWN and short in _KNOWN and short.isalpha() and digit.isdigit():
            right = f"element {digit} of {short} is {short}0{digit} or {short}-{digit}"
            raise self._wrong(f"there is no segment {name}; {right}", self._taken_at)

    def _no_segment(self) -> str:
        rest = self._text[self._at :]
        if found := _NO_LOOP.match(rest):
            return _no_loop(found[1])
        if rest and _SEGMENT.match(rest.upper()):
            return f"names of segments are in capital letters: {rest.upper()}"
        return "a segment with an element must come here, such as EB07, EB-7 or EB[01=B]07"

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self._text, self._at)
        if found:
            self._taken_at, self._at = self._at, found.end()
        return found

    def _wrong(self, problem: str, at: int | None = None) -> X12PathError:
        return X12PathError(self._text, (self._at if at is None else at) + 1, problem)


def _no_loop(name: str) -> str:
    return f"{name!r} is not a loop; write one as in its guide, such as 2110C or 2110C[2], or * for any"


def why_never(path: X12Path, guide: Guide) -> str | None:
    """Why a path finds nothing in any set that follows a guide, and what would be right; None if it may."""
    if path.segment in OUTSIDE_LOOPS:
        return None
    for step in path.loops:
        if step.id != "*" and step.id not in guide.loops:
            return f"{guide.name} has no loop {step.id}; it has {', '.join(guide.loops)}"
    holding = [
        loop.id
        for loop in guide.loops.values()
        if path.segment in loop.segments or any(begin.segment == path.segment for begin in loop.begins)
    ]
    if not holding:
        return f"{guide.name} has no segment {path.segment}"
    if path.loops and path.loops[-1].id not in ("*", *holding):
        return f"{path.segment} is not in loop {path.loops[-1].id} of {guide.name}; it is in {', '.join(holding)}"
    return _wrong_order(path, guide)


def _wrong_order(path: X12Path, guide: Guide) -> str | None:
    names = [step.id for step in path.loops if step.id != "*"]
    for outer, inner in pairwise(names):
        around = _around(inner, guide)
        if outer not in around:
            return f"{inner} is not in {outer}; it is in {', '.join(sorted(around))}"
    return None


def _around(name: str, guide: Guide) -> set[str]:
    """The loops that a loop may stand in, at any depth."""
    found: set[str] = set()
    left = list(guide.loops[name].parents)
    while left:
        one = left.pop()
        if one not in found:
            found.add(one)
            left += guide.loops[one].parents
    return found
