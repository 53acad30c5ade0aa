"""Find a phrase in what was said: the same words in a row, in one clause's sense.

Digits and negations are always exact. "Is confirmed" is not said in "is not confirmed", nor in "I do not think
that it is confirmed": a negation earlier in the clause turns the meaning around. Words may differ a little if
that is asked for.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher

from assay.formats.speech.tokens import NEGATIONS, Token, tokens


def find_phrase(
    phrase: Sequence[Token], spoken: Sequence[Token], fuzzy: float | None = None, start: int = 0
) -> int | None:
    """Where the first occurrence from ``start`` on ends; None where there is none."""
    if not phrase:
        return None
    for at in range(start, len(spoken)):
        end = _met(phrase, spoken, at, fuzzy)
        if end is not None and _same_sense(phrase, spoken, at):
            return end
    return None


def phrase_tokens(phrase: str) -> list[Token]:
    """A phrase that an author wrote. Raises ``ValueError`` for one without a word in it."""
    found = tokens(phrase)
    if not found:
        raise ValueError(f"the phrase {phrase!r} has no words")
    return found


def _met(phrase: Sequence[Token], spoken: Sequence[Token], at: int, fuzzy: float | None) -> int | None:
    """Where the words of the phrase end, if they begin here. Digits may be grouped differently."""
    here = at
    for wanted in phrase:
        if here >= len(spoken):
            return None
        if wanted.text[0].isdigit():
            after = _same_digits(wanted.text, spoken, here)
            if after is None:
                return None
            here = after
        elif _same_word(wanted, spoken[here], fuzzy):
            here += 1
        else:
            return None
    return here


def _same_digits(wanted: str, spoken: Sequence[Token], at: int) -> int | None:
    """A number may be said in parts ("12 34" for 1234), but no part of a longer one counts."""
    digits = ""
    for here in range(at, len(spoken)):
        if not spoken[here].text[0].isdigit() or not wanted.startswith(digits + spoken[here].text):
            return None
        digits += spoken[here].text
        if digits == wanted:
            return here + 1
    return None


def _same_word(wanted: Token, said: Token, fuzzy: float | None) -> bool:
    if wanted.text == said.text:
        return True
    if fuzzy is None or wanted.exact or said.exact:
        return False
    return SequenceMatcher(None, wanted.text, said.text).ratio() >= fuzzy


def _same_sense(phrase: Sequence[Token], spoken: Sequence[Token], at: int) -> bool:
    """Whether no negation stands before the phrase in its clause that the phrase itself has not."""
    clause = spoken[at].clause
    before = at - 1
    while before >= 0 and spoken[before].clause == clause:
        if spoken[before].text in NEGATIONS:
            return False
        before -= 1
    return bool(phrase)
