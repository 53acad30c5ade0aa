"""Speech as clauses of tokens.

A clause ends where a breath does: at a full stop, a comma, a question mark, a "but", an "and" that begins a
sentence of its own. A "not" in front of a comma denies what comes behind it: "we could not, today, confirm it".

What a speaker takes back: in "on June 5th, no wait, June 6th", the 5th no longer counts.

The words behind "no wait", "I mean" and the like replace a value in front of them: a date the last date, a number
the last number, a name what begins with the same word, any other word the word before. "Scratch that" takes back
all of its sentence, or the one before.

"Not", "never" and their like deny what follows them, and so do "failed to" or "unable to". What only looks like a
denial does not: "no problem", "no doubt", "don't forget to", or a "no" that answers and is followed by a sentence
of its own.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from assay.formats.speech.numbers import IN_AMOUNTS, IN_NUMBERS, with_amounts, with_digits
from assay.formats.speech.words import IS, MONTHS, uniform, words_of


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEGATIONS: Final = _words("not no never neither nor without none nothing nobody nowhere hardly barely scarcely")
SUBJECTS: Final = _words("i you we it he she they your the this that there my our his her their sir thanks thank")
AUXILIARIES: Final = _words(
    "am is are was were be been do does did have has had can could will would shall should may might must"
)
OPINIONS: Final = _words("think believe know say sure certain true guarantee promise confirm that")
# They deny with a "to" behind them.
_FAILING: Final = _words(
    "fail fails failed failing failure unable decline declines declined refuse refuses refused"
    " forget forgets forgot forgotten neglect neglected impossible unlikely hesitate"
)
_CORRECTING: Final = ("wait", "sorry")
_DOUBTS: Final = frozenset(("doubt", "doubts", "doubtful"))
_DENIALS: Final = _words("deny denies denying denied")
_PAIRS: Final = frozenset((("instead", "of"), ("rather", "than"), ("far", "from")))
_HARMLESS: Final = frozenset(
    (
        *(f"no {word}" for word in _words("problem problems worries worry trouble doubt question matter wonder")),
        *(f"not {word}" for word in _words("only just merely worry forget hesitate fail")),
        *(f"without {word}" for word in _words("doubt question delay fail")),
        *(f"{no} {word} than" for no in ("no", "not") for word in _words("later earlier more less fewer sooner")),
        *(f"not be {word}" for word in _words("happier better easier more")),
        "not wait to",
        "not to worry",
        "not a problem",
        "nothing to worry",
        "without further ado",
        "without further delay",
        "without a doubt",
        "without any problems",
        "without any delay",
        "nothing but",
        "never mind",
        "never fear",
        "never fail",
        "never forget",
    )
)


# No other word denies anything.
MARKED: Final = _FAILING | _DOUBTS | _DENIALS | NEGATIONS | {first for first, _ in _PAIRS}


def negating(words: Sequence[str]) -> list[bool]:
    """For each word of a clause whether it denies what follows."""
    if MARKED.isdisjoint(words):
        return [False] * len(words)
    return [word in MARKED and _negates(words, at) for at, word in enumerate(words)]


def _is_correction(words: Sequence[str], at: int) -> bool:
    """ "No wait" corrects, and denies nothing; "there is no wait" denies."""
    return at + 2 < len(words) and AUXILIARIES.isdisjoint(words[max(at - 1, 0) : at])


def _negates(words: Sequence[str], at: int) -> bool:
    word, following = words[at], words[at + 1] if at + 1 < len(words) else ""
    if word in _FAILING:
        return following == "to" and not {"not", "never"}.intersection(words[max(at - 1, 0) : at])
    if word in _DOUBTS:
        return NEGATIONS.isdisjoint(words[max(at - 2, 0) : at])
    if word in _DENIALS:
        # A claim that was denied denies nothing.
        return AUXILIARIES.isdisjoint(words[max(at - 1, 0) : at])
    if word not in NEGATIONS:
        return (word, following) in _PAIRS
    if word == "no" and (following in SUBJECTS or (following in _CORRECTING and _is_correction(words, at))):
        return False
    harmless = any(" ".join(words[at : at + length]) in _HARMLESS for length in (2, 3))
    return not harmless or words[at + 2 : at + 3] == ["yet"]


_NEW_CLAUSE: Final = frozenset({"but", "however", "although", "though", "because"})
_JOINING: Final = frozenset(("so", "and"))
_DIVIDING: Final = _NEW_CLAUSE | _JOINING
_BREATH: Final = re.compile(r"([.!?;:,](?=\s|$)|[()\[\]\"\u2013\u2014]|\s-+\s|\n)")
_DOUBTFUL: Final = NEGATIONS | OPINIONS
_FULL_STOPS: Final = frozenset(".!?;\n")
CONDITIONS: Final = frozenset(("if", "unless", "whether", "once", "until", "assuming", "provided"))
"""What follows such a word in its clause is not claimed."""
# Where none of these is said, and no digit, words are tokens as they are.
_PLAIN: Final = IN_NUMBERS | IN_AMOUNTS | MARKED | CONDITIONS | {IS}
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
MONTH_NUMBERS: Final = {name: number for number, month in enumerate(MONTHS, 1) for name in (month, month[:3])} | {
    "sept": 9
}
LONGEST_DATE: Final = 4


class Token(NamedTuple):
    """A word or a number, and the clause that it is in.

    ``negates`` says that it denies what follows in its clause, ``denied`` that an earlier word there denies it.
    One that is ``optional`` may be left out. ``open`` is a word of a question, or one behind an "if": nothing is
    claimed there. One that is ``retracted`` was taken back.
    """

    text: str
    clause: int
    negates: bool = False
    denied: bool = False
    optional: bool = False
    open: bool = False
    retracted: bool = False
    sentence: int = 0

    @property
    def exact(self) -> bool:
        """True if it must be met to the letter: digits and negations."""
        return self.text[0].isdigit() or self.text in NEGATIONS


def tokens(spoken: str) -> list[Token]:
    """The uniform words."""
    found: list[Token] = []
    clause, carried = 0, False
    pieces = _BREATH.split(uniform(spoken))
    breaths = [*pieces[1::2], ""]
    for part, breath, (sentence, asked) in zip(pieces[::2], breaths, _sentences(breaths), strict=True):
        for number, words in enumerate(_clauses(words_of(part))):
            clause += number > 0
            carried = carried and number == 0
            found += _tokens(words, Token("", clause, denied=carried, open=asked, sentence=sentence))
            carried = carried or words[-1] in ("not", "never")
        carried = carried and breath not in _FULL_STOPS
        clause += not carried
    back = retracted_places([one.text for one in found], [one.sentence for one in found])
    return [one._replace(retracted=True) if at in back else one for at, one in enumerate(found)] if back else found


def _sentences(breaths: list[str]) -> list[tuple[int, bool]]:
    """For the part before each breath, the number of its sentence, and whether that is a question."""
    ends: list[str] = []
    numbers: list[int] = []
    for breath in breaths:
        numbers.append(len(ends))
        if breath in _FULL_STOPS and breath:
            ends.append(breath)
    ends.append("")
    return [(number, ends[number] == "?") for number in numbers]


def _tokens(words: list[str], like: Token) -> Iterable[Token]:
    """The words of a clause. ``like`` has what they all have in common at first."""
    _, clause, _, denied, _, is_open, _, sentence = like
    has_digit = any(word[0].isdigit() for word in words)
    if not has_digit and _PLAIN.isdisjoint(words):
        return [Token(word, clause, False, denied, False, is_open, False, sentence) for word in words]
    has_number = has_digit or not IN_NUMBERS.isdisjoint(words)
    uniform_words = list(with_amounts(list(with_digits(words)) if has_number else words))
    found: list[Token] = []
    for word, negates in zip(uniform_words, negating(uniform_words), strict=True):
        is_open = is_open or word in CONDITIONS
        short = word == IS
        found.append(Token("is" if short else word, clause, negates, denied, short, is_open, False, sentence))
        denied = denied or negates
    return found


def _clauses(words: list[str]) -> Iterator[list[str]]:
    """The words up to each that begins a new clause. Where there are none, there is no clause."""
    if words and _DIVIDING.isdisjoint(words):
        yield words
        return
    here: list[str] = []
    doubtful: set[str] = set()
    for word, following in pairwise([*words, ""]):
        if here and (word in _NEW_CLAUSE or (following in SUBJECTS and _begins(word, doubtful))):
            yield here
            here, doubtful = [], set()
        here.append(word)
        if word in _DOUBTFUL:
            doubtful.add(word)
    if here:
        yield here


def _begins(word: str, doubtful: set[str]) -> bool:
    """Whether this word begins what is said for itself. A doubt about two things is also about the second one."""
    if word == "so":
        return True
    return word == "and" and (NEGATIONS.isdisjoint(doubtful) or OPINIONS.isdisjoint(doubtful))


def retracted_places(words: Sequence[str], sentences: Sequence[int]) -> frozenset[int]:
    """The places of the words that are taken back. ``sentences`` has the number of the sentence of each."""
    if _WORDS.isdisjoint(words):
        return frozenset()
    found: set[int] = set()
    for at in range(len(words)):
        if marks := _marks(words, at, _ALL_BACK):
            found.update(range(_sentence_start(sentences, at), at + marks))
        elif marks := _marks(words, at, _CORRECTIONS):
            found.update(range(_replaced_start(words, sentences, at, at + marks), at))
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


def _replaced_start(words: Sequence[str], sentences: Sequence[int], at: int, behind: int) -> int:
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
