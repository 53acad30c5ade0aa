"""How much RSpec's matchers demand."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from assay.detectors.test_code.chains import Link, chain
from assay.detectors.test_code.common_demands import at_least, close, equal, weak
from assay.detectors.test_code.conditions import RUBY_FALSY, comparison, condition_demand, number, truth
from assay.detectors.test_code.demand import Demand
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.uniform import joined

Constants = Mapping[str, str]

_EQUAL = frozenset(
    ("eq", "eql", "equal", "be", "contain_exactly", "match_array", "eq_array", "be_eql", "be_equal")
)
_ALONE = {"be_nil": "nil", "be_true": "true", "be_false": "false", "be_zero": "0", "be_blank_": "nil"}
_PRESENCE = frozenset(("be_truthy", "be_present", "exist", "be_falsey", "be_falsy", "be_persisted_"))
_ERRORS = frozenset(("raise_error", "raise_exception", "throw_symbol"))
_BROAD = frozenset(("StandardError", "Exception", "RuntimeError_", "Object"))


_EFFECTS = frozenset(("receive", "have_received", "change", "output", "have_attributes", "receive_messages"))
_LOOSE = re.compile(
    r"\b(?:anything|an_instance_of|a_kind_of|kind_of|instance_of|hash_including|array_including|any_args|a_string_matching|"
    r"a_string_including|be_a|include|be_present|a_value|an_object|a_hash_including|be_an_instance_of)\b"
)


def demands_of(subject: list[str], matcher: list[str], negated: bool, constants: Constants) -> Iterator[Demand]:
    """What is demanded, each attribute for itself: ``have_attributes(size: 2)`` asks for ``size`` to be 2."""
    attributes = _attributes(matcher) if not negated else []
    if not attributes:
        yield demand_of(subject, matcher, negated, constants)
    for name, _, *value in attributes:
        yield demand_of([*subject, ".", name], ["eq", "(", *value, ")"], False, constants)


def _attributes(matcher: list[str]) -> list[list[str]]:
    """The arguments of ``have_attributes``, if all of them are named."""
    given = chain(matcher)[0].arguments or [] if matcher[:2] == ["have_attributes", "("] else []
    return given if all(part[1:2] == [":"] and len(part) > 2 for part in given) else []


def demand_of(subject: list[str], matcher: list[str], negated: bool, constants: Constants) -> Demand:
    """What ``expect(subject).to matcher`` demands."""
    if not matcher:
        return Demand(Strength.VACUOUS, joined(subject))
    if (
        matcher[0] in ("be", "is")
        and len(matcher) > 2
        and matcher[1] in ("==", ">", "<", ">=", "<=", "===", "=~", "!=")
    ):
        found = _compared(subject, matcher[1], matcher[2:], constants)
        return replace(found, strength=min(found.strength, Strength.SHAPE)) if negated else found
    links = chain(matcher)
    name = links[0].names[0] if links and links[0].names else ""
    found = _matcher(name, subject, links, constants)
    return _negated(found, name) if negated else found


def _compared(subject: list[str], operator: str, expected: list[str], constants: Constants) -> Demand:
    if operator == "==":
        return equal(subject, expected, constants)
    return at_least(weak(Strength.SHAPE, subject, expected, constants), operator, expected)


def _matcher(name: str, subject: list[str], links: list[Link], constants: Constants) -> Demand:
    link = links[0] if links else Link(())
    expected = link.argument(0)
    if name in _EQUAL and link.arguments:
        return _equal(subject, link, constants)
    if name in _ALONE:
        return _equal(subject, Link((name,), [[_ALONE[name]]]), constants)
    if name == "be_within":
        target = next((other for other in links[1:] if other.names[-1:] in (("of",), ("percent_of",))), Link(()))
        return close(subject, target.argument(0), number(expected))
    if name in _PRESENCE:
        return _presence(name, subject, constants)
    if name in _ERRORS:
        return Demand(Strength.EXACT if _names_error(link) else Strength.SHAPE, joined(subject), _all(link))
    if name in _EFFECTS:
        return Demand(Strength.EXACT if _is_narrow(name, links) else Strength.SHAPE, joined(subject), _all(link))
    return weak(Strength.SHAPE, subject, expected, constants)


def _names_error(link: Link) -> bool:
    """Whether an error is named, by more than a class that all others are kinds of."""
    expected = link.argument(0)
    broad = len(expected) == 1 and expected[0] in _BROAD and len(link.arguments or ()) == 1
    return bool(expected) and not broad


def _is_narrow(name: str, links: list[Link]) -> bool:
    """Whether it is said what is received, changed to or written."""
    if any(word in ("with", "by", "to", "from") for link in links for word in link.names):
        return True
    expected = links[0].argument(0) if links else []
    return name == "output" and bool(expected) and expected[0][:1] != "/"


def _equal(subject: list[str], link: Link, constants: Constants) -> Demand:
    expected = link.argument(0)
    if expected in (["true"], ["false"]) and link.names[-1:] != ("contain_exactly",):
        return boolean(subject, expected == ["true"], constants)
    found = equal(subject, expected, constants)
    text = _all(link) or ""
    loose = _LOOSE.search(text) is not None
    if text in ("anything", "be_present"):
        return Demand(Strength.PRESENCE, found.subject, text)
    return Demand(min(found.strength, Strength.SHAPE) if loose else found.strength, found.subject, text or None)


def boolean(subject: list[str], expected: bool, constants: Constants) -> Demand:
    """A condition that must be true or false: what it compares is what is demanded."""
    doubled = subject[:2] == ["!", "!"]
    if (
        truth(subject, constants, RUBY_FALSY) is None
        and comparison(subject) is None
        and not {"&&", "||"} & set(subject)
    ):
        return Demand(Strength.PRESENCE if doubled else Strength.EXACT, joined(subject), str(expected).lower())
    return condition_demand(subject, constants, expected, RUBY_FALSY)


def _presence(name: str, subject: list[str], constants: Constants) -> Demand:
    if name in ("be_truthy", "be_falsey", "be_falsy"):
        return condition_demand(subject, constants, name == "be_truthy", RUBY_FALSY)
    return weak(Strength.PRESENCE, subject, [], constants)


def _negated(demand: Demand, name: str) -> Demand:
    if demand.strength is Strength.VACUOUS:
        return demand
    if name in ("be_nil", "raise_error", "raise_exception", "be_empty", "be_falsey", "be_falsy", "be_truthy"):
        return replace(demand, strength=Strength.PRESENCE)
    return replace(demand, strength=Strength.SHAPE)


def _all(link: Link) -> str | None:
    return ", ".join(joined(part) for part in link.arguments or ()) or None
