"""Literals by their words: what is written out, its number, its one spelling."""

import operator
import re
from collections.abc import Mapping
from functools import reduce

from assay.detectors.test_code.engine.words import closing, joined, split

_NUMBER = re.compile(
    r"-?(0[xX][\da-fA-F_]+|(?:\d[\d_]*(?:\.\d[\d_]*)?|\.\d+)(?:[eE][-+]?\d+)?)"
    r"(?:[lLfFdDmMnN]|_?[uif](?:\d+|size)|[uU][lL]?)?"
)
CONSTANT_WORDS = frozenset(
    ("true", "false", "null", "undefined", "nil", "None", "NaN", "Infinity", "True", "False", "default", "NULL")
)
_WORKING = frozenset(("+", "-", "*"))
_WORK = (("+", operator.add), ("-", operator.sub), ("*", operator.mul))
_DEEPEST, _MOST_WORDS = 8, 40
_GLUE = frozenset(("[", "]", "{", "}", "(", ")", ",", ":", "-", "+", "=>", "new", "&", "vec", "!"))
_QUOTES = frozenset("\"'`/")
_LIST = re.compile(
    r"(?:(?:java\.util\.)?(?:Arrays\.asList|List\.of|ImmutableList\.of|Lists\.newArrayList|Collections\.singletonList)"
    r"|newArrayList|(?:mutable|array|int)?[lL]istOf|(?:int)?[aA]rrayOf|array)\("
    r"|(?:vec!|&)?\[|&vec!\["
    r"|(?:new(?: ?[\w.]+(?:<[^()]*>)?)?(?: ?\[\])*(?:\(\))?) ?\{"
)


def is_word(word: str) -> bool:
    """Whether a word is a name, and neither a literal nor a sign."""
    return (word[0].isalpha() or word[0] in "_$@") and word not in CONSTANT_WORDS


def is_text(word: str) -> bool:
    return (word[0] in _QUOTES or word[-1] == '"') and len(word) > 1


def is_literal(words: list[str]) -> bool:
    """Whether an expression is made of literals alone, so that it never depends on the code under test."""
    if not words or words == ["new"]:
        return False
    keyed = "{" in words or "[" in words
    return all(
        _is_literal(word) or (keyed and words[index + 1 : index + 2] == [":"]) for index, word in enumerate(words)
    )


def _is_literal(word: str) -> bool:
    if word in CONSTANT_WORDS or word in _GLUE or is_text(word):
        return True
    return _NUMBER.fullmatch(word) is not None or (word[0] == ":" and len(word) > 1)


def number(words: list[str]) -> float | None:
    """The number that the words write out, with or without a sign and a suffix."""
    if not 0 < len(words) <= 2:
        return None
    found = _NUMBER.fullmatch("".join(words))
    if found is None:
        return None
    digits = found[1].replace("_", "")
    try:
        value = float(int(digits, 16)) if digits[:2].lower() == "0x" else float(digits)
    except (ValueError, OverflowError):
        return None
    return -value if words[0][0] == "-" else value


def value_of(words: list[str], constants: Mapping[str, str]) -> str | float | None:
    """What literals stand for: a number, or their text; None where a name is in them."""
    if len(words) == 1:
        words = [constants.get(words[0], words[0])]
    found = number(words)
    if found is not None:
        return found
    return joined(words) if is_literal(words) else None


def worked_out(words: list[str], depth: int = 0) -> float | None:
    """The value of a sum or a product of numbers that are written out; None for anything else."""
    found = number(words)
    if found is not None or depth > _DEEPEST or len(words) > _MOST_WORDS:
        return found
    if words[:1] == ["("] and closing(words, 0) == len(words) - 1:
        return worked_out(words[1:-1], depth + 1)
    for sign, work in _WORK:
        parts = split(words, sign) if sign in words[1:] else []
        if len(parts) > 1:
            values = [worked_out(part, depth + 1) for part in parts]
            known = [value for value in values if value is not None]
            return (
                reduce(work, known) if len(known) == len(values) and len(values) == words.count(sign) + 1 else None
            )
    return None


def spelled(words: list[str]) -> str:
    """The text of an expression, a list of values in its one spelling."""
    text = joined(words)
    if not _WORKING.isdisjoint(words) and (worked := worked_out(words)) is not None:
        return f"{worked:g}" if worked == int(worked) and abs(worked) < 1e6 else repr(worked)
    found = _LIST.match(text)
    if found is None or len(words) < 3:
        return text
    bracket = found[0][-1]
    at = words.index(bracket) if bracket in words else -1
    while at >= 0 and words[at : at + 2] == ["[", "]"] and bracket in words[at + 1 :]:
        at = words.index(bracket, at + 1)
    if at < 0 or closing(words, at) != len(words) - 1:
        return text
    return f"[{', '.join(joined(one) for one in split(words[at + 1 : -1]))}]"
