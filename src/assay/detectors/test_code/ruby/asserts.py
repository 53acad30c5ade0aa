"""How much the assertions of Minitest, Test::Unit and Rails demand."""

from collections.abc import Mapping
from dataclasses import replace

from assay.detectors.test_code.common_demands import at_least, close, equal, weak
from assay.detectors.test_code.conditions import RUBY_FALSY, condition_demand, number
from assay.detectors.test_code.demand import Demand
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.ruby.matchers import boolean
from assay.detectors.test_code.uniform import joined

Constants = Mapping[str, str]

_EQUAL = frozenset(("equal", "same", "response", "redirected_to", "difference", "output", "changes", "recognizes"))
_CLOSE = {
    "in_delta": 0.001,
    "in_epsilon": 0.001,
    "close_to": 0.001,
    "within_delta": 0.001,
    "within_epsilon": 0.001,
}
_PRESENCE = frozenset(("not_nil", "nothing_raised", "nothing_thrown", "silent", "not_empty", "present"))
_BROAD = frozenset((("StandardError",), ("Exception",)))


_RAISES = frozenset(("raises", "raise", "raise_with_message", "throws", "raise_kind_of"))
_SUBJECT_FIRST = frozenset(("includes", "predicate", "respond_to", "empty", "not_includes"))
_SPEC = {
    "be_same_as": "same",
    "be_nil": "nil",
    "be_kind_of": "kind_of",
    "be_close_to": "in_delta",
    "be_within_delta": "in_delta",
    "be_empty": "empty",
    "be_instance_of": "instance_of",
    "be_silent": "silent",
    "be_within_epsilon": "in_epsilon",
    "raise": "raises",
    "include": "includes",
    "be": "operator",
    "throw": "throws",
    "have_value": "kind_of",
}


def is_assertion(name: str) -> bool:
    return name in ("assert", "refute", "pass", "assert!") or name.startswith(("assert_", "refute_"))


def is_expectation(name: str) -> bool:
    return name.startswith(("must_", "wont_"))


def demand_of(name: str, given: list[list[str]], constants: Constants) -> Demand:
    """What ``assert_equal expected, actual`` and the like demand."""
    if name == "pass":
        return Demand(Strength.VACUOUS, "")
    negated = name.startswith("refute")
    if name in ("assert", "refute", "assert_not", "assert_true", "assert_false", "assert_not_predicate_"):
        return _condition(name, given, constants)
    found = _demand_of(name.partition("_")[2], given, constants)
    return _refuted(found, name) if negated or name.startswith("assert_not_") else found


def expectation_demand(name: str, subject: list[str], given: list[list[str]], constants: Constants) -> Demand:
    """What ``_(actual).must_equal expected`` demands: the same as the assertion, turned around."""
    word = name.partition("_")[2]
    method = _SPEC.get(word, word)
    if method in ("nil", "empty", "operator", "silent"):
        arranged = [subject, *given]
    else:
        arranged = [given[0] if given else [], subject, *given[1:]]
    found = _demand_of(method, arranged, constants)
    return _refuted(found, "refute_" + method) if name.startswith("wont_") else found


def _condition(name: str, given: list[list[str]], constants: Constants) -> Demand:
    subject = given[0] if given else []
    if name in ("assert_true", "assert_false"):
        return boolean(subject, name == "assert_true", constants)
    return condition_demand(subject, constants, name == "assert", RUBY_FALSY)


def _demand_of(method: str, given: list[list[str]], constants: Constants) -> Demand:
    first, second, third = [*given, [], [], []][:3]
    if method in _EQUAL or method == "not_equal":
        return equal(second, first, constants) if second else Demand(Strength.EXACT, "", joined(first))
    if method == "nil":
        return equal(first, ["nil"], constants)
    if method in _CLOSE:
        return close(second, first, number(third) if third else _CLOSE[method])
    if method in _PRESENCE:
        return weak(Strength.PRESENCE, first, [], constants)
    if method in _RAISES:
        named = bool(first) and tuple(first) not in _BROAD and first[0][:1] != '"'
        return Demand(Strength.EXACT if named else Strength.SHAPE, "", joined(first) or None)
    if method == "operator":
        return _operator(first, joined(second).lstrip(":"), third, constants)
    return weak(Strength.SHAPE, *_arranged(method, first, second), constants)


def _arranged(method: str, first: list[str], second: list[str]) -> tuple[list[str], list[str]]:
    """What is looked at, and what is looked for: that comes first, except in ``assert_includes`` and its like."""
    subject, expected = (first, second) if method in _SUBJECT_FIRST else (second, first)
    return (subject, expected) if subject else (expected, subject)


def _operator(left: list[str], operator: str, right: list[str], constants: Constants) -> Demand:
    if operator == "==":
        return equal(left, right, constants)
    return at_least(weak(Strength.SHAPE, left, right, constants), operator, right)


def _refuted(demand: Demand, name: str) -> Demand:
    if demand.strength is Strength.VACUOUS:
        return demand
    present = name.endswith(("_nil", "_empty"))
    return replace(demand, strength=Strength.PRESENCE if present else Strength.SHAPE)
