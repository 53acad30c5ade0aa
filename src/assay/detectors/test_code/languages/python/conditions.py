"""Demands of conditions in idioms of Python: approx, rounding, isinstance, members, ``.all()``."""

import re

from assay.detectors.test_code.engine.demand import Demand, WrittenDemand
from assay.detectors.test_code.engine.expressions.brackets import closing
from assay.detectors.test_code.engine.expressions.chains import Link, chain
from assay.detectors.test_code.engine.expressions.conditions import close, condition_demand, shape
from assay.detectors.test_code.engine.expressions.literals import elements, is_inert, is_literal, number
from assay.detectors.test_code.engine.expressions.truth import DIFFERS, EQUALS, Comparison, comparison, truth
from assay.detectors.test_code.engine.expressions.words import bare, joined
from assay.detectors.test_code.engine.reading import Reading
from assay.detectors.test_code.engine.rules import FileFacts
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.tree import Node
from assay.detectors.test_code.word_sets import word_set

_CLOSE = frozenset(("isclose", "allclose", "approx_equal", "almost_equal"))
_SEARCHING = frozenset(("match", "fullmatch", "search"))
_ASKING = re.compile(r"(?:issubclass|startswith|endswith|is_\w+)\Z")
_LOSING = word_set("type bool set abs sum min max int sorted")
_NEVER_NONE = word_set("str len type bool repr list dict set int float")
_FOREVER = word_set("math.inf -math.inf np.inf -np.inf") | {'float("inf")', 'float("-inf")', "- math.inf"}
_TOLERANCES = ("rtol", "atol", "rel_tol", "abs_tol", "rel", "abs", "delta")
_WORKING = frozenset(("+", "-", "*", "/", "["))
_EMPTY = frozenset(("[]", "{ }", "()", '""', 'b""', "set()", "False", "list()", "dict()", "tuple()", "{}"))
_ALWAYS_THERE = frozenset(('"__class__"', '"__dict__"', '"__doc__"'))


def condition(reading: Reading, words: list[str], wanted: bool, _: Node) -> WrittenDemand | None:
    """The demand of a condition; None if it isn't an idiom."""
    found = demand_of(reading.facts, bare(words), wanted)
    shown = joined(words)
    return WrittenDemand(shown if wanted else f"not {shown}", found) if found is not None else None


def demanded(facts: FileFacts, words: list[str], wanted: bool) -> Demand:
    """The demand of a condition, be it an idiom or not."""
    found = demand_of(facts, bare(words), wanted)
    return found or condition_demand(words, wanted, facts.constants, facts.logic)


def demand_of(facts: FileFacts, words: list[str], wanted: bool) -> Demand | None:
    """The demand of an idiom; None for any other condition."""
    if words[:1] == ["not"] and "and" not in words and "or" not in words:
        return demand_of(facts, bare(words[1:]), not wanted)
    compared = comparison(words)
    if compared is not None:
        return _compared(facts, compared, wanted)
    if len(words) < 3 or words[-1] != ")":
        return None
    inner = _asked_of_all(words)
    return demanded(facts, inner, wanted) if inner else _called(facts, words, wanted)


def _asked_of_all(words: list[str]) -> list[str]:
    """The condition in ``bool(x == 1)`` and ``(x == 1).all()``."""
    if words[0] == "bool" and closing(words, 1) == len(words) - 1:
        return bare(words[2:-1])
    if words[-4:] in ([".", "all", "(", ")"], [".", "any", "(", ")"]):
        return bare(words[:-4])
    return []


def _called(facts: FileFacts, words: list[str], wanted: bool) -> Demand | None:
    last = chain(words)[-1]
    first, second = last.argument(0), last.argument(1)
    if is_inert(words, facts.logic.pure) and last.name != "isinstance":
        return Demand(Strength.VACUOUS, joined(words))
    if last.name in _CLOSE and second:
        return close(first, second, tolerance(last, facts, 1e-5))
    if last.name == "isinstance" and "object" in second:
        return Demand(Strength.VACUOUS, joined(first))
    if last.name == "hasattr" and joined(second) in _ALWAYS_THERE:
        return Demand(Strength.VACUOUS, joined(first))
    if last.names in (("all",), ("any",)) and first and "for" not in first:
        empty = last.name == "all" and truth(first, facts.constants, facts.logic.falsy) is False
        return Demand(Strength.VACUOUS if empty else Strength.SHAPE, joined(first), f"{last.name} of it")
    if last.name in _SEARCHING and last.names[0] == "re" and second:
        return shape(second, "match", first, wanted)
    if _ASKING.match(last.name) and wanted:
        return Demand(Strength.SHAPE, joined(words), "True")
    return None


def _compared(facts: FileFacts, compared: Comparison, wanted: bool) -> Demand | None:
    left, operator, right = compared.left, compared.operator, compared.right
    equal = (operator in EQUALS and wanted) or (operator in DIFFERS and not wanted)
    sized = _sized(facts, left, operator, right) if wanted else None
    if sized is not None:
        return sized
    if equal:
        found = _equal(facts, left, right)
        if found is not None:
            return found
    if operator in DIFFERS and wanted and right == ["None"] and _wrapper(left) in _NEVER_NONE:
        return Demand(Strength.VACUOUS, joined(left))
    if operator == "in" and wanted:
        inside = elements(right) or []
        sure = _wrapper(left) == "bool" and sorted(inside, reverse=True) == [["True"], ["False"]]
        return Demand(Strength.VACUOUS, joined(left)) if left in inside or sure else None
    return _ordered(compared, wanted) if operator in ("<", ">", "<=", ">=") else None


def _equal(facts: FileFacts, left: list[str], right: list[str]) -> Demand | None:
    if joined(right) in _EMPTY and not is_literal(left):
        return Demand(Strength.SHAPE, joined(left), "false")
    found = _closely(facts, left, right) or _closely(facts, right, left) or _wrapped(left, right)
    if found is not None:
        return found
    if joined(right).rpartition(".")[2] == "ANY" or _are_own(facts, left, right):
        return Demand(Strength.VACUOUS, joined(left), joined(right))
    return None


def _ordered(compared: Comparison, wanted: bool) -> Demand | None:
    left, right = compared.left, compared.right
    if not _FOREVER.isdisjoint((joined(left), joined(right))):
        return Demand(Strength.VACUOUS, joined(left))
    if _wrapper(left) in _LOSING - {"abs"} and wanted:
        return Demand(Strength.SHAPE, joined(left[2:-1]), f"{left[0]} {compared.operator} {joined(right)}")
    return None


def _sized(facts: FileFacts, left: list[str], operator: str, right: list[str]) -> Demand | None:
    """How long something is: ``len(x) == 0`` and ``len(x) > 0`` only ask whether there is anything in it."""
    bound = number(right)
    if _wrapper(left) != "len" or bound is None or is_inert(left, facts.logic.pure):
        return None
    measured = joined(left[2:-1])
    if operator == "==" and bound == 0:
        return Demand(Strength.SHAPE, measured, "false")
    if (operator, bound) in ((">", 0.0), (">=", 1.0), ("!=", 0.0)):
        return Demand(Strength.PRESENCE, measured, "true")
    if operator in ("<", "<=", ">", ">=") and bound > 0:
        return Demand(Strength.SHAPE, measured, f"len {operator} {joined(right)}")
    return None


def _are_own(facts: FileFacts, left: list[str], right: list[str]) -> bool:
    """Whether both sides are worked out from literals alone."""
    inert = [is_inert(side, facts.logic.pure) for side in (left, right)]
    both = all(found or is_literal(side) for found, side in zip(inert, (left, right), strict=True))
    return both and (any(inert) or not _WORKING.isdisjoint((*left[1:], *right[1:])))


def _wrapper(words: list[str]) -> str:
    return words[0] if len(words) > 3 and words[1] == "(" and closing(words, 1) == len(words) - 1 else ""


def _wrapped(left: list[str], right: list[str]) -> Demand | None:
    """``sorted(x) == [1, 2]`` looks at x, and not at all of it."""
    wrapper = _wrapper(left)
    if wrapper not in _LOSING or left[2:-1] == right:
        return None
    return Demand(Strength.SHAPE, joined(left[2:-1]), f"{wrapper} {joined(right)}")


def _closely(facts: FileFacts, left: list[str], right: list[str]) -> Demand | None:
    link: Link = chain(right)[-1]
    if link.name == "approx" and link.given:
        return close(left, link.argument(0), _approx(facts, link))
    if _wrapper(left) == "round":
        link = chain(left)[-1]
        digits = number(link.labelled("ndigits") or link.argument(1)) or 0.0
        return close(link.argument(0), right, 0.5 * 10.0 ** -min(max(digits, -300.0), 300.0))
    return None


def _approx(facts: FileFacts, link: Link) -> float:
    """pytest's approx takes the larger of both; with neither it is a millionth."""
    named = [[label, "=", *each] for label, each in zip(("rel", "abs"), link.positional[1:], strict=False)]
    return tolerance(Link(("approx",), [*named, *(link.arguments or [])]), facts, 1e-6)


def tolerance(link: Link, facts: FileFacts, default: float) -> float:
    """The larger of a call's relative and absolute tolerance; one that only running would tell counts as 1."""
    given = [words for label in _TOLERANCES if (words := link.labelled(label)) and words != ["None"]]
    values = [number([facts.constants[words[-1]]] if words[-1] in facts.constants else words) for words in given]
    return max((1.0 if value is None else value for value in values), default=default)
