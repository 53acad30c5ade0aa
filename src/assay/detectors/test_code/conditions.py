"""What a condition says without running anything: whether it always holds, and what it compares with what."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assay.detectors.test_code.demand import Demand, WrittenDemand
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.uniform import joined, simplified, split

_DEEPEST = 40
_LONGEST = 400
"""How many words a condition may have to be looked into. Nobody writes longer ones to say true or false."""
_MOST_NEGATIONS = 8
_MOST_PARTS = 50
_NUMBER = re.compile(r"-?(?:0[xX][\da-fA-F]+|\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?)[a-zA-Z]?\Z")
_MEASURE = re.compile(r"(?:\.(?:length|size|count|Len\(\)|len\(\))|\Alen\(.*\))\Z")
_OPPOSITE = {"==": "!=", "===": "!==", "!=": "==", "!==": "===", "<": ">=", ">": "<=", "<=": ">", ">=": "<"}
_COMPARISONS = frozenset(_OPPOSITE) | {"=~", "!~", "instanceof", "in", "is"}
_NOTHING = frozenset(("null", "undefined", "nil", "None", "NULL"))
_LITERAL_WORDS = frozenset(
    ("true", "false", "null", "undefined", "nil", "None", "NaN", "Infinity", "True", "False")
)
_GLUE = frozenset(("[", "]", "{", "}", "(", ")", ",", ":", "-", "+", "=>", "new"))
_PURE = frozenset(("(", "new", "++", "--", "yield", "await", "<-"))

FALSY = frozenset(("false", "null", "undefined", "nil", "None", "0", '""', "NaN", "-0", "0n", "0.0"))
"""What counts as false in a condition, but for languages such as Ruby, where only false and nil do."""
RUBY_FALSY = frozenset(("false", "nil"))


def literal(words: list[str]) -> bool:
    """Whether an expression is made of literals alone, so that it never depends on the code under test."""
    if not words or words == ["new"]:
        return False
    keyed = "{" in words
    return all(
        _is_literal(word) or (keyed and words[index + 1 : index + 2] == [":"]) for index, word in enumerate(words)
    )


def _is_literal(word: str) -> bool:
    """A literal, what joins literals, or one of Ruby's symbols."""
    if word in _LITERAL_WORDS or word in _GLUE or word[0] == '"':
        return True
    return _NUMBER.match(word) is not None or (word[0] == ":" and len(word) > 1)


def same(left: list[str], right: list[str]) -> bool:
    """Whether two expressions are the same and give the same value twice: no call is made in between."""
    return bool(left) and left == right and not _PURE.intersection(left)


def truth(
    words: list[str], constants: Mapping[str, str] | None = None, falsy: frozenset[str] = FALSY, depth: int = 0
) -> bool | None:
    """Whether a condition always or never holds; None where that depends. ``constants`` have one value each."""
    words = _bare(words)
    if not words or depth > _DEEPEST or len(words) > _LONGEST:
        return None
    for operators, decisive in ((("||", "or"), True), (("&&", "and"), False)):
        parts = _split_any(words, operators)
        if len(parts) > 1:
            return _combined([truth(part, constants, falsy, depth + 1) for part in parts], decisive)
    if words[0] in ("!", "not"):
        inner = truth(words[1:], constants, falsy, depth + 1) if _operand(words[1:]) else None
        return None if inner is None else not inner
    return _simple_truth(words, constants or {}, falsy)


def _simple_truth(words: list[str], constants: Mapping[str, str], falsy: frozenset[str]) -> bool | None:
    if len(words) == 1:
        return _word_truth(words[0], constants, falsy)
    compared = comparison(words)
    if compared is not None:
        return _comparison_truth(compared, constants)
    # An array, an object or a function is always there.
    return True if words[0] in ("[", "{") and falsy is FALSY and literal(words) else None


def _combined(parts: list[bool | None], decisive: bool) -> bool | None:
    if decisive in parts:
        return decisive
    return None if None in parts else not decisive


def _operand(words: list[str]) -> bool:
    """Whether an operator before these words takes all of them: no looser operator follows at the same depth."""
    return comparison(words) is None and len(split(words, "?")) == 1


def _word_truth(word: str, constants: Mapping[str, str], falsy: frozenset[str]) -> bool | None:
    word = constants.get(word, word)
    if word in falsy:
        return False
    if word in _LITERAL_WORDS or word.startswith('"') or _NUMBER.match(word):
        return True
    return None


def _comparison_truth(compared: "Comparison", constants: Mapping[str, str]) -> bool | None:
    left, right = _value(compared.left, constants), _value(compared.right, constants)
    equal: bool | None = None
    if left is not None and right is not None:
        equal = left == right
    elif same(compared.left, compared.right):
        equal = True
    if equal is None:
        return None
    if compared.operator in ("==", "===", "!=", "!=="):
        return equal is (compared.operator[0] == "=")
    return _ordered(left, right, compared.operator) if left is not None and right is not None else None


def _ordered(left: str | float, right: str | float, operator: str) -> bool | None:
    if not isinstance(left, float) or not isinstance(right, float):
        return None
    return {"<": left < right, ">": left > right, "<=": left <= right, ">=": left >= right}.get(operator)


def _value(words: list[str], constants: Mapping[str, str]) -> str | float | None:
    if len(words) == 2 and words[0] == "-":
        words = ["-" + words[1]]
    if len(words) != 1:
        return joined(words) if literal(words) else None
    word = constants.get(words[0], words[0])
    number = _number(word)
    if number is not None:
        return number
    return word if word in _LITERAL_WORDS or word[0] == '"' else None


def _number(word: str) -> float | None:
    if not _NUMBER.match(word):
        return None
    try:
        return float(int(word, 16)) if word[:2].lower() == "0x" else float(word.rstrip("nfFdDlLuUm"))
    except (ValueError, OverflowError):
        return None


def number(words: list[str]) -> float | None:
    """The number that the words write out, if they do."""
    value = _value(words, {})
    return value if isinstance(value, float) else None


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison: its operator and the words on both sides."""

    left: list[str]
    operator: str
    right: list[str]


def comparison(words: list[str]) -> Comparison | None:
    """The one comparison that a condition consists of; None for anything else."""
    words = _bare(words)
    top = list(_outside_brackets(words))
    found = [index for index in top if words[index] in _COMPARISONS]
    if len(found) != 1 or any(words[index] in _JOINING for index in top):
        return None
    at = found[0]
    return Comparison(words[:at], words[at], words[at + 1 :]) if 0 < at < len(words) - 1 else None


_JOINING = frozenset(("&&", "||", "and", "or", "?", "=>"))


def _outside_brackets(words: list[str]) -> Iterator[int]:
    depth = 0
    for index, word in enumerate(words):
        if word in ("(", "[", "{"):
            depth += 1
        elif word in (")", "]", "}"):
            depth -= 1
        elif depth == 0:
            yield index


def condition_demand(
    words: list[str],
    constants: Mapping[str, str] | None = None,
    holds: bool = True,
    falsy: frozenset[str] = FALSY,
    depth: int = 0,
) -> Demand:
    """What is demanded where a condition must hold, or, with ``holds`` false, must not."""
    words, holds = _without_negations(words, holds)
    always = truth(words, constants, falsy)
    if always is not None:
        # What can't fail is no demand; what always fails is a way to write "this must not be reached".
        return Demand(Strength.VACUOUS if always is holds else Strength.EXACT, joined(words), str(holds).lower())
    several = _split_any(words, ("&&", "and") if holds else ("||", "or"))
    if len(several) > 1 and depth < _DEEPEST:
        return max(
            (condition_demand(part, constants, holds, falsy, depth + 1) for part in several),
            key=lambda found: found.strength,
        )
    compared = comparison(words)
    if compared is None:
        loose = len(_split_any(words, ("&&", "||", "and", "or"))) > 1
        return Demand(Strength.SHAPE if loose else Strength.PRESENCE, joined(words), None)
    return _comparison_demand(compared, holds)


def _without_negations(words: list[str], holds: bool) -> tuple[list[str], bool]:
    """A condition without the negations in front of it, and whether what is left must hold."""
    words = _bare(words)
    for _ in range(_MOST_NEGATIONS):
        if not words or len(words) > _LONGEST or words[0] not in ("!", "not") or not _operand(words[1:]):
            break
        words, holds = _bare(words[1:]), not holds
    return words, holds


def condition_demands(
    words: list[str], constants: Mapping[str, str] | None = None, holds: bool = True, falsy: frozenset[str] = FALSY
) -> list[WrittenDemand]:
    """Every demand of a condition that joins several: each must hold, or none may."""
    several = _split_any(_bare(words), ("&&", "and") if holds else ("||", "or"))
    return [
        WrittenDemand(joined(part), condition_demand(part, constants, holds, falsy))
        for part in several[:_MOST_PARTS]
    ]


def _comparison_demand(compared: Comparison, holds: bool) -> Demand:
    operator = compared.operator if holds else _OPPOSITE.get(compared.operator, "!")
    left, right = compared.left, compared.right
    if literal(left) and not literal(right):
        left, right = right, left
    nothing = len(right) == 1 and right[0] in _NOTHING
    if operator in ("==", "===", "is"):
        strength = Strength.SHAPE if left[0] == "typeof" else Strength.EXACT
    elif operator in ("!=", "!==") and nothing:
        strength = Strength.PRESENCE
    else:
        strength = Strength.VACUOUS if never_less(joined(left), operator, right) else Strength.SHAPE
    return Demand(strength, joined(left), joined(right))


def never_less(subject: str, operator: str, bound: list[str]) -> bool:
    """``length >= 0`` always holds."""
    value, floor = number(bound), {">=": 0.0, ">": -1.0}.get(operator)
    return value is not None and floor is not None and value <= floor and _MEASURE.search(subject) is not None


def _bare(words: list[str]) -> list[str]:
    """The words without parentheses around all of them."""
    while len(words) > 2 and words[0] == "(" and words[-1] == ")" and _closes_last(words):
        words = simplified(words[1:-1])
    return words


def _closes_last(words: list[str]) -> bool:
    depth = 0
    for index, word in enumerate(words):
        depth += (word == "(") - (word == ")")
        if depth == 0:
            return index == len(words) - 1
    return False


def _split_any(words: list[str], separators: tuple[str, ...]) -> list[list[str]]:
    parts = [words]
    for separator in separators:
        if separator in words:
            parts = [piece for part in parts for piece in split(part, separator)]
    return parts
