"""What the methods of a Java test class do: assertions, skips, and what they give to parametrised tests."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from assay.detectors.test_code.curly.bodies import Body, BodyPart, Call, Guard, Reading, SkipCall, read_body
from assay.detectors.test_code.curly.condition_demands import condition
from assay.detectors.test_code.curly.flow import Flow
from assay.detectors.test_code.curly.guards import (
    guard_text,
    in_try,
    is_guard,
    last_lines,
    last_text,
    turned_around,
)
from assay.detectors.test_code.curly.tokens import arguments, closing, split, tokens, uniform
from assay.detectors.test_code.curly.values import Values
from assay.detectors.test_code.demand import Demand, WrittenDemand
from assay.detectors.test_code.java import asserts, skips
from assay.detectors.test_code.java.fluent import BROAD
from assay.detectors.test_code.java.grammar import MEMBERS
from assay.detectors.test_code.java.members import Method
from assay.detectors.test_code.model import Assertion, Strength
from assay.detectors.test_code.tree import Node, Tree

_LOOKED_AT = frozenset({"method_invocation", "assert_statement", "throw_statement", "return_statement"})
_OWN_CALL = re.compile(r"(?:this\s*\.\s*)?([\w$]+)\s*\(")
_CALLS = frozenset({"expression_statement"})
_COLON = frozenset({":"})
_ANSWER = re.compile(r"\{\s*return\s+(true|false)\s*;\s*\}$")
_GIVES = re.compile(
    r"(?:of|asList|ofEntries)\s*\(|new\s+Object\s*(?:\[\s*\]\s*)+\{|\breturn\s+new\s+\w+\s*(?:\[\s*\]\s*)+\{"
)
_SOFT = re.compile(r"\bnew\s+(?:\w+\.)*(?:BDD)?Soft(?:Assertions|Assert)\b")
_CATCHES_ASSERTIONS = BROAD | {"AssertionError", "AssertionFailedError"}
_LONGEST = 20_000
_MOST_CHAIN = 3_000


def read_bodies(flow: Flow, members: list[Method]) -> dict[int, Body]:
    """The body of every method, by its node."""
    tree, names = flow.tree, flow.names
    own = {method.name for method in members}
    late = bool(asserts.LATE.search(tree.text))
    values = Values(tree, frozenset({"variable_declarator"}), MEMBERS)

    def look(tree: Tree, node: Node, text: str) -> Sequence[BodyPart]:
        if node.kind != "method_invocation":
            return _statement(tree, node, text, names)
        parent = node.parent
        if parent is not None and parent.kind == "method_invocation" and parent.start == node.start:
            return ()  # The beginning of a longer chain, which has been looked at as a whole.
        return _invocation(tree, node, text, names, own, late)

    reading = Reading(tree, flow, values, _LOOKED_AT, look)
    bodies = {id(method.node): read_body(reading, method.node) for method in members}
    if _SOFT.search(tree.text):
        for method in members:
            _drop_soft(tree.source(method.node), bodies[id(method.node)])
    return bodies


def _statement(tree: Tree, node: Node, text: str, names: Mapping[str, bool]) -> Sequence[BodyPart]:
    if node.kind == "assert_statement":
        told = split(tokens(text)[1:], _COLON)[0]
        said = [part for part in told if part != ";"]
        return [WrittenDemand(f"assert {uniform(said)}", condition(said, True, names))]
    if node.kind == "throw_statement":
        if skips.THROW.match(text):
            return [SkipCall("skip", uniform(tokens(text)))]
        return [WrittenDemand("fail()", Demand(Strength.SHAPE, "fail"))] if "AssertionError" in text[:80] else ()
    if is_guard(node, "if_statement", "method_declaration"):
        return [Guard(uniform(tokens(guard_text(tree, node, "if_statement"))))]
    return ()


def _invocation(
    tree: Tree, node: Node, text: str, names: Mapping[str, bool], own: set[str], late: bool
) -> Sequence[BodyPart]:
    called = _OWN_CALL.match(text)
    name = called[1] if called else ""
    if name in own:
        return [Call(name, node)]
    known = asserts.CALL.match(text)
    if known is None:
        return _demanded(text, names) if late and asserts.LATE.search(text, 0, _MOST_CHAIN) else ()
    if known["skip"]:
        return skips.skip_call(tokens(text), names)
    found = _demanded(text, names)
    return [in_try(tree, node, one) for one in found] if name == "fail" else found


def _demanded(text: str, names: Mapping[str, bool]) -> list[WrittenDemand]:
    return asserts.demands(tokens(text), names) if names else asserts.remembered(text)


def _drop_soft(source: str, body: Body) -> None:
    """Soft assertions that are collected and never asked for fail nothing."""
    if _SOFT.search(source) and ".assertAll(" not in source:
        body.assertions = [replace(one, swallowed=True) for one in body.assertions]


def constant_answers(tree: Tree, members: list[Method]) -> dict[str, bool]:
    """The methods that do nothing but return true or false."""
    answers = {}
    for method in members:
        if "boolean" in method.words or "Boolean" in method.words:
            found = _ANSWER.search(tree.source(method.node)[-200:])
            if found:
                answers[method.name] = found[1] == "true"
    return answers


def provided(tree: Tree, members: list[Method]) -> dict[str, int]:
    """How many arguments the providers of the file give, where they simply list them."""
    counts: dict[str, int] = {}
    for method in members:
        named = next((one.values.get("name") for one in method.annotations if one.name == "DataProvider"), None)
        if named is None and "static" not in method.words and not method.has("DataProvider"):
            continue
        source = tree.source(method.node)[:_LONGEST]
        found = _GIVES.search(source)
        if found:
            inside = tokens(source[found.end() - 1 :])
            name = uniform(named).strip('"') if named else method.name
            counts[name] = len(arguments(inside[1 : closing(inside, 0)]))
    return counts


def expected_exceptions(tree: Tree, method: Method, found: list[Assertion]) -> list[Assertion]:
    """``@Test(expected = X.class)`` demands an exception, and turns other assertions around.

    A test that must throw can't have come past a last statement that asserts; and where any failure will do, none
    of its assertions has to hold.
    """
    for one in method.annotations:
        kind = one.values.get("expected", one.values.get("expectedExceptions"))
        if one.name != "Test" or kind is None:
            continue
        name = uniform(kind).replace(".class", "").strip("{}")
        broad = name.rsplit(".", 1)[-1] in _CATCHES_ASSERTIONS
        body = method.node.child("block")
        strength = Strength.SHAPE if broad else Strength.EXACT
        thrown = Assertion(one.line, one.text, strength, last_text(tree, body), name)
        return [thrown, *turned_around(found, last_lines(tree, body, _CALLS), broad)]
    return found
