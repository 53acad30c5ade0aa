"""Demands of a condition that must hold, or must not: equality, closeness, an order, a property."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from assay.detectors.test_code.engine.demand import Demand, WrittenDemand
from assay.detectors.test_code.engine.expressions.brackets import closing
from assay.detectors.test_code.engine.expressions.chains import Link, chain
from assay.detectors.test_code.engine.expressions.literals import (
    is_literal,
    is_text,
    measure,
    number,
    spelled,
    value_of,
)
from assay.detectors.test_code.engine.expressions.sides import (
    alternatives,
    bare_sides,
    compared_sides,
    is_chain,
    is_formula,
    is_whole,
    receiver_of,
    subtracted,
    taken,
    unborrowed,
    without_reference,
)
from assay.detectors.test_code.engine.expressions.truth import (
    DIFFERS,
    EQUALS,
    Comparison,
    Logic,
    comparison,
    is_operand,
    measured,
    operand_of,
    split_any,
    truth,
)
from assay.detectors.test_code.engine.expressions.wording import compared as ordered
from assay.detectors.test_code.engine.expressions.wording import told
from assay.detectors.test_code.engine.expressions.words import bare, joined, split
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.word_sets import word_set

Constants = Mapping[str, str]

_DEEPEST = 40
_NO_CONSTANTS: Constants = {}
_MOST_NEGATIONS = 8
_MOST_PARTS = 50
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_FOLDING = word_set(
    "lower upper casefold toLowerCase toUpperCase ToLower ToUpper ToLowerInvariant ToUpperInvariant downcase "
    "upcase to_lowercase to_uppercase lowercased uppercased lowercase uppercase strtolower strtoupper "
    "mb_strtolower"
)
_ABSOLUTE = frozenset(("abs", "Abs", "fabs"))
_NOTHING = frozenset(("null", "undefined", "nil", "None", "NULL", "default"))
_EQUAL = word_set(
    "equals Equals eq eql equal Equal contentEquals deepEquals DeepEqual SequenceEqual ReferenceEquals "
    "SetEquals EqualFold EqualValues EqualFunc isEqual deepEqual array_equal compare_digest same_value "
    "Is strictEqual"
)
_PRESENT = {"isPresent": "(empty)", "is_some": "None", "nonNull": "null", "HasValue": "null", "Any": "(empty)"}
_ABSENT = {
    "isNull": "null", "is_none": "None", "isEmpty": "(empty)", "is_empty": "(empty)", "IsNull": "null",
    "nil?": "nil", "empty?": "(empty)", "is_null": "null", "IsNullOrEmpty": "(empty)", "isNullOrEmpty": "(empty)",
}  # fmt: skip
_FAILED = {"is_err": True, "is_ok": False}
_CONTAINING = word_set(
    "contains Contains includes include? in_array str_contains HasPrefix HasSuffix startsWith endsWith "
    "StartsWith EndsWith start_with? end_with? starts_with ends_with match matches MatchString Match "
    "IsMatch test ContainsKey containsKey has_key? key? contains_key isinstance instanceof ContainsAny "
    "hasPrefix hasSuffix str_starts_with str_ends_with preg_match member? is_a? kind_of? respond_to? "
    "isKindOf is_match containsMatchIn"
)
_PATTERNS = word_set("is_match containsMatchIn MatchString IsMatch test")
"""Of these, the object that is asked is the pattern."""
_EVERY_TYPE = re.compile(r"(?:typeof\()?(?:object|Object|Any|AnyObject|BasicObject)(?:\)|\.class|::class|\.self)?")
"""What everything is one of."""
_EVERYTHING = re.compile(
    r'"(?:\.\*|\^|\$|\.\+)?"|/(?:\^?(?:\.|\[\\[sSdDwW]\\[sSdDwW]\])[*+]\$?|\^|\$|\(\?:\))?/[a-z]*|\'\''
)
_MADE = re.compile(r"_{0,2}[A-Z]\w*\Z")
_ORDERING = frozenset(("<", ">", "<=", ">=", "!=", "is", "in", "is not", "not in", "and", "or", "if"))
_CHOOSING = frozenset({"?", ":", "&&", "||"})
_OBJECTS = frozenset((("Object",), ("object",), ("Any",), ("AnyObject",), ("any",)))


Idiom = Callable[[list[str], bool], WrittenDemand | None]
"""What a condition demands in an idiom of the language; None for any other."""


def condition_demands(
    words: list[str], wanted: bool, constants: Constants, logic: Logic, own: Idiom | None = None
) -> list[WrittenDemand]:
    """Every demand of a condition that joins several: each must hold, or none may."""
    asked, (words, wanted) = wanted, without_negations(words, wanted)
    several = split_any(words, ("||", "or"))
    if wanted:
        several = [words] if len(several) > 1 else split_any(words, ("&&", "and"))
    always = truth(words, constants, logic.falsy)
    if always is not None:
        several = [words]
    elif logic.chained and wanted:
        several = [pair for part in several for pair in equalities(part)]
    turned = "" if asked is wanted else "not "
    kept = (
        part
        for part in several[:_MOST_PARTS]
        if len(several) == 1 or truth(part, constants, logic.falsy) is not wanted
    )
    found = ((part, own(part, wanted) if own is not None else None) for part in kept)
    if len(several) == 1 and several[0] is words:
        mine = own(words, wanted) if own is not None else None
        return [
            mine or WrittenDemand(f"{turned}{joined(words)}", _demanded(words, wanted, always, constants, logic))
        ]
    return [
        mine or WrittenDemand(f"{turned}{joined(part)}", condition_demand(part, wanted, constants, logic))
        for part, mine in found
    ]


def equalities(words: list[str]) -> list[list[str]]:
    """``a == b == 3`` demands two equalities, ``(a, b) == (1, 2)`` one for each element."""
    sides = split(words, "==") if words.count("==") else []
    if len(sides) > 2 and not _ORDERING.intersection(words):
        return [[*sides[0], "==", *side] for side in sides[1:]]
    if len(sides) == 2 and all(side[0] == "(" and closing(side, 0) == len(side) - 1 for side in sides):
        left, right = (split(side[1:-1]) for side in sides)
        if len(left) == len(right) > 1 and "*" not in words:
            return [[*one, "==", *two] for one, two in zip(left, right, strict=True)]
    return [words]


def condition_demand(words: list[str], wanted: bool, constants: Constants, logic: Logic, depth: int = 0) -> Demand:
    """The demand of a condition that must be ``wanted``."""
    words, wanted = without_negations(words, wanted)
    always = truth(words, constants, logic.falsy)
    return _demanded(words, wanted, always, constants, logic, depth)


def _demanded(
    words: list[str], wanted: bool, always: bool | None, constants: Constants, logic: Logic, depth: int = 0
) -> Demand:
    """The demand of a condition without a leading negation, of which is known whether it always holds."""
    if always is not None:
        # What can't fail is no demand; what always fails is a way to write "this must not be reached".
        strength = Strength.VACUOUS if always is wanted else Strength.EXACT
        return Demand(strength, joined(words), _answer(wanted))
    for operators, needs_all in ((("||", "or"), not wanted), (("&&", "and"), wanted)):
        parts = split_any(words, operators)
        if len(parts) > 1 and depth < _DEEPEST:
            found = [condition_demand(part, wanted, constants, logic, depth + 1) for part in parts]
            return _joined(found, words, needs_all)
    compared = comparison(words)
    if compared is not None:
        return _compared(compared, wanted, constants, logic)
    if logic.chained and (middle := _middle(words)):
        return Demand(Strength.SHAPE, joined(middle), joined(words) if wanted else f"not {joined(words)}")
    return _property(words, wanted, constants, logic)


def _middle(words: list[str]) -> list[str]:
    """The subject of two inequalities: ``x`` in ``1 < x < 3``."""
    sides = split_any(words, ("<", ">", "<=", ">="))
    return sides[1] if len(sides) > 2 else []


def _joined(found: list[Demand], words: list[str], needs_all: bool) -> Demand:
    """All of several conditions demand as much as the strongest, any of them only as much as the weakest."""
    if needs_all:
        return max(found, key=lambda each: each.strength)
    return Demand(min(*(each.strength for each in found), Strength.SHAPE), joined(words))


def _answer(wanted: bool) -> str:
    return "true" if wanted else "false"


def without_negations(words: list[str], wanted: bool) -> tuple[list[str], bool]:
    """A condition without the negations in front of it, and whether what is left must hold."""
    words = bare(words)
    for _ in range(_MOST_NEGATIONS):
        if not words or words[0] not in ("!", "not") or words[:2] == ["!", "!"]:
            break
        if words[0] == "!" and not is_operand(words[1:]):
            break
        if any(word in words for word in ("&&", "||", "and", "or")) and words[1:2] != ["("]:
            break
        words, wanted = bare(words[1:]), not wanted
    return words, wanted


def _compared(compared: Comparison, wanted: bool, constants: Constants, logic: Logic) -> Demand:
    left, operator, right = compared.left, compared.operator, compared.right
    if operator in EQUALS and right[:1] == ["not"]:
        right, wanted = right[1:], not wanted
    if operator == "is" and logic.strict and tuple(right) not in {("null",), ("nil",), ("None",)}:
        return _instance(left, right, wanted)
    if operator in EQUALS or operator in DIFFERS:
        if _is_made(left, logic) and not _is_made(right, logic) and not is_literal(right):
            left, right = right, left
        if (operator in EQUALS) is wanted:
            return equality(left, right, constants, logic)
        return inequality(left, right, constants, logic)
    if operator in ("in", "!in", "not in"):
        return contained(right, left, wanted is (operator == "in"))
    if operator == "instanceof":
        return _instance(left, right, wanted)
    if operator in ("=~", "!~"):
        return shape(left, "match", right, wanted is (operator == "=~"))
    if is_literal(left) and not is_literal(right):
        left, right, operator = right, left, _TURNED[operator]
    return order(left, operator, right, wanted, constants)


def order(
    left: list[str], operator: str, right: list[str], wanted: bool = True, constants: Constants = _NO_CONSTANTS
) -> Demand:
    """An inequality; ``abs(a - b) < 0.1`` is an equality with a tolerance, and ``size > 0`` a presence."""
    sign = ordered(operator, "", wanted).strip()
    asked = operand_of(left, _ABSOLUTE)
    if asked and sign[0] == "<":
        subject, expected = subtracted(asked)
        return Demand(
            Strength.CLOSE, joined(subject), joined(expected) if expected else None, measure(right, constants)
        )
    bound = number(right)
    if bound is not None and measured(left):
        if (sign, bound) in ((">=", 0.0), (">", -1.0)) or (sign[0] == ">" and bound < 0):
            return Demand(Strength.VACUOUS, joined(left), f"{sign} {joined(right)}")
        if (sign, bound) in ((">", 0.0), (">=", 1.0)):
            return Demand(Strength.PRESENCE, joined(left), f"{sign} {joined(right)}")
    vacuous = is_literal(left) and is_literal(right)
    return Demand(Strength.VACUOUS if vacuous else Strength.SHAPE, joined(left), f"{sign} {joined(right)}")


def equality(left: list[str], right: list[str], constants: Constants, logic: Logic) -> Demand:
    """Two things that must be equal: nothing is demanded where both are the same without the code under test."""
    left, right = arranged(*compared_sides(*bare_sides(left, right, logic)))
    left = taken(left)
    one, two = value_of(left, constants), value_of(right, constants)
    if (left and left == right) or (one is not None and one == two) or is_formula(left, right):
        return Demand(Strength.VACUOUS, joined(left), joined(right))
    folded = operand_of(left, _FOLDING)
    if folded:
        return Demand(Strength.CLOSE, joined(folded), spelled(right) if right else None)
    if len(right) == 1 and right[0] in ("true", "false", "True", "False") and not is_literal(left):
        wanted = right[0].lower() == "true"
        found = condition_demand(
            left, wanted, constants, logic if logic.loose else replace(logic, strict=True, capitals=False)
        )
        return replace(found, expected=found.expected or _answer(wanted))
    if left[:1] == ["typeof"] and is_whole(left):
        return shape(bare(left[1:]), "instanceOf", right)
    counted = measured(left)
    if counted:
        return Demand(Strength.SHAPE, joined(counted), f"len {joined(right)}")
    strength = Strength.SHAPE if right in alternatives(left) else Strength.EXACT
    return Demand(strength, joined(left), spelled(right) if right else None)


def inequality(left: list[str], right: list[str], constants: Constants, logic: Logic) -> Demand:
    """Two things that must differ; from nothing differs whatever is there."""
    left, right = arranged(*compared_sides(*(unborrowed(bare(side), logic) for side in (left, right))))
    if is_literal(left) and is_literal(right) and left != right:
        return Demand(Strength.VACUOUS, joined(left), f"not {joined(right)}")
    if len(right) == 1 and right[0] in ("true", "false", "True", "False"):
        if logic.loose and comparison(left) is None and left[:1] != ["not"]:
            return Demand(Strength.SHAPE, joined(left), f"not {joined(right)}")
        strict = logic if logic.loose else replace(logic, strict=True, capitals=False)
        return condition_demand(left, right[0].lower() == "false", constants, strict)
    absent = len(right) == 1 and right[0] in _NOTHING
    return Demand(Strength.PRESENCE if absent else Strength.SHAPE, joined(left), f"not {joined(right)}")


def arranged(left: list[str], right: list[str]) -> tuple[list[str], list[str]]:
    """The subject, and what it is compared with: a literal is what is expected, on whichever side."""
    if is_literal(right):
        return left, right
    return (right, left) if is_literal(left) else (left, right)


def _is_made(words: list[str], logic: Logic) -> bool:
    """A value of a class, made of literals: ``Point(1, 2)``, ``new Point(1, 2)``."""
    if words[:1] == ["new"]:
        words = words[1:]
    elif not logic.capitals:
        return False
    if len(words) < 3 or not _MADE.match(words[0]) or words[1] not in ("(", "{") or words[-1] not in (")", "}"):
        return False
    inside = [word for word in words[2:-1] if not _MADE.match(word)]
    return not inside or is_literal(inside)


def close(left: list[str], right: list[str], tolerance: float | None) -> Demand:
    """Equality within a tolerance, which is None where it is not written in the code."""
    left, right = arranged(bare(left), bare(right))
    vacuous = left == right or (is_literal(left) and is_literal(right) and tolerance != 0)
    return Demand(Strength.VACUOUS if vacuous else Strength.CLOSE, joined(left), joined(right), tolerance)


def presence(subject: list[str], constants: Constants, expected: str | None = None) -> Demand:
    """That something is there: nothing is demanded of what always is."""
    always = truth(subject, constants) is True and (is_literal(subject) or len(subject) == 1)
    return Demand(Strength.VACUOUS if always else Strength.PRESENCE, joined(subject), expected)


def shape(subject: list[str], word: str, expected: list[str], wanted: bool = True) -> Demand:
    """A property: nothing is demanded of a literal, nor by a pattern that matches everything."""
    everything = _EVERY_TYPE if word == "instanceOf" else _EVERYTHING
    trivial = wanted and bool(expected) and everything.fullmatch(joined(expected)) is not None
    vacuous = trivial or (is_literal(subject) and (not expected or is_literal(expected)))
    found = Strength.VACUOUS if vacuous else Strength.SHAPE
    return Demand(found, joined(subject), told(word, joined(expected), wanted))


def contained(whole: list[str], part: list[str], wanted: bool = True) -> Demand:
    """``part in whole`` looks at what isn't written out."""
    if is_literal(whole) and not is_literal(part):
        return shape(part, "oneOf", whole, wanted)
    return shape(whole, "contain", part, wanted)


def _instance(subject: list[str], kind: list[str], wanted: bool) -> Demand:
    strength = Strength.VACUOUS if wanted and tuple(kind) in _OBJECTS else Strength.SHAPE
    return Demand(strength, joined(subject), told("instanceOf", joined(kind), wanted))


def _property(words: list[str], wanted: bool, constants: Constants, logic: Logic) -> Demand:
    """A call or a variable that is true or false."""
    asked = called(words, wanted, constants, logic)
    if asked is not None:
        return asked
    if words[:2] == ["!", "!"] or words[:2] == ["Boolean", "("]:
        return Demand(Strength.PRESENCE, joined(words), _answer(wanted))
    if logic.strict:
        return Demand(Strength.EXACT, joined(words), _answer(wanted))
    answer = None if wanted and not logic.loose else _answer(wanted)
    return Demand(Strength.PRESENCE if wanted else Strength.SHAPE, joined(words), answer)


def called(words: list[str], wanted: bool, constants: Constants, logic: Logic) -> Demand | None:
    """``x.equals(y)``, ``is_ok(x)``, ``reflect.DeepEqual(got, want)``: a question with a name that is known."""
    if not words or (words[-1] not in (")", "?") and not words[-1][0].isalpha()):
        return None
    links = chain(words)
    last = links[-1]
    name, given = last.name, last.arguments or []
    known = any(name in names for names in (_EQUAL, _CONTAINING, _PRESENT, _ABSENT, _FAILED))
    if not known or not _CHOOSING.isdisjoint(words) or not is_chain(words):
        return None
    receiver = receiver_of(words)
    if name in _EQUAL and given:
        sides = given if len(given) > 1 else [receiver, *given]
        if len(sides) < 2 or not sides[0]:
            return None
        pair = without_reference(sides[0]), without_reference(sides[1])
        return equality(*pair, constants, logic) if wanted else inequality(*pair, constants, logic)
    return _asked(last, receiver, wanted)


def _asked(last: Link, receiver: list[str], wanted: bool) -> Demand | None:
    """A question with a name that is known, about its receiver or about what it is given."""
    name, given = last.name, last.arguments or []
    asks_object = receiver and len(given) < 2 and not (len(receiver) == 1 and receiver[0][:1].isupper())
    subject = receiver if asks_object else (given[0] if given else [])
    if name in _FAILED:
        failed = _FAILED[name] is wanted
        return Demand(
            Strength.SHAPE if failed else Strength.PRESENCE, joined(subject), "an error" if failed else None
        )
    if name in _PRESENT and not (name == "Any" and given):
        return _there(subject, _PRESENT[name], wanted)
    if name in _ABSENT:
        return _there(subject, _ABSENT[name], not wanted)
    rest = given if subject is receiver else given[1:]
    if name in _PATTERNS and subject is receiver and rest:
        subject, rest = without_reference(rest[0]), [subject]
    if name not in _CONTAINING or not rest:
        return None
    return shape(subject, name.rstrip("?"), without_reference(rest[0]), wanted)


def _there(subject: list[str], absent: str, wanted: bool) -> Demand:
    if wanted:
        return Demand(Strength.PRESENCE, joined(subject), f"not {absent}")
    return Demand(Strength.EXACT, joined(subject), absent)


def is_everything(words: list[str]) -> bool:
    """Whether a pattern matches whatever comes."""
    return bool(words) and is_text(words[0]) and _EVERYTHING.fullmatch(joined(words)) is not None
