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

_SAYS_WHICH: Final = re.compile(r"[.-][0-9]+\[")


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition: the part at these numbers (of a segment or of a repetition) has this text."""

    numbers: tuple[int, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Choice:
    """Which of several segments or repetitions: those that fulfil all filters, and of these one or (None) all."""

    filters: tuple[Filter, ...] = ()
    position: int | None = 1

    @property
    def is_definite(self) -> bool:
        """Whether a place is named, and not what must stand there."""
        return self.position is not None and not self.filters


@dataclass(frozen=True, slots=True)
class Path:
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


def quoted(value: str) -> str:
    """The value as a filter takes it, so that nothing in it can change the path."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


@lru_cache(maxsize=4096)
def in_any_repetition(path: Path) -> Path:
    """The same place in every repetition of the field, unless the path says in which."""
    return path if _SAYS_WHICH.search(path.text) else replace(path, repetitions=Choice((), None))
