"""How tightly the operators of each language bind: the one table that a language's expressions are read by.

Expressions of all languages are written in one neutral spelling, whose table is Python's. Where a language binds
otherwise, brackets say so: JavaScript's ``a | b === c`` is ``a | (b === c)`` there.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

PRIMARY, PREFIX, KEYWORD, BESIDE = 20.0, 14.0, 0.0, 0.1
"""How tightly things bind that no operator takes apart, signs before an operand, words such as ``return``, and
things that only stand beside each other."""
NEGATION = 4.5
_CHOICE, _ASSIGN, _LABEL = 2.0, 1.0, 0.5


def _levels(*levels: tuple[float, str]) -> dict[str, float]:
    return {sign: strength for strength, signs in levels for sign in signs.split()}


_COMMON = {
    **_levels(
        (_LABEL, ":"),
        (_ASSIGN, "=> -> = += -= *= /= %= &= |= ^= := <-"),
        (_CHOICE, "?"),
        (2.5, ".. ..."),
        (3.0, "?? ?: || or"),
        (4.0, "&& and"),
        (7.0, "== === != !== <> =~ !~ < > <= >= <=> in is as instanceof !in"),
        (9.0, "<< >>"),
        (10.0, "+ -"),
        (11.0, "* / %"),
        (15.0, "**"),
    ),
    "is not": 7.0,
    "not in": 7.0,
}
_TIGHT_BITS = _levels((8.2, "|"), (8.4, "^"), (8.6, "&"))
_BY_EQUALITY = {
    **_levels((8.0, "< > <= >= in is as instanceof !in"), (7.0, "== === != !== <> =~ !~ <=>")),
    "is not": 7.0,
    "not in": 8.0,
}
COMPARISONS = frozenset(sign for sign, strength in _COMMON.items() if strength == 7.0)
RIGHT = frozenset(["**", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", ":=", "=>", "->", "?", "??", "?:"])
"""Operators that begin with their right side: ``a = b = c``."""
ASSOCIATIVE = frozenset(["&&", "||", "and", "or"])


@dataclass(frozen=True, slots=True, eq=False)
class Operators:
    """The operators of one language."""

    strengths: Mapping[str, float]
    chained: bool = False
    """Whether ``a < b < c`` compares twice, and is not the comparison of a comparison."""
    named: float | None = None
    """How tightly a function binds that stands between its operands: ``a to b``."""
    tuples: bool = False
    """Whether a comma makes ``(4,)`` a list of one element."""
    functions: frozenset[str] = frozenset()
    """Words that are functions in this language and operators in others: Hamcrest's ``not``."""
    negation: float = NEGATION
    """How tightly the word ``not`` binds."""


NEUTRAL = Operators({**_COMMON, **_TIGHT_BITS, "if": _CHOICE, "for": 0.8}, chained=True, tuples=True)
PYTHON = NEUTRAL
C_LIKE = Operators({**_COMMON, **_BY_EQUALITY, **_levels((5.0, "|"), (5.5, "^"), (6.0, "&"))})
"""JavaScript, Java, C# and PHP."""
GO = Operators({**_COMMON, **_levels((10.0, "+ - | ^"), (11.0, "* / % << >> &"))})
RUST = Operators({**_COMMON, **_TIGHT_BITS, "as": 11.5}, tuples=True)
RUBY = Operators(
    {**_COMMON, **_BY_EQUALITY, **_levels((8.2, "| ^"), (8.6, "&"), (0.8, "and or if unless while until"))},
    negation=0.9,
)
SWIFT = Operators(
    {
        **_COMMON,
        **_levels((8.2, "??"), (8.5, "is as"), (9.0, ".. ..."), (10.0, "| ^"), (11.0, "&"), (12.0, "<< >>")),
    }
)
KOTLIN = Operators(
    {**_COMMON, **_BY_EQUALITY, **_levels((8.2, "in is !in"), (8.5, "?:"), (9.7, ".."), (11.5, "as"))}, named=9.0
)

_TYPE_PART = re.compile(r"[\w.,?&\[\]\s:'*]+|extends|super|::|out|in")
_AFTER_TYPE = frozenset({"(", "::", ".", "{", ">", ")", ",", "?.", "[", ""})
_MOST_TYPE = 60


def type_end(words: Sequence[str], at: int) -> int | None:
    """Where ``<…>`` that begins at an index ends, if it holds types and is no comparison."""
    depth = 0
    for index in range(at, min(len(words), at + _MOST_TYPE)):
        word = words[index]
        if word == "<":
            depth += 1
        elif word in (">", ">>"):
            depth -= len(word)
            if depth <= 0:
                following = words[index + 1] if index + 1 < len(words) else ""
                return index if following in _AFTER_TYPE else None
        elif not _TYPE_PART.fullmatch(word):
            return None
    return None
