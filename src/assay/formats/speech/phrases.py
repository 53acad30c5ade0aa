"""Find a phrase in what was said: the same words in a row, in one clause's sense.

Digits and negations are always exact. "Is confirmed" is not said in "is not confirmed", nor in "I do not think
that it is confirmed": a negation earlier in the clause turns the meaning around. Words may differ a little if
that is asked for.

The ways in which a part of a phrase is met by a part of what was said.

Each takes a place in both and gives the places behind: the same word; digits in other groups; a date in another
order; a word that is written as several, or letter by letter.
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from assay.formats.speech.tokens import AUXILIARIES, LONGEST_DATE, MONTH_NUMBERS, SUBJECTS, Token, date_at, tokens
from assay.formats.speech.words import MONTHS

Tokens = Sequence[Token]
Places = tuple[int, int]
_DATES: Final = frozenset((*MONTH_NUMBERS, "the"))
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
        yield from ((at + 1, end) for end in _joined_ends(wanted, spoken, here))
    elif said.text.startswith(wanted.text):
        yield from ((end, here + 1) for end in _joined_ends(said, phrase, at))
    if wanted.text in _DATES or wanted.text[0].isdigit():
        yield from _dates(phrase, at, spoken, here)


def beginning(phrase: Tokens) -> tuple[str, Callable[[str], bool]]:
    """Whether what meets a phrase can begin with a word, unless words may differ: first letters, and a test."""
    own = phrase[0].text
    date = _date(phrase, 0)
    if date is None:
        return own[0], lambda text: text.startswith(own) or own.startswith(text)
    letters = f"{own[0]}{MONTHS[date[0][0] - 1][0]}t0123456789"
    return letters, lambda _: True


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
    found = date_at([token.text for token in tokens[at : at + LONGEST_DATE]], 0)
    return None if found is None else (found[0], at + found[1])


def _joined_ends(one: Token, many: Tokens, at: int) -> Iterator[int]:
    """Where several words end that make up one together. None of them is a number or a negation."""
    text, here = "", at
    while (
        here < len(many) and not many[here].exact and not one.exact and one.text.startswith(text + many[here].text)
    ):
        text += many[here].text
        here += 1
        if text == one.text and here > at + 1:
            yield here


class Sought(NamedTuple):
    """A phrase to look for, with all that is known about it before anything was said.

    ``first`` has the letters with which a word can begin that begins the phrase.
    """

    phrase: Sequence[Token]
    claims: bool
    first: str
    can_begin: Callable[[str], bool]


def find_phrase(
    phrase: Sequence[Token],
    spoken: Sequence[Token],
    fuzzy: float | None = None,
    start: int = 0,
    *,
    claimed: bool = True,
) -> int | None:
    """Where the first occurrence from ``start`` on ends; None where there is none.

    With ``claimed``, a phrase that claims something isn't found in a question or behind an "if".
    """
    return find_sought(_sought_tokens(phrase), spoken, fuzzy, start, claimed=claimed) if phrase else None


def is_mentioned(phrase: Sequence[Token], spoken: Sequence[Token]) -> bool:
    """Whether the words are there at all: also denied, asked for, or taken back."""
    return any(_end(phrase, spoken, at, None) is not None for at in range(len(spoken)))


@functools.lru_cache(maxsize=1024)
def sought_phrase(phrase: str) -> Sought:
    """A phrase that an author wrote. Raises ``ValueError`` for one without a word in it."""
    return _sought_tokens(phrase_tokens(phrase))


def _sought_tokens(phrase: Sequence[Token]) -> Sought:
    return Sought(phrase, _claims(phrase), *beginning(phrase))


def find_sought(
    wanted: Sought, spoken: Sequence[Token], fuzzy: float | None, start: int, *, claimed: bool
) -> int | None:
    """The same as ``find_phrase``."""
    phrase, claims, first, can_begin = wanted
    claims = claims and claimed
    for at in range(start, len(spoken)):
        if fuzzy is None:
            text = spoken[at].text
            # Most words are ruled out by their first letter.
            if text[0] not in first or not can_begin(text):
                continue
        end = _end(phrase, spoken, at, fuzzy)
        if end is None or _is_denied(phrase, spoken, at, end) or (claims and spoken[end - 1].open):
            continue
        if not any(one.retracted for one in spoken[at:end]):
            return end
    return None


def _claims(phrase: Sequence[Token]) -> bool:
    """Whether a phrase says that something is so: "is booked" does, "date of birth" and "may I ask" don't."""
    texts = [token.text for token in phrase]
    asks = texts[0] in AUXILIARIES and texts[1:2] and texts[1] in SUBJECTS
    return not asks and not phrase[0].open and not AUXILIARIES.isdisjoint(texts)


@functools.lru_cache(maxsize=1024)
def phrase_tokens(phrase: str) -> tuple[Token, ...]:
    """A phrase that an author wrote. Raises ``ValueError`` for one without a word in it."""
    found = tuple(tokens(phrase))
    if not found:
        raise ValueError(f"the phrase {phrase!r} has no words")
    return found


def _end(phrase: Sequence[Token], spoken: Sequence[Token], at: int, fuzzy: float | None) -> int | None:
    """Where the phrase ends, if it begins here. No pair of places is looked at twice."""
    behind = at + len(phrase)
    if [one.text for one in spoken[at:behind]] == [one.text for one in phrase]:
        return behind  # To the letter, which is the way that is tried first below.
    waiting = [(0, at)]
    seen = {(0, at)}
    while waiting:
        wanted, here = waiting.pop()
        if wanted == len(phrase):
            return here
        new = [places for places in steps(phrase, wanted, spoken, here, fuzzy) if places not in seen]
        seen.update(new)
        waiting += new
    return None


def _is_denied(phrase: Sequence[Token], spoken: Sequence[Token], at: int, end: int) -> bool:
    """Whether something denies the phrase: earlier in its clause, or behind it if it ends with such as "is"."""
    if spoken[at].denied:
        return True
    behind = spoken[end] if end < len(spoken) and phrase[-1].text in AUXILIARIES else None
    return behind is not None and behind.negates and behind.clause == spoken[end - 1].clause
