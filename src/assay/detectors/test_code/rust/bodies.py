"""What the functions of a Rust file do: assertions, guards and calls."""

import re
from collections.abc import Sequence

from assay.detectors.test_code.curly.bodies import Body, BodyPart, Call, Guard, Reading, read_body
from assay.detectors.test_code.curly.flow import Flow
from assay.detectors.test_code.curly.guards import guard_text, is_guard, last_lines, last_text, turned_around
from assay.detectors.test_code.curly.tokens import tokens, uniform
from assay.detectors.test_code.curly.values import Values
from assay.detectors.test_code.demand import Demand, WrittenDemand
from assay.detectors.test_code.model import Assertion, Strength
from assay.detectors.test_code.rust.asserts import CALL, CONFIGURATION, call_demands, demands, remembered
from assay.detectors.test_code.rust.attributes import Attribute
from assay.detectors.test_code.tree import Node, Tree

_LOOKED_AT = frozenset({"macro_invocation", "call_expression", "return_expression"})
_CALLS = frozenset({"expression_statement", "macro_invocation", "call_expression"})
_DEFINED = re.compile(r"macro_rules!\s*(\w+)")
_UNWRAPS = re.compile(r"\.\s*(unwrap|expect|unwrap_err|expect_err)\s*\([^()]*\)$")
_CHAINED = re.compile(r"\.\s*assert(?:_eq|_debug_eq)?\s*\(")
_SWALLOWS_ASSERTS = re.compile(r"\W*|.*(?:assert|left|right|panicked|failed).*")
_PANICS = re.compile(r"(?:\w+::)*(?:panic|unreachable|todo|unimplemented)!")
_MOST_CHAIN = 3_000


def hollow_macros(tree: Tree) -> frozenset[str]:
    """Macros of the file that are called like assertions and assert nothing."""
    hollow = set()
    for node in tree.nodes:
        if node.kind == "macro_definition":
            source = tree.source(node)
            named = _DEFINED.match(source)
            if named and not re.search(r"\b(?:panic|\w*assert\w*|unwrap|expect)\b", source[named.end() :]):
                hollow.add(named[1])
    return frozenset(hollow)


def read_bodies(flow: Flow, functions: list[Node], hollow: frozenset[str]) -> dict[int, Body]:
    """The body of every function, by its node."""
    tree, names = flow.tree, flow.names
    plain = not hollow and names == CONFIGURATION
    values = Values(
        tree, frozenset({"let_declaration", "const_item", "static_item"}), frozenset({"function_item"})
    )

    def look(tree: Tree, node: Node, text: str) -> Sequence[BodyPart]:
        if node.kind == "macro_invocation":
            return remembered(text) if plain else demands(text, names, hollow)
        if node.kind == "call_expression":
            return _call(node, text)
        if is_guard(node, "if_expression", "function_item"):
            return [Guard(uniform(tokens(guard_text(tree, node, "if_expression"))))]
        return ()

    reading = Reading(tree, flow, values, _LOOKED_AT, look)
    return {id(node): read_body(reading, node) for node in functions}


def _call(node: Node, text: str) -> Sequence[BodyPart]:
    found: list[BodyPart] = []
    called = CALL.match(text)
    if called:
        found.append(Call(called[1], node))
    parent = node.parent
    if parent is not None and parent.kind == "call_expression" and parent.start == node.start:
        return found  # The beginning of a longer chain, which has been looked at as a whole.
    unwraps = _UNWRAPS.search(text[-200:])
    if unwraps:
        broad = Strength.PRESENCE if unwraps[1] in ("unwrap", "expect") else Strength.SHAPE
        found.append(
            WrittenDemand(f".{unwraps[1]}()", Demand(broad, uniform(tokens(text[: len(text) - len(unwraps[0])]))))
        )
    elif "assert" in text and _CHAINED.search(text, 0, _MOST_CHAIN):
        found += call_demands(tokens(text))
    return found


def should_panic(attributes: list[Attribute], tree: Tree, node: Node, found: list[Assertion]) -> list[Assertion]:
    """A test that must panic demands a panic, and turns its assertions around.

    Without an expected message, any assertion that fails will do. With one, at least an assertion at the very end
    can't have held.
    """
    for one in attributes:
        if one.name != "should_panic":
            continue
        expected = uniform(one.inside).removeprefix("expected=").strip('"') if one.inside else ""
        body = node.child("block")
        subject = last_text(tree, body)
        strength = Strength.EXACT if expected else Strength.SHAPE
        if _PANICS.match(subject):
            # The test does itself what it waits for.
            strength = Strength.VACUOUS
        any_will_do = bool(_SWALLOWS_ASSERTS.fullmatch(expected))
        panic = Assertion(one.line, one.text, strength, subject, expected or None)
        return [panic, *turned_around(found, last_lines(tree, body, _CALLS), any_will_do)]
    return found
