"""Days of a month in speech: "June 5th", "5 June", "the 5th of June"."""

from collections.abc import Sequence
from typing import Final

from assay.formats.speech.words import MONTHS

MONTH_NUMBERS: Final = {name: number for number, month in enumerate(MONTHS, 1) for name in (month, month[:3])} | {
    "sept": 9
}
LONGEST_DATE: Final = 4


def date_at(words: Sequence[str], at: int) -> tuple[tuple[int, int], int] | None:
    """The month and day that stand here, and where they end."""
    texts = words[at : at + LONGEST_DATE]
    if not texts:
        return None
    if texts[0] in MONTH_NUMBERS:
        after = 1 + (list(texts[1:2]) == ["the"])
        day = _day("".join(texts[after : after + 1]))
        return None if day is None else ((MONTH_NUMBERS[texts[0]], day), at + after + 1)
    rest = texts[texts[0] == "the" :]
    day = _day(rest[0]) if rest else None
    names = [*rest[1:2], *rest[2:3]] if list(rest[1:2]) == ["of"] else list(rest[1:2])
    month = MONTH_NUMBERS.get(names[-1]) if names else None
    if day is None or month is None:
        return None
    return (month, day), at + (texts[0] == "the") + 1 + len(names)


def _day(text: str) -> int | None:
    digits = text.removesuffix("th")
    return int(digits) if digits.isdecimal() and len(digits) < 3 and 1 <= int(digits) <= 31 else None
