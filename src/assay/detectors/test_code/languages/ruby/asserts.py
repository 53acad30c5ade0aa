"""Demands of assertions in Minitest, Test::Unit, Rails and RSpec."""

import re
from dataclasses import replace

from assay.detectors.test_code.engine.demand import Demand
from assay.detectors.test_code.engine.expressions.chains import Link, chain
from assay.detectors.test_code.engine.expressions.conditions import condition_demand, equality, order, shape
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.engine.language import Library
from assay.detectors.test_code.engine.rules import (
    Check,
    FileFacts,
    Kind,
    Rule,
    closure_body,
    rules,
    turned,
)
from assay.detectors.test_code.model import Strength

_SIGNS = frozenset(("==", "===", "=~", ">=", "<=", ">", "<", "!="))
_ORDERS = frozenset((">", ">=", "<", "<="))
_NARROW = frozenset(("with", "by", "to", "from"))
_LOOSE = re.compile(
    r"\b(?:anything|an_instance_of|a_kind_of|kind_of|instance_of|hash_including|array_including|any_args|a_string_matching|"
    r"a_string_including|be_a|include|be_present|a_value|an_object|a_hash_including|be_an_instance_of)\b"
)
EXPECTING = frozenset(("expect", "expect_any_instance_of", "is_expected", "are_expected"))
TO = {"to": True, "not_to": False, "to_not": False, "should": True, "should_not": False}
_QUOTES = "\"'/%"
_WRAPPERS = frozenset(("_", "value", "expect"))


def _all(link: Link) -> str | None:
    return ", ".join(joined(part) for part in link.arguments or ()) or None


# Minitest, Test::Unit and Rails


def _operator(link: Link, facts: FileFacts, _: list[str]) -> Demand:
    """``assert_operator got, :>, 3``."""
    return _compared(link.argument(0), joined(link.argument(1)).lstrip(":"), link.argument(2), facts)


def _compared(left: list[str], sign: str, right: list[str], facts: FileFacts) -> Demand:
    if sign in _ORDERS:
        return order(left, sign, right)
    if sign in ("==", "===", "equal?", "eql?"):
        return equality(left, right, facts.constants, facts.logic)
    if not right:
        return condition_demand([*left, ".", sign], True, facts.constants, facts.logic)
    return shape(left, "match" if sign == "=~" else sign.rstrip("?"), right)


def _refuted(link: Link, facts: FileFacts, _: list[str]) -> Demand:
    """``refute_operator got, :>, 3``."""
    left, sign, right = link.argument(0), joined(link.argument(1)).lstrip(":"), link.argument(2)
    if not right:
        return condition_demand([*left, ".", sign], False, facts.constants, facts.logic)
    return condition_demand([*left, sign, *right], False, facts.constants, facts.logic)


_ASSERTIONS = rules(
    {
        "equal same response redirected_to difference changes recognizes generates output": Rule(
            Kind.EQUAL, subject=1, expected=0
        ),
        "nil": Rule(Kind.VALUE, word="nil"),
        "empty": Rule(Kind.VALUE, word="(empty)"),
        "in_delta in_epsilon close_to within_delta within_epsilon": Rule(Kind.CLOSE, 1, 0, 2, default=0.001),
        "present": Rule(Kind.PRESENCE),
        "true": Rule(Kind.TRUE),
        "false": Rule(Kind.FALSE),
        "includes include": Rule(Kind.SHAPE, 0, 1, word="contain"),
        "respond_to": Rule(Kind.SHAPE, 0, 1, word="respond_to"),
        "match": Rule(Kind.SHAPE, word="match", subject=1, expected=0),
        "instance_of kind_of": Rule(Kind.SHAPE, word="instanceOf", subject=1, expected=0),
    }
)
_FUNCTIONS: dict[str, Rule | Check] = {
    **{f"assert_{name}": rule for name, rule in _ASSERTIONS.items()},
    **{f"{no}_{name}": turned(rule) for name, rule in _ASSERTIONS.items() for no in ("refute", "assert_not")},
    **rules(
        {
            "assert assert!": Rule(Kind.HOLDS),
            "refute assert_not": Rule(Kind.FAILS),
            "assert_raises assert_raise assert_raise_with_message assert_throws assert_raise_kind_of": Rule(
                Kind.RAISES, -1, 0
            ),
            "assert_nothing_raised assert_nothing_thrown assert_silent": Rule(Kind.QUIET, -1),
            "assert_operator assert_predicate assert_compare": _operator,
            "refute_operator refute_predicate assert_not_operator assert_not_predicate": _refuted,
            "refute_match assert_no_match": Rule(Kind.NO_SHAPE, word="match", subject=1, expected=0),
            "assert_no_difference": Rule(Kind.EXACT),
            "pass": Rule(Kind.VACUOUS),
        }
    ),
}
ASSERT = Library(functions=_FUNCTIONS, receivers=frozenset(("", "self", "Assertions")))

# RSpec, and the expectations of Minitest


def _equal(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """``eq(3)``, ``contain_exactly(1, 2)``; with a looser matcher inside it demands less."""
    expected = link.argument(0)
    if not expected:
        return Demand(Strength.PRESENCE, joined(subject))
    found = equality(subject, expected, facts.constants, facts.logic)
    text = _all(link)
    if text in ("anything", "be_present"):
        return Demand(Strength.PRESENCE, joined(subject), text)
    if _LOOSE.search(text or "") is not None:
        return replace(found, strength=min(found.strength, Strength.SHAPE), expected=text)
    return replace(found, expected=text) if link.given > 1 else found


def _effect(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """``change { n }.by(1)``, ``receive(:save).with(3)``: exact where it is said what comes of it."""
    said = link.arguments or []
    narrow = any(each[0] in _NARROW for each in said)
    if link.name == "output" and said:
        narrow = narrow or said[0][0][:1] == '"'
    strength = Strength.EXACT if narrow else Strength.SHAPE
    return Demand(strength, joined(subject), f"{link.name}({_all(link) or ''})")


_EQUALS = "eq eql equal be be_eql be_equal contain_exactly match_array eq_array == ==="
_FAILING = "raise_error raise_exception throw_symbol"
_MATCHERS = rules(
    {
        _EQUALS: _equal,
        "be_present exist": Rule(Kind.PRESENCE),
        "be_within": Rule(Kind.CLOSE, expected=0, tolerance=1),
        _FAILING: Rule(Kind.RAISES, expected=0),
        "receive have_received change output have_attributes receive_messages": _effect,
        "!=": Rule(Kind.UNEQUAL, expected=0),
        "=~": Rule(Kind.SHAPE, word="match", expected=0),
        **{sign: Rule(Kind.ORDER, word=sign, expected=0) for sign in _ORDERS},
        "include": Rule(Kind.SHAPE, expected=0),
    }
)


def _said(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """``_(got).must_be :>, 3``."""
    return _compared(subject, joined(link.argument(0)).lstrip(":"), link.argument(1), facts)


_MUST = rules(
    {
        "equal be_same_as": _equal,
        "be_nil": Rule(Kind.VALUE, word="nil"),
        "be_empty": Rule(Kind.VALUE, word="(empty)"),
        "be_close_to be_within_delta be_within_epsilon": Rule(Kind.CLOSE, expected=0, tolerance=1, default=0.001),
        "include": Rule(Kind.SHAPE, word="contain", expected=0),
        "match": Rule(Kind.SHAPE, word="match", expected=0),
        "be_kind_of be_instance_of": Rule(Kind.SHAPE, word="instanceOf", expected=0),
        "respond_to": Rule(Kind.SHAPE, word="respond_to", expected=0),
        "raise throw": Rule(Kind.RAISES, expected=0),
        "be_silent": Rule(Kind.QUIET),
        "be": _said,
    }
)
_MUST_OR_NOT = {
    **{f"must_{name}": rule for name, rule in _MUST.items()},
    **{f"wont_{name}": turned(rule) for name, rule in _MUST.items()},
}


def _pairs(subject: list[str], matcher: list[str]) -> list[tuple[list[str], list[str]]]:
    """Subjects with demands: ``have_attributes(size: 2)`` asks for ``size`` to be 2.

    A matcher that goes on, such as ``be_within(0.1).of(3)`` and ``be > 3``, becomes one call.
    """
    subject = _unwrapped(subject)
    if matcher[:1] == ["be"] and len(matcher) > 2 and matcher[1] in _SIGNS:
        matcher = matcher[1:]
    if len(matcher) > 1 and matcher[0] in _SIGNS:
        return [(subject, [matcher[0], "(", *matcher[1:], ")"])]
    links = chain(matcher, trailing=True)
    first = links[0]
    at = next((i for i, link in enumerate(links) if link.names in (("and",), ("or",))), None)
    if at is not None and links[at].name == "and":
        return [*_pairs(subject, _rebuilt(links[:at])), *_pairs(subject, links[at].argument(0))]
    if first.name == "have_attributes" and first.arguments and all(_is_named(part) for part in first.arguments):
        return [([*subject, ".", name], ["eq", "(", *value, ")"]) for name, _, *value in first.arguments]
    rebuilt = _rebuilt(links)
    return _error_and_message(subject, rebuilt) if first.name in _FAILING.split() else [(subject, rebuilt)]


def _error_and_message(subject: list[str], matcher: list[str]) -> list[tuple[list[str], list[str]]]:
    """``raise_error(KeyError, "gone")`` asks for the error, and for what it says."""
    said = chain(matcher)[0]
    given = said.arguments or []
    kind = given[0] if given and given[0][0][0] not in _QUOTES else []
    message = given[1] if kind and len(given) > 1 else given[0] if given and not kind else []
    error = [said.name, "(", *kind, ")"] if kind else [said.name]
    if not message:
        return [(subject, error)]
    asked = "match" if message[0][0] == "/" else "eq"
    return [(subject, error), ([*closure_body(subject), ".", "message"], [asked, "(", *message, ")"])]


def _is_named(part: list[str]) -> bool:
    return part[1:2] == [":"] and len(part) > 2


def _unwrapped(subject: list[str]) -> list[str]:
    """``_(got)`` is about ``got``, and what is expected without a word is the subject."""
    links = chain(subject)
    if len(links) == 1 and links[0].names == ("is_expected",):
        return ["subject"]
    if len(links) == 1 and len(links[0].names) == 1 and links[0].name in _WRAPPERS and links[0].argument(0):
        return links[0].argument(0)
    return subject


def _rebuilt(links: list[Link]) -> list[str]:
    """The links of a matcher as the words of one call."""
    first, later = links[0], links[1:]
    given = [each for each in first.arguments or () if first.name not in _FAILING.split() or each[0] != "{"]
    for link in later:
        if link.name in ("of", "percent_of"):
            given = [*(link.arguments or []), *given]
        elif link.name == "with_message":
            given = [*given, *(link.arguments or [])]
        elif link.name in _NARROW:
            given = [*given, [link.name, *(word for each in link.arguments or () for word in each)]]
    if not given:
        return list(first.names)
    words = [word for each in given for word in (*each, ",")][:-1]
    return [*first.names, "(", *words, ")"]


EXPECT = Library(
    starters=EXPECTING - {"is_expected", "are_expected"},
    matchers={**_MATCHERS, **_MUST_OR_NOT},
    opposites=rules({_FAILING: Rule(Kind.QUIET), _EQUALS: Rule(Kind.UNEQUAL, expected=0)}),
    takers={**TO, **dict.fromkeys(_MUST_OR_NOT, True)},
    properties=frozenset(_MUST_OR_NOT),
    negations=frozenset(),
    asked_of=_pairs,
)
