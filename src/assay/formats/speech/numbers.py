"""Numbers in speech: "two hundred and five" is 205, "four oh five" is 405, "double five" is 55."""

from collections.abc import Iterator, Sequence

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
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_REPEATED = {"double": 2, "triple": 3}
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15,
    "sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30,
}  # fmt: skip


def with_digits(words: Sequence[str]) -> Iterator[str]:
    """The words, with every number as digits. Digits that are said one by one become one number."""
    at = 0
    while at < len(words):
        taken, number = _number(words, at)
        if number is None:
            yield words[at]
            at += 1
        else:
            yield number
            at += taken


def _number(words: Sequence[str], at: int) -> tuple[int, str | None]:
    """How many words a number takes here, and its digits; None where there is none."""
    one_by_one = _one_by_one(words, at)
    if one_by_one[0] > 1:
        return one_by_one
    amount = _amount(words, at)
    if amount[0] > 0:
        return _with_fraction(words, at, *amount)
    return one_by_one if one_by_one[0] and words[at] != "oh" else (0, None)


def _one_by_one(words: Sequence[str], at: int) -> tuple[int, str | None]:
    """Digits said one after the other: "four oh five", "double five", "1 2 3"."""
    digits, here = "", at
    while here < len(words):
        word = words[here]
        if word in _REPEATED and here + 1 < len(words) and _digit(words[here + 1]):
            digits += str(_digit(words[here + 1])) * _REPEATED[word]
            here += 2
        elif _digit(word) and not (digits == "" and word == "oh"):
            digits += str(_digit(word))
            here += 1
        else:
            break
    # "two hundred" and "twenty five point two" are no digits that stand alone.
    if here < len(words) and words[here] in (*_SCALES, "point") and here > at:
        return 0, None
    return here - at, digits or None


def _digit(word: str) -> str | None:
    return _DIGITS.get(word) or (word if len(word) == 1 and word.isdecimal() and word.isascii() else None)


def _amount(words: Sequence[str], at: int) -> tuple[int, str | None]:
    """A number in words: "one thousand two hundred and five", "twenty-third"."""
    total, part, here, ordinal = 0, None, at, ""
    while here < len(words):
        word = words[here]
        if word in _SCALES and part is not None:
            part, total = (part * 100, total) if word == "hundred" else (None, total + (part or 0) * _SCALES[word])
            part = 0 if part is None else part
        elif word == "and" and part is not None and here + 1 < len(words) and _small(words[here + 1]) is not None:
            if words[here - 1] not in _SCALES:
                break
        elif (small := _small(word)) is not None and _fits(part, small):
            part = (part or 0) + small
            ordinal = "th" if word in _ORDINALS else ""
            here += 1
            if ordinal:
                break
            continue
        else:
            break
        here += 1
    return (0, None) if part is None else (here - at, f"{total + part}{ordinal}")


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
    here = at + taken
    if here + 1 < len(words) and words[here] == "point" and _digit(words[here + 1]):
        more, digits = _one_by_one(words, here + 1)
        return taken + 1 + more, f"{number}.{digits}"
    return taken, number
