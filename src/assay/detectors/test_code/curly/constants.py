"""Conditions whose value is known before the program runs."""

import re
from collections import Counter
from collections.abc import Mapping

from assay.detectors.test_code.curly.tokens import Tokens, bare, split, uniform

_NUMBER = re.compile(
    r"-?(0[xX][\da-fA-F]+|(?:\d++(?:\.\d++)?|\.\d++)(?:[eE][+-]?\d+)?)(?:[lLfFdDmM]|[uif]\d+|[uif]size|[uU][lL]?)?"
)
_COMPARISONS = ("==", "===", "!=", "!==", "<=", ">=", "<", ">")
_EITHER, _BOTH = frozenset({"||"}), frozenset({"&&"})
_MOST_DEPTH = 12

_NAMED = re.compile(
    r"((?:\b(?:public|protected|private|internal|static|final|readonly|volatile)\s+){0,8})"
    r"\b(?:boolean|bool|Boolean|var|let|const|static)\b[^;=\n(){}]{0,300}?\b(\w+)\s*(?::\s*bool\s*)?=\s*(true|false)\s*;"
)


def number(parts: Tokens) -> float | None:
    """The value of a numeric literal, with or without a sign and a suffix."""
    found = _NUMBER.fullmatch("".join(parts))
    if found is None:
        return None
    digits = found[1]
    value = float(int(digits, 16)) if digits[:2].lower() == "0x" else float(digits)
    return -value if parts[0] == "-" else value


def is_literal(parts: Tokens) -> bool:
    """Is this one plain value: a number, a string, a character, true, false or nothing?"""
    if len(parts) == 1 and (parts[0][-1] in "\"'#" or parts[0] in {"true", "false", "null", "None", "default"}):
        return True
    return number(parts) is not None


def named_constants(text: str) -> dict[str, bool]:
    """Variables of a file that are set to true or false once and never again."""
    if "true;" not in text and "false;" not in text:
        return {}
    named = {name: value == "true" for modifiers, name, value in _NAMED.findall(text) if not _open(modifiers)}
    if not named:
        return {}
    times = _times_set(text, "|".join(map(re.escape, named)))
    return {name: value for name, value in named.items() if times[name] <= 1}


def _times_set(text: str, names: str) -> Counter[str]:
    """How often each name is given a value, or handed over to be given one."""
    found = re.findall(rf"\b({names})\s*(?::\s*bool\s*)?[|&^]?=(?!=)|(?:&mut|\bref|\bout)\s+({names})\b", text)
    return Counter(first or second for first, second in found)


def _open(modifiers: str) -> bool:
    """Can another file set this variable?"""
    words = set(modifiers.split())
    return not words & {"final", "readonly"} and bool(words - {"private"})


def constant(parts: Tokens, names: Mapping[str, bool], depth: int = 0) -> bool | None:
    """What a condition always comes to; None where that depends on something."""
    parts = bare(parts)
    if not parts or depth > _MOST_DEPTH:
        return None
    either = split(parts, _EITHER)
    if len(either) > 1:
        return _covers_all(either) or _joined(either, names, depth, decides=True)
    both = split(parts, _BOTH)
    if len(both) > 1:
        return _joined(both, names, depth, decides=False)
    if parts[0] == "!" and comparison(parts) is None:
        inner = constant(parts[1:], names, depth + 1)
        return None if inner is None else not inner
    return _atom(parts, names)


_OTHERWISE = {"==": "!=", "<": ">=", ">": "<=", "is_ok": "is_err", "is_some": "is_none", "isPresent": "isEmpty"}


def _covers_all(pieces: list[Tokens]) -> bool:
    """Does one condition hold whenever another does not: ``x == 3 || x != 3``, ``r.is_ok() || r.is_err()``?"""
    said = {tuple(bare(piece)) for piece in pieces}
    for piece in said:
        if ("!", *piece) in said or ("!", "(", *piece, ")") in said:
            return True
        for at, part in enumerate(piece):
            if part in _OTHERWISE and (*piece[:at], _OTHERWISE[part], *piece[at + 1 :]) in said:
                return True
    return False


def _joined(pieces: list[Tokens], names: Mapping[str, bool], depth: int, *, decides: bool) -> bool | None:
    values = [constant(piece, names, depth + 1) for piece in pieces]
    if decides in values:
        return decides
    return None if None in values else not decides


def _atom(parts: Tokens, names: Mapping[str, bool]) -> bool | None:
    text = uniform(parts)
    if text in ("true", "Boolean.TRUE", "Boolean.valueOf(true)"):
        return True
    if text in ("false", "Boolean.FALSE", "Boolean.valueOf(false)"):
        return False
    if text in names:
        return names[text]
    if text.startswith(("this.", "self.")):
        return names.get(text[5:])
    compared = comparison(parts)
    return None if compared is None else _compared(*compared)


def comparison(parts: Tokens) -> tuple[Tokens, str, Tokens] | None:
    """The two sides of the one comparison that stands outside all brackets."""
    for operators in (_COMPARISONS[:4], _COMPARISONS[4:]):
        pieces = split(parts, frozenset(operators))
        if len(pieces) == 2 and pieces[0] and pieces[1]:
            return bare(pieces[0]), parts[len(pieces[0])], bare(pieces[1])
    return None


def _compared(left: Tokens, operator: str, right: Tokens) -> bool | None:
    """Two literals compare by value; the same plain variable on both sides is equal to itself."""
    one, two = number(left), number(right)
    if one is not None and two is not None:
        return _holds(one, operator, two)
    if is_literal(left) and is_literal(right):
        return {"==": left == right, "===": left == right, "!=": left != right}.get(operator)
    if left == right and "(" not in left:
        return operator in ("==", "===", "<=", ">=")
    if two == 0 and _is_size(left):
        return {">=": True, "<": False}.get(operator)
    if one == 0 and _is_size(right):
        return {"<=": True}.get(operator)
    return None


def _holds(one: float, operator: str, two: float) -> bool | None:
    return {
        "==": one == two, "===": one == two, "!=": one != two, "!==": one != two,
        "<": one < two, ">": one > two, "<=": one <= two, ">=": one >= two,
    }.get(operator)  # fmt: skip


def _is_size(parts: Tokens) -> bool:
    """Is this a count of something, which is never below zero?"""
    if len(parts) >= 3 and parts[-2:] == ["(", ")"]:
        parts = parts[:-2]
    return len(parts) > 2 and parts[-1] in {"size", "length", "len", "Count", "Length", "count", "Size"}
