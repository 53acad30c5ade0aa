"""Bounds on numbers: whether one that replaces another is tighter, so that whatever passes now passed before.

``x < 5`` demands more than ``x < 10``, and ``x == 4`` more than both. Only numbers that are written out are
compared.
"""

import re
from dataclasses import dataclass
from math import inf

from assay.detectors.test_code.model import Assertion, Strength

_NUMBER = r"(-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)(?:[fFdDlLmM]|_?[iuf]\d+)?"
_LENGTH = r"(?P<length>len )?"
_ONE = re.compile(rf"{_LENGTH}(?P<sign><=?|>=?) ?{_NUMBER}")
_EXACTLY = re.compile(rf"{_LENGTH}{_NUMBER}")
_BOTH = re.compile(rf"{_NUMBER} (<=?) (?P<subject>.+) (<=?) {_NUMBER}")
_RANGE = re.compile(rf"(?P<kind>inrange|between)\({_NUMBER}, ?{_NUMBER}\)")


@dataclass(frozen=True, slots=True)
class _Bounds:
    """An interval. A bound that is open is not part of it itself."""

    low: float = -inf
    low_open: bool = False
    high: float = inf
    high_open: bool = False
    of_length: bool = False

    def within(self, other: "_Bounds") -> bool:
        above = self.low > other.low or (self.low == other.low and self.low_open >= other.low_open)
        below = self.high < other.high or (self.high == other.high and self.high_open >= other.high_open)
        return above and below and self.of_length is other.of_length


def is_tighter(before: Assertion, after: Assertion) -> bool | None:
    """Whether an assertion about the same subject allows only what the one before it allowed.

    None where that can't be told: only one of them is about numbers that are written out.
    """
    if before.strength is not Strength.SHAPE or after.strength < Strength.SHAPE or after.tolerance is not None:
        return None
    old, new = _bounds(before), _bounds(after)
    return None if old is None or new is None else new.within(old)


def _bounds(assertion: Assertion) -> _Bounds | None:
    expected = assertion.expected or ""
    if found := _ONE.fullmatch(expected):
        return _bound(found["sign"], found[3], bool(found["length"]))
    if (found := _BOTH.fullmatch(expected)) and found["subject"] == assertion.subject:
        return _Bounds(_value(found[1]), found[2] == "<", _value(found[5]), found[4] == "<")
    if found := _RANGE.fullmatch(expected):
        return _Bounds(_value(found[2]), False, _value(found[3]), False)
    found = _EXACTLY.fullmatch(expected)
    if found is None:
        return None
    if found["length"] or assertion.strength is Strength.EXACT:
        return _Bounds(_value(found[2]), False, _value(found[2]), False, bool(found["length"]))
    return None


def _bound(sign: str, number: str, of_length: bool = False) -> _Bounds:
    value, is_open = _value(number), len(sign) == 1
    if sign.startswith("<"):
        return _Bounds(high=value, high_open=is_open, of_length=of_length)
    return _Bounds(low=value, low_open=is_open, of_length=of_length)


def _value(number: str) -> float:
    return float(number.replace("_", ""))
