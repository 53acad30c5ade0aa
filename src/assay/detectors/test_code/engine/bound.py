"""Other words for the names in an expression: what a helper was given, or what a row has."""

import re
from collections.abc import Mapping

from assay.code.expressions import KEYWORDS, PREFIX_WORDS
from assay.code.operators import NEUTRAL
from assay.detectors.test_code.engine.expressions.brackets import closing
from assay.detectors.test_code.engine.expressions.literals import CONSTANT_WORDS, elements, fields_of
from assay.detectors.test_code.engine.expressions.words import simplified

Bound = Mapping[str, list[str]]
"""What parameters stand for."""

NOTHING_BOUND: Bound = {}
DOTS = frozenset((".", "?.", "::", "&."))
_NAME = re.compile(r"[$@]{0,2}[^\W\d]\w*\Z")
_LOOSE = frozenset((*NEUTRAL.strengths, ",", "not", "await", "return", "yield", "throw"))
_PREFIXES = frozenset((*KEYWORDS, *PREFIX_WORDS, "not", "in", "is"))


def put_in(words: list[str], bound: Bound) -> list[str]:
    """An expression with other words for some of its names."""
    if bound.keys().isdisjoint(words):
        return words
    out: list[str] = []
    grouped, after = False, 0
    for at, word in enumerate(words):
        if at < after:
            continue
        if word in bound and not is_no_name(words, at):
            value, after = _part(bound[word], words, at)
            put = kept_together(value)
            grouped |= put[:1] == ["("]
            out += put
        else:
            out.append(word)
    return simplified(out) if grouped else out


def _part(value: list[str], words: list[str], at: int) -> tuple[list[str], int]:
    """The part of a record or a list, and where it ends: ``case.want``, ``row[0]``."""
    following = words[at + 1 : at + 4]
    name, after = "", at + 1
    if following[:1] and following[0] in DOTS and words[at + 3 : at + 4] != ["("]:
        name, after = "".join(following[1:2]), at + 3
    elif following[:1] == ["["] and following[2:] == ["]"]:
        name, after = following[1].strip("\"':"), at + 4
    if not name:
        return value, after
    parts = elements(value) if name.isdigit() else None
    found = parts[int(name)] if parts and int(name) < len(parts) else fields_of(value).get(name)
    return (found, after) if found is not None else (value, at + 1)


def is_name(word: str) -> bool:
    return _NAME.match(word) is not None


def is_no_name(words: list[str], at: int) -> bool:
    """Whether a word is a literal, a sign, a member of something or a label."""
    word = words[at]
    if not is_name(word) or word in CONSTANT_WORDS:
        return True
    if at and words[at - 1] in DOTS:
        return True
    following = words[at + 1 : at + 2]
    return following == ["="] or (following == [":"] and at > 0 and words[at - 1] in ("{", ","))


def is_operand(words: list[str]) -> bool:
    """Whether words are a name, or calls, members and indexes of one: nothing around them can take them apart."""
    if not words or not is_name(words[0]) or words[0] in _PREFIXES:
        return False
    at, count = 1, len(words)
    while at < count:
        if words[at] == "." and at + 1 < count and is_name(words[at + 1]):
            at += 2
        elif words[at] in ("(", "["):
            at = closing(words, at) + 1
        else:
            return False
    return True


def kept_together(words: list[str]) -> list[str]:
    """An operation keeps together wherever it is put."""
    if is_operand(words):
        return words
    loose = words[:1] == ["await"] or (len(words) > 1 and not _LOOSE.isdisjoint(words))
    return ["(", *words, ")"] if loose and words[0] != "(" else words
