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

from dataclasses import dataclass

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
class Path:
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
