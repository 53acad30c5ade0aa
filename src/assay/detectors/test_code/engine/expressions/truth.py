"""Whether a condition always or never holds, as far as that is written in it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from assay.code.expressions import Expr, expression
from assay.code.operators import PREFIX
from assay.detectors.test_code.engine.expressions.brackets import closing
from assay.detectors.test_code.engine.expressions.literals import (
    CONSTANT_WORDS,
    is_literal,
    is_text,
    number,
    value_of,
)
from assay.detectors.test_code.engine.expressions.words import bare, joined, split
from assay.detectors.test_code.word_sets import word_set

_DEEPEST = 40
_LONGEST = 400
"""How many words a condition may have to be looked into. Nobody writes longer ones to say true or false."""
OPPOSITE = {"==": "!=", "===": "!==", "!=": "==", "!==": "===", "<": ">=", ">": "<=", "<=": ">", ">=": "<"}
EQUALS = frozenset(("==", "===", "is"))
DIFFERS = frozenset(("!=", "!==", "<>", "is not"))
COMPARISONS = frozenset(OPPOSITE) | {"=~", "!~", "instanceof", "in", "is", "!in", "<>", "is not", "not in"}
_CALLING = frozenset(("(", "new", "++", "--", "yield", "await", "<-", "!"))
_SIZES = frozenset(("size", "length", "len", "Count", "Length", "count", "Len", "Size"))
_SIZE_OF = frozenset(("len",))
_OTHERWISE = {
    "==": "!=",
    "<": ">=",
    ">": "<=",
    "is_ok": "is_err",
    "is_some": "is_none",
    "isPresent": "isEmpty",
    "is": "is not",
}
FALSY = frozenset(("false", "null", "undefined", "nil", "None", "0", '""', "NaN", "-0", "0n", "0.0", "False"))
"""What counts as false in a condition, but for languages where less does.

Where ``[]`` is among it, so is whatever has nothing in it, and what has something in it is true.
"""
PURE = word_set(
    "JSON.parse BigInt decodeURIComponent Integer.parseInt Integer.valueOf Long.parseLong Double.parseDouble "
    "UUID.fromString int.Parse Guid.Parse strconv.Atoi Integer Float"
)
"""Functions that come with a language: what they make of literals is not for a test to show."""
_ASKING = frozenset(("bool", "Boolean"))
"""What asks whether something counts as true."""
_DISPLAYS = frozenset(("(", "[", "{"))
_NO_CONSTANTS: Mapping[str, str] = {}
_UNSET = frozenset(("false",))


@dataclass(frozen=True, slots=True)
class Logic:
    """How a language decides conditions.

    ``strict`` is one where only booleans may stand there; with ``capitals``, what is called by a name with a
    capital letter is a class.
    """

    falsy: frozenset[str] = FALSY
    strict: bool = False
    capitals: bool = False
    loose: bool = False
    """Whether what equals true is no more than what counts as true."""
    chained: bool = False
    """Whether ``1 < x < 3`` means that both hold."""
    borrows: bool = False
    """Whether ``&x`` and ``*x`` equal whatever ``x`` does."""
    pure: frozenset[str] = PURE
    wrappers: frozenset[str] = frozenset()
    """What makes a result of a value: ``Ok(3)``. To equal it is to equal the value, once unwrapped."""


def same(left: list[str], right: list[str]) -> bool:
    """Whether two expressions are the same and give the same value twice: no call is made in between."""
    return bool(left) and left == right and not _CALLING.intersection(left)


def truth(
    words: list[str], constants: Mapping[str, str] = _NO_CONSTANTS, falsy: frozenset[str] = FALSY, depth: int = 0
) -> bool | None:
    """Whether a condition always or never holds; None where that depends. ``constants`` have one value each."""
    words = bare(words)
    if not words or depth > _DEEPEST or len(words) > _LONGEST:
        return None
    for operators, decisive in ((("||", "or"), True), (("&&", "and"), False)):
        parts = split_any(words, operators)
        if len(parts) > 1:
            if decisive and _covers_all(parts):
                return True
            return combined([truth(part, constants, falsy, depth + 1) for part in parts], decisive)
    if words[0] in _ASKING and words[1:2] == ["("] and closing(words, 1) == len(words) - 1:
        return truth(words[2:-1], constants, falsy, depth + 1)
    if words[0] in ("!", "not"):
        whole = words[0] == "not" or is_operand(words[1:])
        inner = truth(words[1:], constants, falsy, depth + 1) if whole else None
        return None if inner is None else not inner
    return _simple(words, constants, falsy)


def build_holds(words: list[str], is_set: Callable[[str], bool | None]) -> bool | None:
    """Whether a condition of a build holds, by the symbols in it that are known to be set or not."""
    known = {word: is_set(word) for word in words if word[0].isalpha() or word[0] == "_"}
    told = {word: str(value).lower() for word, value in known.items() if value is not None}
    return truth(words, told, _UNSET)


def _simple(words: list[str], constants: Mapping[str, str], falsy: frozenset[str]) -> bool | None:
    if len(words) == 1:
        return _word(words[0], constants, falsy)
    named = constants.get(joined(words)) if len(words) < 8 else None
    if named is not None:
        return _word(named, constants, falsy)
    compared = comparison(words)
    if compared is not None:
        return _compared(compared, constants)
    if "[]" in falsy and words[0] in _DISPLAYS and closing(words, 0) == len(words) - 1:
        return len(words) > 2
    # An array, an object or a function is always there.
    return True if words[0] in ("[", "{") and falsy is FALSY and is_literal(words) else None


def _covers_all(parts: list[list[str]]) -> bool:
    """Does one condition hold whenever another does not: ``x == 3 || x != 3``, ``r.is_ok() || r.is_err()``?"""
    said = {tuple(bare(part)) for part in parts}
    for part in said:
        if ("!", *part) in said or ("!", "(", *part, ")") in said or ("not", *part) in said:
            return True
        for at, word in enumerate(part):
            if word in _OTHERWISE and (*part[:at], _OTHERWISE[word], *part[at + 1 :]) in said:
                return True
    return False


def combined(parts: Sequence[bool | None], decisive: bool) -> bool | None:
    """Whether one of several conditions decides: a true one of those joined by or, a false one by and."""
    if decisive in parts:
        return decisive
    return None if None in parts else not decisive


def is_operand(words: list[str]) -> bool:
    """Whether an operator before these words takes all of them: no looser operator is among them."""
    found = expression(words)
    return found is not None and (bool(found.brackets) or found.strength >= PREFIX)


def _word(word: str, constants: Mapping[str, str], falsy: frozenset[str]) -> bool | None:
    word = constants.get(word, word)
    if word in falsy:
        return False
    if word in CONSTANT_WORDS or is_text(word) or number([word]) is not None:
        return True
    return None


def _compared(compared: "Comparison", constants: Mapping[str, str]) -> bool | None:
    left, right = value_of(compared.left, constants), value_of(compared.right, constants)
    operator = compared.operator
    equal: bool | None = None
    if left is not None and right is not None:
        equal = left == right
    elif same(compared.left, compared.right):
        equal = True
    if equal is not None and (operator in EQUALS or operator in DIFFERS):
        return equal is (operator in EQUALS)
    if (isinstance(left, float) and isinstance(right, float)) or _are_texts(left, right):
        ordered = {"<": left < right, ">": left > right, "<=": left <= right, ">=": left >= right}  # type: ignore[operator]
        return ordered.get(operator)
    if equal and operator in ("<=", ">="):
        return True
    return _of_size(compared, left, right)


def _are_texts(left: str | float | None, right: str | float | None) -> bool:
    return isinstance(left, str) and isinstance(right, str) and is_text(left) and is_text(right)


def _of_size(compared: "Comparison", left: str | float | None, right: str | float | None) -> bool | None:
    """A size is never below zero."""
    if isinstance(right, float) and measured(compared.left):
        if right <= 0:
            answers = {">=": True, "<": False}
            return answers.get(
                compared.operator, {">": True, "!=": True}.get(compared.operator) if right < 0 else None
            )
    elif isinstance(left, float) and left <= 0 and measured(compared.right):
        return {"<=": True}.get(compared.operator, {"<": True}.get(compared.operator) if left < 0 else None)
    return None


def operand_of(words: list[str], names: frozenset[str], functions: frozenset[str] | None = None) -> list[str]:
    """The operand of one of some names: ``x`` in ``x.size()``, ``x.length`` and ``len(x)``; empty without one.

    ``functions`` are those of them that are given it.
    """
    found = expression(words)
    match found:
        case Expr("call", "(", (Expr(text=name), operand)) if name in (functions or names):
            return words[operand.start : operand.end]
        case Expr("call", "(", (Expr("member") as found,)):
            pass
    asked = found is not None and found.kind == "member" and found.text in names
    return words[found.parts[0].start : found.parts[0].end] if found is not None and asked else []


def measured(words: list[str]) -> list[str]:
    """The operand of a count, which is never below zero: ``x`` in ``x.size()`` and ``len(x)``; else empty."""
    return operand_of(words, _SIZES, _SIZE_OF)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison: its operator and the words on both sides."""

    left: list[str]
    operator: str
    right: list[str]


def comparison(words: list[str]) -> Comparison | None:
    """The one comparison that a condition consists of; None for anything else."""
    found = expression(words) if not COMPARISONS.isdisjoint(words) else None
    if found is None or found.text not in COMPARISONS or len(found.parts) != 2:
        return None
    left, right = found.parts
    if left.text in COMPARISONS and len(left.parts) == 2 and not left.brackets:
        return None
    return Comparison(bare(words[left.start : left.end]), found.text, bare(words[right.start : right.end]))


def split_any(words: list[str], separators: tuple[str, ...]) -> list[list[str]]:
    """The words between any of these separators."""
    parts = [words]
    for separator in separators:
        if separator in words:
            parts = [piece for part in parts for piece in split(part, separator)]
    return parts
