"""Amounts of money, of medicine and of time: one form for each unit, and one number for several said together."""

from collections.abc import Iterator, Sequence
from typing import Final

_UNITS: Final = {
    "dollar": "dollars",
    "euro": "euros",
    "pound": "pounds",
    "cent": "cents",
    **dict.fromkeys(("mg", "milligrams"), "milligram"),
    **dict.fromkeys(("mcg", "micrograms"), "microgram"),
    **dict.fromkeys(("kg", "kilograms"), "kilogram"),
    **dict.fromkeys(("ml", "milliliters", "millilitre", "millilitres"), "milliliter"),
    **dict.fromkeys(("cm", "centimeters", "centimetre", "centimetres"), "centimeter"),
}
UNITS: Final = frozenset(_UNITS)
UNIFORM_UNITS: Final = frozenset(_UNITS.values())
_MINUTES: Final = {"half past": "30", "quarter past": "15", "quarter to": "45"}
_BEGIN_CLOCK: Final = ("half", "quarter")
# Where none of these is said, and no digit, there is no amount.
IN_AMOUNTS: Final = frozenset((*_UNITS, *_BEGIN_CLOCK))
_HOURS: Final = frozenset(map(str, range(1, 13)))
WITH_CENTS: Final = ("dollars", "euros")
_CHANGING: Final = IN_AMOUNTS.union(WITH_CENTS)


def clock_digits(words: Sequence[str]) -> str:
    """The digits that times such as "half past three" can have beside those of their hour."""
    if "quarter" in words:
        # A quarter to ten is 9:45.
        return "0123456789"
    return "30" if "half" in words else ""


def with_amounts(words: Sequence[str]) -> Iterator[str]:
    """The words, where numbers are digits already."""
    if _CHANGING.isdisjoint(words):
        yield from words
        return
    same = [_UNITS.get(word, word) for word in words]
    at = 0
    while at < len(same):
        if same[at] not in _BEGIN_CLOCK and not same[at][:1].isdigit():
            yield same[at]
            at += 1
            continue
        taken = _cents(same, at)
        if taken:
            yield f"{same[at]}.{same[at + taken - 2]:0>2}"
            yield same[at + 1]
        elif clock := _clock(same[at : at + 3]):
            taken = 3
            yield clock
        else:
            yield same[at]
        at += taken or 1


def _clock(words: Sequence[str]) -> str | None:
    """ "Half past three" is 3:30, which is written without its colon."""
    minutes = _MINUTES.get(" ".join(words[:2]))
    if minutes is None or len(words) < 3 or words[2] not in _HOURS:
        return None
    hour = int(words[2])
    return f"{hour}{minutes}" if words[1] == "past" else f"{hour - 1 or 12}{minutes}"


def _cents(words: Sequence[str], at: int) -> int:
    """How many words an amount such as "25 dollars and 50 cents" takes here; 0 where there is none."""
    if not words[at].isdigit() or "".join(words[at + 1 : at + 2]) not in WITH_CENTS:
        return 0
    after = at + 2 + (words[at + 2 : at + 3] == ["and"])
    number, unit = words[after : after + 1], words[after + 1 : after + 2]
    return after + 2 - at if unit == ["cents"] and number[0].isdigit() and len(number[0]) < 3 else 0
