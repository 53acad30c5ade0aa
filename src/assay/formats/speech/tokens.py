"""Speech as clauses of tokens.

A clause ends where a breath does: at a full stop, a comma, a question mark, a "but", an "and" that begins a
sentence of its own. A "not" in front of a comma denies what comes behind it: "we could not, today, confirm it".
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from assay.formats.speech.amounts import IN_AMOUNTS, with_amounts
from assay.formats.speech.negation import MARKED, NEGATIONS, OPINIONS, SUBJECTS, negating
from assay.formats.speech.numbers import IN_NUMBERS, with_digits
from assay.formats.speech.retraction import retracted
from assay.formats.speech.words import IS, uniform, words_of

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
        """Whether it must be met to the letter: digits and negations."""
        return self.text[0].isdigit() or self.text in NEGATIONS


def tokens(spoken: str) -> list[Token]:
    """What was said, uniform."""
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
    back = retracted([one.text for one in found], [one.sentence for one in found])
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
    has_digit = any(word[0].isdigit() for word in words)
    if not has_digit and _PLAIN.isdisjoint(words):
        _, clause, _, denied, _, is_open, _, sentence = like
        return [Token(word, clause, False, denied, False, is_open, False, sentence) for word in words]
    return _read_tokens(words, like, has_number=has_digit or not IN_NUMBERS.isdisjoint(words))


def _read_tokens(words: list[str], like: Token, *, has_number: bool) -> Iterator[Token]:
    uniform_words = list(with_amounts(list(with_digits(words)) if has_number else words))
    denied, is_open = like.denied, like.open
    for word, negates in zip(uniform_words, negating(uniform_words), strict=True):
        is_open = is_open or word in CONDITIONS
        text = "is" if word == IS else word
        yield Token(text, like.clause, negates, denied, word == IS, is_open, sentence=like.sentence)
        denied = denied or negates


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
