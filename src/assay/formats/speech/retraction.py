"""What a speaker takes back: in "on June 5th, no wait, June 6th", the 5th no longer counts.

The words behind "no wait", "I mean" and the like replace a value in front of them: a date the last date, a number
the last number, a name what begins with the same word, any other word the word before. "Scratch that" takes back
all of its sentence, or the one before.
"""

from collections.abc import Sequence
from typing import Final

from assay.formats.speech.dates import date_at
from assay.formats.speech.negation import AUXILIARIES

_CORRECTIONS: Final = (
    ("no", "wait"),
    ("wait", "no"),
    ("no", "sorry"),
    ("sorry", "no"),
    ("sorry", "i", "meant"),
    ("i", "meant"),
    ("i", "mean"),
    ("or", "rather"),
    ("correction",),
)
_ALL_BACK: Final = (("scratch", "that"), ("strike", "that"))
_WORDS: Final = frozenset(("wait", "sorry", "meant", "mean", "rather", "correction", "scratch", "strike"))
# "There is no wait", "what I mean", "I mean it" take nothing back.
_NO_MARK_BEFORE: Final = AUXILIARIES | {
    "there",
    "what",
    "which",
    "with",
    "a",
    "any",
    "the",
    "that",
    "know",
    "little",
}
_NO_MARK_BEHIND: Final = {
    "wait": frozenset(("time", "times", "list", "period", "for")),
    "mean": frozenset(("it", "that", "by", "to", "for")),
}
_LEADING: Final = frozenset(("it", "is", "the", "on", "at", "for", "that", "make", "to", "actually", "sorry"))
_FARTHEST: Final = 12
_LONGEST_SENTENCE: Final = 100


def retracted(words: Sequence[str], sentences: Sequence[int]) -> frozenset[int]:
    """The places of the words that are taken back. ``sentences`` has the number of the sentence of each."""
    if _WORDS.isdisjoint(words):
        return frozenset()
    found: set[int] = set()
    for at in range(len(words)):
        if marks := _marks(words, at, _ALL_BACK):
            found.update(range(_sentence_start(sentences, at), at + marks))
        elif marks := _marks(words, at, _CORRECTIONS):
            found.update(range(_replaced(words, sentences, at, at + marks), at))
    return frozenset(found)


def _marks(words: Sequence[str], at: int, marks: Sequence[tuple[str, ...]]) -> int:
    """How many words of a mark stand here."""
    for mark in marks:
        if tuple(words[at : at + len(mark)]) == mark:
            before, behind = words[max(at - 1, 0) : at], words[at + len(mark) : at + len(mark) + 1]
            last = _NO_MARK_BEHIND.get(mark[-1], frozenset())
            none = _NO_MARK_BEFORE.intersection(before) or last.intersection(behind)
            return 0 if none and marks is _CORRECTIONS else len(mark)
    return 0


def _sentence_start(sentences: Sequence[int], at: int) -> int:
    """Where the sentence of a word begins, or the one before if the word itself begins one."""
    meant = sentences[at] if at and sentences[at - 1] == sentences[at] else sentences[max(at - 1, 0)]
    least = max(at - _LONGEST_SENTENCE, 0)
    while at > least and sentences[at - 1] >= meant:
        at -= 1
    return at


def _replaced(words: Sequence[str], sentences: Sequence[int], at: int, behind: int) -> int:
    """Where the value in front of a mark begins that the words behind it replace; the mark, if there is none."""
    while behind < len(words) and words[behind] in _LEADING:
        behind += 1
    if behind == len(words) or at == 0:
        return at
    places = range(at - 1, max(at - 1 - _FARTHEST, -1), -1)
    if date_at(words, behind) is not None:
        return next((place for place in reversed(places) if _ends_date(words, place, at)), at)
    if words[behind][0].isdigit():
        return _last_number(words, places, at)
    same = next((place for place in places if words[place] == words[behind]), None)
    return (at - 1 if sentences[at - 1] == sentences[at] else at) if same is None else same


def _ends_date(words: Sequence[str], place: int, at: int) -> bool:
    found = date_at(words, place)
    return found is not None and found[1] <= at


def _last_number(words: Sequence[str], places: range, at: int) -> int:
    last = next((place for place in places if words[place][0].isdigit()), None)
    if last is None:
        return at
    while last and words[last - 1][0].isdigit():
        last -= 1
    return last
