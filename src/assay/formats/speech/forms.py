"""The ways in which a part of a phrase is met by a part of what was said.

Each takes a place in both and gives the places behind: the same word; digits in other groups; a date in another
order; a word that is written as several, or letter by letter.
"""

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final

from assay.formats.speech.tokens import Token
from assay.formats.speech.words import MONTHS

Tokens = Sequence[Token]
Places = tuple[int, int]
_MONTH: Final = {name: number for number, month in enumerate(MONTHS, 1) for name in (month, month[:3])} | {
    "sept": 9
}
_DATES: Final = frozenset((*_MONTH, "the"))
_OPPOSITE: Final = ("un", "in", "im", "il", "ir", "dis", "non", "mis")


def steps(phrase: Tokens, at: int, spoken: Tokens, here: int, fuzzy: float | None) -> Iterator[Places]:
    """All places to go on from, both behind what meets."""
    wanted = phrase[at]
    if wanted.optional:
        yield at + 1, here
    if here == len(spoken):
        return
    said = spoken[here]
    if said.optional:
        yield at, here + 1
    if wanted.text.isdigit():
        yield from _digits(phrase, at, spoken, here)
    elif same_word(wanted, said, fuzzy):
        yield at + 1, here + 1
    elif wanted.text.startswith(said.text):
        yield from ((at + 1, end) for end in _joined(wanted, spoken, here))
    elif said.text.startswith(wanted.text):
        yield from ((end, here + 1) for end in _joined(said, phrase, at))
    if wanted.text in _DATES or wanted.text[0].isdigit():
        yield from _dates(phrase, at, spoken, here)


def beginning(phrase: Tokens) -> Callable[[str], bool]:
    """Whether what meets a phrase can begin with a word, unless words may differ. Most are ruled out at once."""
    own = phrase[0].text
    date = _date(phrase, 0)
    if date is None:
        return lambda text: text.startswith(own) or own.startswith(text)
    letters = f"{own[0]}{MONTHS[date[0][0] - 1][0]}t0123456789"
    return lambda text: text[0] in letters


def same_word(wanted: Token, said: Token, fuzzy: float | None) -> bool:
    """Whether two words are the same, or differ as little as is allowed. Opposites never do."""
    if wanted.text == said.text:
        return True
    if fuzzy is None or wanted.exact or said.exact:
        return False
    shorter, longer = sorted((wanted.text, said.text), key=len)
    if longer.endswith(shorter) and longer.removesuffix(shorter) in _OPPOSITE:
        return False
    # Words of such different lengths can't be as alike, and a very long one would take its time.
    if 2 * len(shorter) < fuzzy * (len(shorter) + len(longer)):
        return False
    return SequenceMatcher(None, wanted.text, said.text).ratio() >= fuzzy


def _digits(phrase: Tokens, at: int, spoken: Tokens, here: int) -> Iterator[Places]:
    """Digits may be in other groups ("12 34" for 1234), but no part of a group counts."""
    wanted, end = "", at
    while end < len(phrase) and phrase[end].text.isdigit():
        wanted += phrase[end].text
        end += 1
    said = ""
    while here < len(spoken) and spoken[here].text.isdigit() and wanted.startswith(said + spoken[here].text):
        said += spoken[here].text
        here += 1
        if said == wanted:
            yield end, here


def _dates(phrase: Tokens, at: int, spoken: Tokens, here: int) -> Iterator[Places]:
    wanted = _date(phrase, at)
    said = wanted and _date(spoken, here)
    if wanted and said and wanted[0] == said[0]:
        yield wanted[1], said[1]


def _date(tokens: Tokens, at: int) -> tuple[Places, int] | None:
    """The month and day that stand here ("June 5th", "5 June", "the 5th of June"), and where they end."""
    texts = [token.text for token in tokens[at : at + 4]]
    if texts[0] in _MONTH:
        after = 1 + (texts[1:2] == ["the"])
        day = _day("".join(texts[after : after + 1]))
        return None if day is None else ((_MONTH[texts[0]], day), at + after + 1)
    rest = texts[texts[0] == "the" :]
    day = _day(rest[0]) if rest else None
    names = [*rest[1:2], *rest[2:3]] if rest[1:2] == ["of"] else rest[1:2]
    month = _MONTH.get(names[-1]) if names else None
    if day is None or month is None:
        return None
    return (month, day), at + (texts[0] == "the") + 1 + len(names)


def _day(text: str) -> int | None:
    digits = text.removesuffix("th")
    return int(digits) if digits.isdecimal() and len(digits) < 3 and 1 <= int(digits) <= 31 else None


def _joined(one: Token, many: Tokens, at: int) -> Iterator[int]:
    """Where several words end that make up one together. None of them is a number or a negation."""
    text, here = "", at
    while (
        here < len(many) and not many[here].exact and not one.exact and one.text.startswith(text + many[here].text)
    ):
        text += many[here].text
        here += 1
        if text == one.text and here > at + 1:
            yield here
