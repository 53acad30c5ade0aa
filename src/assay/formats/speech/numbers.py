"""Numbers in speech: "two hundred and five" is 205, "four oh five" is 405, "double five" is 55."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import takewhile
from typing import Final

_DIGITS = {
    "zero": "0", "oh": "0", "one": "1", "two": "2", "three": "3", "four": "4",
    "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
}  # fmt: skip
_TEENS = {
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
# No number has more words. It bounds what is looked at more than once.
_LONGEST = 30
_NUMERAL = re.compile(r"[0-9]{1,30}(?:\.[0-9]{1,30})?")
_REPEATED = {"double": 2, "triple": 3}
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15,
    "sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30,
}  # fmt: skip


# Where none of these is said, and no digit, there is no number.
IN_NUMBERS = frozenset((*_DIGITS, *_TEENS, *_TENS, *_ORDINALS, *_REPEATED, *_SCALES))
_ANY_DIGIT = frozenset("0123456789")
_SAID_DIGITS = {
    word: str(number) for table in (_DIGITS, _TEENS, _TENS, _ORDINALS) for word, number in table.items()
}
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


_SAID_DIGITS |= {digit: digit for digit in _ANY_DIGIT}
# Any other word begins no number, unless it begins with a digit.
_BEGINS = IN_NUMBERS | {"a", "an"}
_GOES_ON = IN_NUMBERS | {"point"}


def digits_in(words: Sequence[str]) -> frozenset[str]:
    """The digits that numbers of these words, or single digits, can have. Adding up thousands may give any."""
    if not _SCALES.keys().isdisjoint(words):
        return _ANY_DIGIT
    return frozenset("".join([_SAID_DIGITS[word] for word in words if word in _SAID_DIGITS]))


def with_digits(words: Sequence[str]) -> Iterator[str]:
    """The words, with every number as digits. Digits that are said one by one become one number."""
    at, last = 0, ""
    while at < len(words):
        if (words[at] not in _BEGINS and not words[at][:1].isdigit()) or _is_alone(words, at):
            last = words[at]
            yield last
            at += 1
            continue
        taken, number = _number(words, at, after_number=last[:1].isdigit())
        last = words[at] if number is None else number
        yield last
        at += taken or 1


def _is_alone(words: Sequence[str], at: int) -> bool:
    """Whether a word is a number in digits, and the next one goes on with no number."""
    following = words[at + 1] if at + 1 < len(words) else ""
    return words[at].isdigit() and following not in _GOES_ON and not following[:1].isdigit()


def _number(words: Sequence[str], at: int, *, after_number: bool) -> tuple[int, str | None]:
    """How many words a number takes here, and its digits; None where there is none."""
    if words[at] in ("a", "an") and words[at + 1 : at + 2] and words[at + 1] in _SCALES:
        taken, number = _amount(["one", *words[at + 1 : at + _LONGEST]], 0)
        return _scale_number(words, at, taken, number)
    if words[at] == "oh" and after_number:
        taken, number = _one_by_one(["zero", *words[at + 1 : at + _LONGEST]], 0)
        return (taken, number) if taken > 1 else (0, None)
    taken, number = _one_by_one(words, at)
    if taken < 2:
        taken, number = _amount(words, at)
    if taken == 0 and _NUMERAL.fullmatch(words[at]):
        taken, number = 1, words[at]
    return _scale_number(words, at, *_with_fraction(words, at, taken, number))


def _scale_number(words: Sequence[str], at: int, taken: int, number: str | None) -> tuple[int, str | None]:
    """The same number, or so many hundreds, thousands or millions if such a word follows: "1.5 million"."""
    while number is not None and at + taken < len(words) and words[at + taken] in _SCALES:
        if not _NUMERAL.fullmatch(number):
            break
        whole = Decimal(number) * _SCALES[words[at + taken]]
        number, taken = f"{whole.normalize():f}", taken + 1
    return taken, number


def _one_by_one(words: Sequence[str], at: int) -> tuple[int, str | None]:
    """Digits said one after the other: "four oh five", "double five", "1 2 3"."""
    digits, here = "", at
    before = (digits, here)
    while here < min(len(words), at + _LONGEST):
        taken, more = _repeated_digit(words, here)
        if not taken or (digits == "" and words[here] == "oh"):
            break
        before = (digits, here)
        digits, here = digits + more, here + taken
    if here < len(words) and words[here] in _SCALES:
        # In "two hundred", the last digit does not stand alone.
        digits, here = before
    return here - at, digits or None


def _repeated_digit(words: Sequence[str], at: int) -> tuple[int, str]:
    """A digit, or one that is said to come twice or three times: how many words that takes, and the digits."""
    times = _REPEATED.get(words[at])
    if times is None or at + 1 == len(words):
        return (1, digit) if (digit := _digit(words[at])) else (0, "")
    return (2, digit * times) if (digit := _digit(words[at + 1])) else (0, "")


def _digit(word: str) -> str | None:
    return _DIGITS.get(word) or (word if len(word) == 1 and word.isdecimal() and word.isascii() else None)


def _amount(words: Sequence[str], at: int) -> tuple[int, str | None]:
    """A number in words: "one thousand two hundred and five", "twenty-third"."""
    total, part, here = 0, None, at
    while here < min(len(words), at + _LONGEST):
        word = words[here]
        if part is not None and word in _SCALES:
            total, part = (total, part * 100) if word == "hundred" else (total + part * _SCALES[word], 0)
        elif (small := _small(word)) is not None and _fits(part, small):
            part = (part or 0) + small
            if word in _ORDINALS:
                return here + 1 - at, f"{total + part}th"
        elif part is None or not _joins(words, here):
            break
        here += 1
    return (0, None) if part is None else (here - at, str(total + part))


def _joins(words: Sequence[str], at: int) -> bool:
    """Whether a word is the "and" of "two hundred and five"."""
    if words[at] != "and" or words[at - 1] not in _SCALES:
        return False
    return at + 1 < len(words) and _small(words[at + 1]) is not None


def _small(word: str) -> int | None:
    for table in (_TEENS, _TENS, _ORDINALS):
        if word in table:
            return table[word]
    return int(_DIGITS[word]) if word in _DIGITS and word != "oh" else None


def _fits(part: int | None, small: int) -> bool:
    """Whether a small number goes on the number so far: "twenty" and "three" do, "twelve" and "thirty" don't."""
    if part is None or part % 100 == 0:
        return True
    return part % 10 == 0 and part % 100 >= 20 and 0 < small < 10


def _with_fraction(words: Sequence[str], at: int, taken: int, number: str | None) -> tuple[int, str | None]:
    here = at + taken + 1
    if number is None or not number.isdigit() or words[here - 1 : here] != ["point"]:
        return taken, number
    digits = "".join(takewhile(bool, (_digit(word) or "" for word in words[here : here + _LONGEST])))
    if not digits:
        return taken, number
    return taken + 1 + len(digits), f"{number}.{digits}"


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
