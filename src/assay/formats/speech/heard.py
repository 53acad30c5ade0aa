"""The words of a turn, read one by one only if a phrase can be in it.

The words of a sentence are in it letter by letter, one behind the other, however they are joined. So a word of the
phrase that isn't among the letters isn't said, and neither are words that aren't there in a row. Some words are
read that aren't written ("can't" is "can not", and 6/5 is June 5th), or in another place ("dollars" in "5 dollars
and 50 cents"): where there are such, only the letters of a word that can't be one of them rule a phrase out.
"""

import functools
import itertools
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from assay.formats.speech.numbers import IN_NUMBERS, UNIFORM_UNITS, UNITS, WITH_CENTS, clock_digits, digits_in
from assay.formats.speech.phrases import find_sought, is_mentioned, phrase_tokens, sought_phrase
from assay.formats.speech.tokens import MONTH_NUMBERS, Token, tokens
from assay.formats.speech.words import FILLERS, SHORT_FORMS, WRITTEN_OUT

_DIGIT: Final = re.compile(r"[0-9]")
# As words are taken apart when they are read.
_WORDS: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:th)?|[a-z]+(?:'[a-z]+)?")
_SIGNS: Final = re.compile(r"['%&@+=$#/]|\.[^\s.]|-[0-9]")
_SHORT: Final = SHORT_FORMS.union(UNITS, WITH_CENTS, ("been",))
# A date may be said in another order, without these.
_IN_DATES: Final = frozenset((*MONTH_NUMBERS, "the", "of"))
_NEW_WORDS: Final = WRITTEN_OUT | UNIFORM_UNITS
_DIGITS_AND_WORDS: Final = re.compile(r"[0-9]|(?<=[0-9])th|[a-z]+")
_INSIDE: Final = re.compile(r"(?<=[a-z])['.](?=[a-z])")
# Written out, 6/5/26 has a year with these, and .5 begins with one.
_MAY_BE_ADDED: Final = frozenset("02")


class Letters(NamedTuple):
    """The letters of a text in lower case, without anything between them.

    ``short`` if other words may be read than are written, ``number`` if there may be a number.
    """

    text: str
    short: bool
    number: bool


class _Wanted(NamedTuple):
    """The words of a phrase that are met letter by letter, all that are in a row as one; the parts of them that
    can't be read where they aren't written; whether there is a number; and the digits of all that are met as such.
    """

    rows: tuple[str, ...]
    safe: tuple[str, ...]
    number: bool
    digits: frozenset[str]


class Heard:
    """The words of a turn, and its letters. Each is worked out once, when it is first needed."""

    __slots__ = ("_digits", "_letters", "_looked", "_tokens", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._letters: Letters | None = None
        self._looked = False
        self._digits: frozenset[str] | None = None
        self._tokens: list[Token] | None = None

    def end_of(
        self, phrase: str, fuzzy: float | None = None, start: int = 0, *, claimed: bool = True
    ) -> int | None:
        """The same as ``find_phrase`` with the words of both."""
        if fuzzy is None and not self._may_have(_wanted_phrase(phrase)):
            return None
        if self._tokens is None:
            self._tokens = tokens(self.text)
        return find_sought(sought_phrase(phrase), self._tokens, fuzzy, start, claimed=claimed)

    def mentions(self, phrase: str) -> bool:
        """Whether the words of a phrase are there, whatever is said about it."""
        if not self._may_have(_wanted_phrase(phrase)):
            return False
        if self._tokens is None:
            self._tokens = tokens(self.text)
        return is_mentioned(sought_phrase(phrase).phrase, self._tokens)

    def _may_have(self, wanted: "_Wanted") -> bool:
        if not self._looked:
            self._letters, self._looked = letters_of(self.text), True
        if self._letters is None:
            return True
        text, short, number = self._letters
        if wanted.number and not number:
            return False
        for word in wanted.safe if short else wanted.rows:
            if word not in text:
                return False
        return not wanted.digits or self._may_have_digits(wanted.digits)

    def _may_have_digits(self, wanted: frozenset[str]) -> bool:
        if self._digits is None:
            self._digits = digits_of(self.text)
        return wanted <= self._digits


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


def digits_of(text: str) -> frozenset[str]:
    """All digits that can be in the numbers of a text that has letters, and perhaps more."""
    text = text.replace("\u2019", "'").lower()
    words = _DIGITS_AND_WORDS.findall(text)
    if _INSIDE.search(text):
        # Letters on both sides may be read as one word, as in "a.m.".
        words += _DIGITS_AND_WORDS.findall(_INSIDE.sub("", text))
    return _MAY_BE_ADDED.union(digits_in(words), clock_digits(words))


@functools.lru_cache(maxsize=1024)
def _wanted_phrase(phrase: str) -> _Wanted:
    found = phrase_tokens(phrase)
    words = tuple(one.text for one in found if _stays(one))
    safe = tuple(part for word in words for part in _written_parts(word))
    return _Wanted(_rows(found), safe, any(one.text[0].isdigit() for one in found), _digits(found))


def _written_parts(word: str) -> list[str]:
    """The letters of a word that belong to no word that may be read where it isn't written: "diagnos" for "is"."""
    new = {
        at
        for one in _NEW_WORDS
        for start in range(len(word))
        if word.startswith(one, start)
        for at in range(start, start + len(one))
    }
    return "".join([" " if at in new else letter for at, letter in enumerate(word)]).split()


def _rows(found: Sequence[Token]) -> tuple[str, ...]:
    """The words that stay, with those next to each other written as one."""
    return tuple("".join([one.text for one in row]) for stays, row in itertools.groupby(found, _stays) if stays)


def _digits(found: Sequence[Token]) -> frozenset[str]:
    """The digits of the numbers. That of a month may be said by its name."""
    if not MONTH_NUMBERS.keys().isdisjoint([one.text for one in found]):
        return frozenset()
    return frozenset("".join([one.text for one in found if one.text.isdigit()]))


def _stays(one: Token) -> bool:
    return one.text.isascii() and one.text.isalpha() and not one.optional and one.text not in _IN_DATES
