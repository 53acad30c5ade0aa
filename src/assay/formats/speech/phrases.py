"""Find a phrase in what was said: the same words in a row, in one clause's sense.

Digits and negations are always exact. "Is confirmed" is not said in "is not confirmed", nor in "I do not think
that it is confirmed": a negation earlier in the clause turns the meaning around. Words may differ a little if
that is asked for.
"""

import functools
from collections.abc import Sequence

from assay.formats.speech.forms import beginning, steps
from assay.formats.speech.negation import AUXILIARIES, SUBJECTS
from assay.formats.speech.tokens import Token, tokens


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
    if not phrase:
        return None
    can_begin, claims = beginning(phrase), claimed and _claims(phrase)
    for at in range(start, len(spoken)):
        if fuzzy is None and not can_begin(spoken[at].text):
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
