"""What conditions demand in idioms of Python: approx, rounding, isinstance, members, ``.all()``."""

from assay.detectors.test_code.engine.demand import Demand, WrittenDemand
from assay.detectors.test_code.engine.expressions.chains import Link, chain
from assay.detectors.test_code.engine.expressions.conditions import condition_demand
from assay.detectors.test_code.engine.expressions.literals import is_inert, is_literal, number
from assay.detectors.test_code.engine.expressions.simple_demands import close, shape
from assay.detectors.test_code.engine.expressions.truth import DIFFERS, EQUALS, ComparedWords, comparison
from assay.detectors.test_code.engine.expressions.uniform_words import bare, closing, joined
from assay.detectors.test_code.engine.rules import Facts
from assay.detectors.test_code.engine.source_file import Reading
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.tree import Node
from assay.detectors.test_code.word_sets import word_set

_SEARCHING = frozenset(("match", "fullmatch", "search"))
_CLOSE = frozenset(("isclose", "allclose", "approx_equal", "almost_equal"))
_LOSING = word_set("type bool set abs sum min max int sorted")
_TOLERANCES = ("rtol", "atol", "rel_tol", "abs_tol", "rel", "abs", "delta")
_WORKING = frozenset(("+", "-", "*", "/", "["))
_EMPTY = frozenset(("[]", "{ }", "()", '""', 'b""', "set()", "False", "list()", "dict()", "tuple()", "{}"))


def condition(reading: Reading, words: list[str], wanted: bool, _: Node) -> WrittenDemand | None:
    """What a condition demands; None for what is no idiom."""
    found = demand_of(reading.facts, bare(words), wanted)
    shown = joined(words)
    return WrittenDemand(shown if wanted else f"not {shown}", found) if found is not None else None


def demanded(facts: Facts, words: list[str], wanted: bool) -> Demand:
    """What a condition demands, be it an idiom or not."""
    found = demand_of(facts, bare(words), wanted)
    return found or condition_demand(words, wanted, facts.constants, facts.logic)


def demand_of(facts: Facts, words: list[str], wanted: bool) -> Demand | None:
    """What an idiom demands; None for any other condition."""
    if words[:1] == ["not"] and "and" not in words and "or" not in words:
        return demand_of(facts, bare(words[1:]), not wanted)
    compared = comparison(words)
    if compared is not None:
        return _compared(facts, compared, wanted)
    if len(words) < 3 or words[-1] != ")":
        return None
    last = chain(words)[-1]
    if last.name in _CLOSE and last.given > 1:
        return close(last.argument(0), last.argument(1), tolerance(last, facts, 1e-5))
    if last.name in _SEARCHING and last.names[0] == "re" and last.given > 1:
        return shape(last.argument(1), "match", last.argument(0), wanted)
    return Demand(Strength.VACUOUS, joined(words)) if is_inert(words, facts.logic.pure) else None


def _compared(facts: Facts, compared: ComparedWords, wanted: bool) -> Demand | None:
    left, operator, right = compared.left, compared.operator, compared.right
    equal = (operator in EQUALS and wanted) or (operator in DIFFERS and not wanted)
    sized = _sized(facts, left, operator, right) if wanted else None
    if sized is not None:
        return sized
    if equal:
        if joined(right) in _EMPTY and not is_literal(left):
            return Demand(Strength.SHAPE, joined(left), "false")
        found = _closely(facts, left, right) or _closely(facts, right, left) or _wrapped(left, right)
        if found is not None:
            return found
        if joined(right).rpartition(".")[2] == "ANY" or _are_own(facts, left, right):
            return Demand(Strength.VACUOUS, joined(left), joined(right))
    return None


def _sized(facts: Facts, left: list[str], operator: str, right: list[str]) -> Demand | None:
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


def _are_own(facts: Facts, left: list[str], right: list[str]) -> bool:
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


def _closely(facts: Facts, left: list[str], right: list[str]) -> Demand | None:
    link: Link = chain(right)[-1]
    if link.name == "approx" and link.given:
        return close(left, link.argument(0), _approx(facts, link))
    if _wrapper(left) == "round":
        link = chain(left)[-1]
        digits = number(link.labelled("ndigits") or link.argument(1)) or 0.0
        return close(link.argument(0), right, 0.5 * 10.0 ** -min(max(digits, -300.0), 300.0))
    return None


def _approx(facts: Facts, link: Link) -> float:
    """pytest's approx takes the larger of both; with neither it is a millionth."""
    named = [[label, "=", *each] for label, each in zip(("rel", "abs"), link.positional[1:], strict=False)]
    return tolerance(Link(("approx",), [*named, *(link.arguments or [])]), facts, 1e-6)


def tolerance(link: Link, facts: Facts, default: float) -> float:
    """The larger of a call's relative and absolute tolerance; one that only running would tell counts as 1."""
    given = [words for label in _TOLERANCES if (words := link.labelled(label)) and words != ["None"]]
    values = [number([facts.constants[words[-1]]] if words[-1] in facts.constants else words) for words in given]
    return max((1.0 if value is None else value for value in values), default=default)
