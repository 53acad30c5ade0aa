"""Which words of a clause deny what follows them.

"Not", "never" and their like do, and so do "failed to" or "unable to". What only looks like a denial does not:
"no problem", "no doubt", "don't forget to", or a "no" that answers and is followed by a sentence of its own.
"""

from collections.abc import Sequence
from typing import Final


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
