"""Brackets and type parameters in a list of words, and the pattern that finds words."""

import re
from collections.abc import Sequence

CLOSERS = {")", "]", "}"}


OPENERS = {"(", "[", "{"}


OPERATORS = (
    r"===|!==|<=>|\.\.\.|=>|->|:=|<-|==|!=|<=|>=|&&|\|\||\?\?|\?\.|::|=~|!~|\*\*|\+\+|--|[-+*/%&|^]=|<<|>>|\.\."
)
"""Operators of more than one character, of all the languages together."""


def ends_types(out: list[str]) -> bool:
    """Whether the last word closes the types of a name, ``Foo<Bar>``, and is no comparison."""
    depth = 0
    for index in range(len(out) - 1, max(0, len(out) - _MOST_TYPE), -1):
        word = out[index]
        if word in (">", ">>"):
            depth += len(word)
        elif word == "<":
            depth -= 1
            if depth <= 0:
                return out[index - 1][0].isalpha() or out[index - 1][0] == "_"
        elif not _TYPE_PART.fullmatch(word):
            return False
    return False


_TYPE_PART = re.compile(r"[\w.,?&\[\]\s:'*]+|extends|super|::|out|in")


_AFTER_TYPE = frozenset({"(", "::", ".", "{", ">", ")", ",", "?.", "[", ""})


_MOST_TYPE = 60


def type_end(found: Sequence[str], at: int) -> int | None:
    """Where ``<…>`` that begins at an index ends, if it holds types and is no comparison."""
    depth = 0
    for index in range(at, min(len(found), at + _MOST_TYPE)):
        word = found[index]
        if word == "<":
            depth += 1
        elif word in (">", ">>"):
            depth -= len(word)
            if depth <= 0:
                following = found[index + 1] if index + 1 < len(found) else ""
                return index if following in _AFTER_TYPE else None
        elif not _TYPE_PART.fullmatch(word):
            return None
    return None


def group_end(found: list[str], at: int, before: list[str]) -> int:
    """Where the brackets, types or closure parameters that begin at an index end; the index where none do."""
    word = found[at]
    if word == "<":
        return (type_end(found, at) or at) if at else at
    if word == "|":
        if before and before != ["move"]:
            return at
        return next((index for index in range(at + 1, len(found)) if found[index] == "|"), at)
    return closing(found, at)


def closing(found: list[str], opening: int) -> int:
    """Where the bracket that opens at an index is closed; the last index where it never is."""
    depth = 0
    for index in range(opening, len(found)):
        word = found[index]
        if word in OPENERS:
            depth += 1
        elif word in CLOSERS:
            depth -= 1
            if depth <= 0:
                return index
    return len(found) - 1


def lexicon_pattern(
    strings: str, comments: str = r"//[^\n]*|/\*.*?(?:\*/|\Z)", word: str = r"[\w$@\#]+"
) -> re.Pattern[str]:
    """A pattern for ``Lexicon``: white space and comments, then a string, a word, a number or an operator."""
    number = r"\d[\w]*(?:\.\d[\w]*)?(?:(?<=[eE])[-+]\d+)?"
    return re.compile(
        rf"(?:\s+|{comments})*+({strings}|{number}|{word}|{OPERATORS}|.|\Z)", re.DOTALL | re.MULTILINE
    )


DOUBLE = r'"(?:[^"\\\n]|\\.)*"'


SINGLE = r"'(?:[^'\\\n]|\\.)*'"


CHARACTER = r"'(?:\\[^'\n]{1,10}|[^'\\\n])'"
