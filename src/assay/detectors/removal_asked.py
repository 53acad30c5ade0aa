"""Whether an instruction asks to remove something: a word such as "remove" near its name, in the same sentence.

A name is mentioned as it is written, by all of its words (``apply_coupon`` by "coupons are applied"), or by its
last word. "Don't remove" asks for nothing. Instructions are read in English; code in them is text like any other.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from assay.detectors.test_code.word_sets import word_set

LONGEST: Final = 100_000
"""What comes after that in an instruction isn't read."""
_VERBS: Final = re.compile(
    r"\b(?:remov(?:e[sd]?|ing|al)|delet(?:e[sd]?|ing|ion)|drop(?:s|ped|ping)?|deprecat(?:e[sd]?|ing|ion)"
    r"|get(?:ting)?\s+rid\s+of|no\s+longer|retir(?:e[sd]?|ing)|eliminat(?:e[sd]?|ing)|discontinu(?:e[sd]?|ing)"
    r"|replac(?:e[sd]?|ing|ement)|renam(?:e[sd]?|ing)|merg(?:e[sd]?|ing)|inlin(?:e[sd]?|ing)|consolidat(?:e[sd]?|ing)"
    r"|phas(?:e[sd]?|ing)\s+out|sunset(?:s|ting)?|(?:take|rip|strip|cut|throw)s?\s+(?:\w+\s+){0,3}?(?:out|away)"
    r"|obsolete|unused|dead\s+code|supersed(?:e[sd]?|ing)|migrat(?:e[sd]?|ing)\s+(?:away|off|from)"
    r"|stop(?:s|ped|ping)?\s+supporting|ends?\s+(?:of\s+)?support)\b",
    re.IGNORECASE,
)
_NOT: Final = re.compile(
    r"(?:\b(?:not|never|without|cannot|avoid|instead\s+of|rather\s+than|nothing|no)|n't)\s+(?:\w+\s+){0,2}$",
    re.IGNORECASE,
)
_BEFORE: Final = 60
_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+|\n+")
_ITEM: Final = re.compile(r"\s*(?:[-*+\u2022]|\d{1,3}[.)])\s")
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_IDENTIFIER: Final = re.compile(r"\w+")
_SHORTEST_LAST: Final = 3
# These say nothing about what is meant.
_GENERIC: Final = word_set(
    "all new old file data list test value name code item type key function method class helper util string "
    "text line number count result object call run get set"
)


def removals_asked(instruction: str, names: Iterable[str]) -> frozenset[str]:
    """Those of some names that an instruction asks to remove."""
    sentences = [_Mentions(text) for text in _asking(instruction[:LONGEST])]
    return frozenset(name for name in names if any(one.has(name) for one in sentences))


def _asking(instruction: str) -> Iterator[str]:
    """The sentences that ask for a removal, and the items of a list below one that does."""
    listing = False
    for sentence in _SENTENCE.split(instruction):
        asks = _asks(sentence)
        if asks or (listing and _ITEM.match(sentence)):
            yield sentence
        listing = (asks and sentence.rstrip().endswith(":")) or (listing and _ITEM.match(sentence) is not None)


def _asks(sentence: str) -> bool:
    starts = (found.start() for found in _VERBS.finditer(sentence))
    return any(not is_negated(sentence, at) for at in starts)


def is_negated(sentence: str, at: int) -> bool:
    """Whether a verb has a "not" or the like before it."""
    return _NOT.search(sentence[max(at - _BEFORE, 0) : at]) is not None


class _Mentions:
    """The identifiers and the words of a sentence."""

    def __init__(self, sentence: str) -> None:
        self.identifiers = {name.lower() for name in _IDENTIFIER.findall(sentence)}
        self.words = {stem(word) for word in _WORD.findall(sentence)}

    def has(self, name: str) -> bool:
        parts = _WORD.findall(name)
        words = [stem(word) for word in parts]
        if name.lower() in self.identifiers or not words:
            return name.lower() in self.identifiers
        tells = len(parts[-1]) >= _SHORTEST_LAST and parts[-1].lower().removesuffix("s") not in _GENERIC
        return self.words.issuperset(words) or (tells and words[-1] in self.words)


def stem(word: str) -> str:
    """A word without its ending, so that one form of it finds the others."""
    plain = word.lower()
    for ending in ("ies", "ing", "ied", "ers", "er", "ed", "es", "s", "y", "e"):
        if plain.endswith(ending) and len(plain) - len(ending) >= 3:
            return plain.removesuffix(ending)
    return plain
