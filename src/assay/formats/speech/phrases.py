"""Find a phrase in what was said: the same words in a row, in one clause's sense.

Digits and negations are always exact. "Is confirmed" is not said in "is not confirmed", nor in "I do not think
that it is confirmed": a negation earlier in the clause turns the meaning around. Words may differ a little if
that is asked for.
"""

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple

from assay.formats.speech.forms import beginning, steps
from assay.formats.speech.negation import AUXILIARIES, SUBJECTS
from assay.formats.speech.tokens import Token, tokens


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
    return find_sought(_sought(phrase), spoken, fuzzy, start, claimed=claimed) if phrase else None


@functools.lru_cache(maxsize=1024)
def sought(phrase: str) -> Sought:
    """A phrase that an author wrote. Raises ``ValueError`` for one without a word in it."""
    return _sought(phrase_tokens(phrase))


def _sought(phrase: Sequence[Token]) -> Sought:
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
