"""Brackets and type parameters in a list of words, and the pattern that finds words."""

import re

from assay.code.operators import type_end

CLOSERS = {")", "]", "}"}


OPENERS = {"(", "[", "{"}


OPERATORS = (
    r"===|!==|<=>|\.\.\.|=>|->|:=|<-|==|!=|<=|>=|&&|\|\||\?\?|\?\.|::|=~|!~|\*\*|\+\+|--|[-+*/%&|^]=|<<|>>|\.\."
)
"""Operators of more than one character, of all the languages together."""


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


def last_opening(found: list[str]) -> int:
    """Where the last bracket opens that is closed, with all that is in it; 0 where none is."""
    depth = 0
    for index in range(len(found) - 1, -1, -1):
        depth += (found[index] in CLOSERS) - (found[index] in OPENERS)
        if depth == 0 and found[index] in OPENERS:
            return index
    return 0


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
