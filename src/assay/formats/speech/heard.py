"""What was said in a turn, read word by word only if a phrase can be in it.

The words of a sentence are in it letter by letter, one behind the other, however they are joined. So a word of the
phrase that isn't among the letters isn't said. Some words are read that aren't written ("can't" is "can not", and
6/5 is June 5th): where there are such, only a word that has none of them in it rules a phrase out.
"""

import functools
import re
from typing import Final, NamedTuple

from assay.formats.speech.amounts import UNIFORM_UNITS, UNITS
from assay.formats.speech.dates import MONTH_NUMBERS
from assay.formats.speech.numbers import IN_NUMBERS
from assay.formats.speech.phrases import find_phrase, phrase_tokens
from assay.formats.speech.tokens import Token, tokens
from assay.formats.speech.words import FILLERS, SHORT_FORMS, WRITTEN_OUT

_DIGIT: Final = re.compile(r"[0-9]")
# As words are taken apart when they are read.
_WORDS: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:th)?|[a-z]+(?:'[a-z]+)?")
_SIGNS: Final = re.compile(r"['%&@+=$#/]|\.[^\s.]|-[0-9]")
_SHORT: Final = SHORT_FORMS | UNITS | {"been"}
# A date may be said in another order, without these.
_IN_DATES: Final = frozenset((*MONTH_NUMBERS, "the", "of"))
_NEW_WORDS: Final = WRITTEN_OUT | UNIFORM_UNITS


class Letters(NamedTuple):
    """The letters of a text in lower case, without anything between them.

    ``short`` if more words may be read than are written, ``number`` if there may be a number.
    """

    text: str
    short: bool
    number: bool


class _Wanted(NamedTuple):
    """The words of a phrase that are met letter by letter, those of them that can't be read where they aren't
    written, and whether there is a number.
    """

    words: tuple[str, ...]
    safe: tuple[str, ...]
    number: bool


class Heard:
    """The words of a turn, and its letters. Each is worked out once, when it is first needed."""

    __slots__ = ("_letters", "_looked", "_tokens", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._letters: Letters | None = None
        self._looked = False
        self._tokens: list[Token] | None = None

    def end_of(
        self, phrase: str, fuzzy: float | None = None, start: int = 0, *, claimed: bool = True
    ) -> int | None:
        """The same as ``find_phrase`` with the words of both."""
        if fuzzy is None and not self._may_have(_wanted(phrase)):
            return None
        if self._tokens is None:
            self._tokens = tokens(self.text)
        return find_phrase(phrase_tokens(phrase), self._tokens, fuzzy, start, claimed=claimed)

    def _may_have(self, wanted: "_Wanted") -> bool:
        if not self._looked:
            self._letters, self._looked = letters_of(self.text), True
        if self._letters is None:
            return True
        text, short, number = self._letters
        if wanted.number and not number:
            return False
        return all(word in text for word in (wanted.safe if short else wanted.words))


def letters_of(text: str) -> Letters | None:
    """None for a text whose words may be others than its letters say."""
    text = text.replace("\u2019", "'").lower()
    if not text.isascii() or "o'clock" in text:
        return None
    words = _WORDS.findall(text)
    if "as" in words:
        # "B as in boy" is a letter.
        return None
    short = not _SHORT.isdisjoint(words) or _SIGNS.search(text) is not None
    number = not IN_NUMBERS.isdisjoint(words) or _DIGIT.search(text) is not None
    written = "".join([one for one in words if one not in FILLERS])
    return Letters(written.replace("'", ""), short, number)


@functools.lru_cache(maxsize=1024)
def _wanted(phrase: str) -> _Wanted:
    found = phrase_tokens(phrase)
    words = tuple(one.text for one in found if _stays(one))
    safe = tuple(word for word in words if not any(one in word for one in _NEW_WORDS))
    return _Wanted(words, safe, any(one.text[0].isdigit() for one in found))


def _stays(one: Token) -> bool:
    return one.text.isascii() and one.text.isalpha() and not one.optional and one.text not in _IN_DATES
