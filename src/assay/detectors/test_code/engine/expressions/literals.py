"""Literals by their words: what is written out, its number, its one spelling."""

import operator
import re
from collections.abc import Mapping
from functools import reduce

from assay.detectors.test_code.engine.expressions.brackets import closing, last_opening
from assay.detectors.test_code.engine.expressions.words import joined, split

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
    r"|newArrayList|(?:mutable|array|int)?[lL]istOf|(?:int)?[aA]rrayOf|array)(?:<[\w<>?, ]*>)?\("
    r"|(?:vec!|&)?\[|&vec!\["
    r"|(?:new(?: ?[\w.]+(?:<[^()]*>)?)?(?: ?\[\])*(?:\(\))?) ?\{"
)
_CUTS = (
    (
        re.compile(
            r"(?:\.iter\(\)|\.stream\(\))?\.(?:take|Take|first|limit|prefix|head)(?P<start>)\((?P<stop>\d+)\)(?:\.\w+\(\))?"
        ),
        True,
    ),
    (re.compile(r"\.(?:slice|subList|slice!)\((?P<start>\d*),(?P<stop>\d+)\)"), True),
    (re.compile(r"\[(?P<start>\d*)(?::|\.\.[.<]?)(?P<stop>\d+)\]"), True),
    (
        re.compile(
            r"(?:\.iter\(\)|\.stream\(\))?\.(?:drop|Skip|skip|slice|dropFirst)(?P<start>)\((?P<stop>\d+)\)"
        ),
        False,
    ),
    (re.compile(r"\[(?P<start>)(?P<stop>\d+)(?::|\.\.)\]"), False),
)
"""What takes a part of a list: up to a place, or from one."""
_WHOLE = re.compile(
    r"(?:\.(?:iter|stream|into_iter|copied|cloned|to_vec|ToList|toList|items|entries|entrySet)\(\))*"
    r"|(?:as|satisfies)[\w\[\]<>?]+"
)


def is_text(word: str) -> bool:
    """Whether a word is a text that is written out; one with expressions in it is none."""
    if len(word) < 2 or (word[0] not in _QUOTES and word[-1] != '"'):
        return False
    return not (word[0] in "fF" and "{" in word) and not (word[0] == "`" and "${" in word)


def is_literal(words: list[str]) -> bool:
    """Whether an expression is made of literals alone, so that it never depends on the code under test."""
    if not words or words == ["new"]:
        return False
    for index, word in enumerate(words):
        if not _is_literal(word) and not (
            words[index + 1 : index + 2] == [":"] and ("{" in words or "[" in words)
        ):
            return False
    return True


def _is_literal(word: str) -> bool:
    if word in CONSTANT_WORDS or word in _GLUE or is_text(word):
        return True
    if word[0].isalpha():
        return False
    return _NUMBER.fullmatch(word) is not None or (word[0] == ":" and len(word) > 1)


def is_inert(words: list[str], pure: frozenset[str]) -> bool:
    """Whether nothing that a test could be about takes part: literals, and pure functions of literals."""
    plain: list[str] = []
    for at, word in enumerate(words):
        if words[at + 1 : at + 2] != ["("]:
            plain.append(word)
        elif plain[-1:] == ["."] and f"{''.join(plain[-2:])}{word}" in pure:
            del plain[-2:]
        elif word not in pure or plain[-1:] == ["."]:
            plain.append(word)
    return len(plain) < len(words) and is_literal(plain)


def number(words: list[str]) -> float | None:
    """The number that the words write out, with or without a sign and a suffix."""
    if not 0 < len(words) <= 2 or words[0][:1].isalpha():
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


def measure(words: list[str], constants: Mapping[str, str]) -> float | None:
    """The number that words write out, or that a name stands for."""
    named = constants.get(words[-1]) if words else None
    return number(words) if named is None else number([named])


def value_of(words: list[str], constants: Mapping[str, str]) -> str | float | None:
    """The value of literals: a number, or their text; None where a name is in them."""
    if len(words) == 1:
        words = [constants.get(words[0], words[0])]
    found = worked_out(words)
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
    if not _WORKING.isdisjoint(words) and (worked := worked_out(words)) is not None:
        return f"{worked:g}" if worked == int(worked) and abs(worked) < 1e6 else repr(worked)
    opened = _opening(words)
    if opened is None or closing(words, opened) != len(words) - 1:
        return joined(words)
    return f"[{', '.join(joined(one) for one in split(words[opened + 1 : -1]))}]"


def elements(words: list[str]) -> list[list[str]] | None:
    """The elements of a list that is written out, or of a part of one; None for anything else."""
    opened = 0 if words[:1] in (["("], ["{"]) else _typed(words) or _opening(words)
    end = closing(words, opened) if opened is not None else len(words)
    if opened is None or end >= len(words):
        return None
    inside, rest = words[opened + 1 : end], words[end + 1 :]
    found = split(inside) if inside else []
    if "for" in inside or any(not each or each[0] in ("*", "...", "**") for each in found):
        return None
    return found if not rest else _cut(found, rest)


def _typed(words: list[str]) -> int:
    """Where the elements begin of a list that tells their type first: ``[]int{1, 2}``."""
    if words[-1:] != ["}"] or words[0] not in ("[", "map") or words[1].isdigit():
        return 0
    return last_opening(words)


def fields_of(words: list[str]) -> dict[str, list[str]]:
    """The fields of a record that is written out: ``{ a: 1 }``, ``Case(a = 1)``, ``["a" => 1]``."""
    opened = next((at for at, word in enumerate(words) if word in ("{", "(", "[")), len(words))
    if opened >= len(words) or closing(words, opened) != len(words) - 1:
        return {}
    parts = split(words[opened + 1 : -1])
    return {part[0].strip("\"':"): part[2:] for part in parts if len(part) > 2 and part[1] in (":", "=", "=>")}


def _cut(found: list[list[str]], rest: list[str]) -> list[list[str]] | None:
    """The rest of a list after a cut: ``.take(1)``, ``.slice(0, 1)``, ``[:1]``."""
    text = joined(rest).replace(" ", "")
    for pattern, first in _CUTS:
        named = pattern.fullmatch(text)
        if named is not None:
            start, stop = (int(each) if each else None for each in (named["start"], named["stop"]))
            return found[start or 0 : stop] if first else found[stop or 0 :]
    return found if _WHOLE.fullmatch(text) else None


def _opening(words: list[str]) -> int | None:
    """Where the elements of a list begin; None for what is no list."""
    found = _LIST.match(joined(words))
    if found is None or len(words) < 2:
        return None
    bracket = found[0][-1]
    at = words.index(bracket) if bracket in words else -1
    while at >= 0 and words[at : at + 2] == ["[", "]"] and bracket in words[at + 1 :]:
        at = words.index(bracket, at + 1)
    return at if at >= 0 else None


def power_of_ten(exponent: float) -> float:
    """10 to a power, however large that is."""
    return 10.0**exponent if exponent < 300 else float("inf")
