"""What a condition demands when a test says that it must hold, or must not."""

import re
from collections.abc import Mapping

from assay.detectors.test_code.curly.constants import comparison, constant, is_literal, number
from assay.detectors.test_code.curly.lists import spelled
from assay.detectors.test_code.curly.tokens import Tokens, arguments, bare, closing, split, uniform
from assay.detectors.test_code.curly.words import compared, told
from assay.detectors.test_code.demand import Demand
from assay.detectors.test_code.model import Strength

_EQUAL = frozenset(
    {"equals", "Equals", "eq", "contentEquals", "deepEquals", "SequenceEqual", "ReferenceEquals", "SetEquals"}
)
_PRESENT = {"isPresent": "(empty)", "is_some": "None", "nonNull": "null", "HasValue": "null", "Any": "(empty)"}
_ABSENT = {"isNull": "null", "is_none": "None", "isEmpty": "(empty)", "is_empty": "(empty)", "IsNull": "null"}
_FAILED = {"is_err": True, "is_ok": False}
_NOTHING = frozenset({"null", "None", "default"})
_MOST_DEPTH = 12
_ABSOLUTE = re.compile(r"(?:Math|f64|f32|MathF|StrictMath)(?:\.|::)[aA]bs\((.*)\)|(.*)\.abs\(\)")
_NO_NAMES: Mapping[str, bool] = {}


def equality(actual: Tokens, expected: Tokens) -> Demand:
    """Two things that must be equal. A literal is what is expected, on whichever side it stands."""
    actual, expected = bare(actual), bare(expected)
    if is_literal(actual) and not is_literal(expected):
        actual, expected = expected, actual
    if uniform(actual) == uniform(expected) or (
        is_literal(actual) and number(actual) == number(expected) is not None
    ):
        return Demand(_self_equality(actual), uniform(actual), uniform(expected))
    if expected in (["true"], ["false"]):
        return condition(actual, expected == ["true"])
    return Demand(Strength.EXACT, uniform(actual), spelled(expected))


def _self_equality(side: Tokens) -> Strength:
    """A call that is compared with itself at least has to come back, and the same way twice."""
    return Strength.PRESENCE if "(" in side and not is_literal(side) else Strength.VACUOUS


def condition(parts: Tokens, wanted: bool, names: Mapping[str, bool] = _NO_NAMES, depth: int = 0) -> Demand:
    """A condition that must be ``wanted``."""
    parts = bare(parts)
    always = constant(parts, names)
    if always is not None:
        strength = Strength.VACUOUS if always is wanted else Strength.SHAPE
        return Demand(strength, uniform(parts), _answer(wanted))
    if depth > _MOST_DEPTH:
        return Demand(Strength.SHAPE, uniform(parts))
    for operator, needs_all in (("||", not wanted), ("&&", wanted)):
        pieces = split(parts, frozenset({operator}))
        if len(pieces) > 1:
            return _joined([condition(piece, wanted, names, depth + 1) for piece in pieces], parts, needs_all)
    sides = comparison(parts)
    if sides is not None:
        return _comparison(*sides, wanted)
    if parts and parts[0] == "!":
        return condition(parts[1:], not wanted, names, depth + 1)
    return _property(parts, wanted)


def _answer(wanted: bool) -> str:
    return "true" if wanted else "false"


def _joined(demands: list[Demand], parts: Tokens, needs_all: bool) -> Demand:
    """All of several conditions demand as much as the strongest, any of them only as much as the weakest."""
    strengths = [demand.strength for demand in demands]
    return Demand(max(strengths) if needs_all else min(strengths), uniform(parts))


def _comparison(left: Tokens, operator: str, right: Tokens, wanted: bool) -> Demand:
    if operator in ("==", "===", "!=", "!=="):
        return equality(left, right) if (operator[0] == "=") is wanted else inequality(left, right)
    difference = _ABSOLUTE.fullmatch(uniform(left))
    if difference is not None and wanted and operator[0] == "<":
        inner = difference[1] or difference[2]
        return Demand(Strength.CLOSE, inner, None, number(right))
    return Demand(Strength.SHAPE, uniform(left), compared(operator, uniform(right), wanted))


def inequality(actual: Tokens, unexpected: Tokens) -> Demand:
    """Two things that must differ; from nothing differs whatever is there."""
    if is_literal(actual):
        actual, unexpected = unexpected, actual
    if is_literal(actual) and actual != unexpected:
        return Demand(Strength.VACUOUS, uniform(actual), uniform(unexpected))
    if unexpected in (["true"], ["false"]):
        return condition(actual, unexpected == ["false"])
    absent = len(unexpected) == 1 and unexpected[0] in _NOTHING
    return Demand(Strength.PRESENCE if absent else Strength.SHAPE, uniform(actual), f"not {uniform(unexpected)}")


def _property(parts: Tokens, wanted: bool) -> Demand:
    """A call or a variable that is true or false."""
    plain = Demand(Strength.SHAPE, uniform(parts), _answer(wanted))
    if not parts:
        return plain
    pattern = _type_pattern(parts, wanted)
    if pattern is not None:
        return pattern
    name, inside, receiver = last_call(parts)
    if name in _EQUAL and wanted:
        return _called_equality(inside, receiver) or plain
    state = _state(name, inside, uniform(inside or receiver), wanted)
    if state is not None or not _asks_object(parts, receiver):
        return state or plain
    return Demand(Strength.SHAPE, uniform(receiver), told(name, uniform(_unborrowed(inside)), wanted))


def _asks_object(parts: Tokens, receiver: Tokens) -> bool:
    """What a class is asked is about the arguments; what an object is asked is about the object."""
    return bool(receiver) and parts[-1] == ")" and not receiver[-1][:1].isupper()


def _called_equality(inside: Tokens, receiver: Tokens) -> Demand | None:
    """``x.equals(y)``, ``Objects.equals(x, y)``."""
    given = arguments(inside)
    sides = given if len(given) >= 2 else [receiver, *given]
    return equality(sides[0], _unborrowed(sides[1])) if len(sides) > 1 and sides[0] else None


def _state(name: str, inside: Tokens, subject: str, wanted: bool) -> Demand | None:
    """Is something an error, or there at all: ``is_ok()``, ``isPresent()``, ``isEmpty()``."""
    if name in _FAILED:
        failed = _FAILED[name] is wanted
        return Demand(Strength.SHAPE if failed else Strength.PRESENCE, subject, "an error" if failed else None)
    if name in _PRESENT and not (name == "Any" and inside):
        return _there(subject, _PRESENT[name], wanted)
    return _there(subject, _ABSENT[name], not wanted) if name in _ABSENT else None


def _there(subject: str, absent: str, wanted: bool) -> Demand:
    if wanted:
        return Demand(Strength.PRESENCE, subject, f"not {absent}")
    return Demand(Strength.EXACT, subject, absent)


def _unborrowed(parts: Tokens) -> Tokens:
    return parts[1:] if parts[:1] == ["&"] else parts


def _type_pattern(parts: Tokens, wanted: bool) -> Demand | None:
    """``x is null``, ``x is not null``, ``x instanceof Y``."""
    for word in ("is", "instanceof"):
        pieces = split(parts, frozenset({word}))
        if len(pieces) != 2 or not pieces[0] or pieces[0][-1] == ".":
            continue  # A method may be called so.
        subject, kind = uniform(pieces[0]), pieces[1]
        if kind in (["null"], ["not", "null"]):
            return _there(subject, "null", (kind == ["null"]) is not wanted)
        strength = Strength.VACUOUS if kind in (["Object"], ["object"]) and wanted else Strength.SHAPE
        return Demand(strength, subject, told("instanceOf", uniform(kind), wanted))
    return None


def last_call(parts: Tokens) -> tuple[str, Tokens, Tokens]:
    """The name of the call or property that an expression ends with, its arguments, and what it is called on."""
    at = len(parts)
    inside: Tokens = []
    if parts[-1] == ")":
        at = _opening(parts)
        inside = parts[at + 1 : -1]
    name = parts[at - 1] if at else ""
    receiver = parts[: at - 2] if at >= 3 and parts[at - 2] in (".", "?.", "::") else []
    return name, inside, receiver


def _opening(parts: Tokens) -> int:
    """Where the bracket opens that the last part closes."""
    at = 0
    while at < len(parts):
        end = closing(parts, at) if parts[at] in ("(", "[", "{") else at
        if end == len(parts) - 1:
            return at
        at = end + 1
    return 0
