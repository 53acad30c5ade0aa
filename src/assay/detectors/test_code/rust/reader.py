"""Test code in Rust: the built-in harness, rstest, test_case, proptest, and attributes of other runners."""

import re
from dataclasses import replace
from typing import NamedTuple

from assay.detectors.test_code.curly.bodies import Body, whole_body
from assay.detectors.test_code.curly.constants import named_constants
from assay.detectors.test_code.curly.flow import Flow
from assay.detectors.test_code.curly.rows import parameter_names, written_out
from assay.detectors.test_code.model import Assertion, Skip, Test, TestCode
from assay.detectors.test_code.rust.asserts import CONFIGURATION
from assay.detectors.test_code.rust.attributes import (
    Attribute,
    attribute_skips,
    cases,
    optional_statements,
    outer_attributes,
    read_attribute,
    rows,
)
from assay.detectors.test_code.rust.bodies import hollow_macros, read_bodies, should_panic
from assay.detectors.test_code.rust.grammar import CONTAINERS, FLOW, KINDS, mark_dropped_panics
from assay.detectors.test_code.rust.macros import Bare, laid_bare
from assay.detectors.test_code.tree import Node, Tree, parse

_NAMED = re.compile(r"\b(?:fn|mod|trait|impl(?:<[^{]{0,400}?>)?)\s+([\w:#]+(?:\s+for\s+[\w:]+)?)")
_LONGEST_HEAD = 400
_MOST_NAMES = 40
_PARAMETERS = re.compile(r",\s*(?=#\[|\w+\s*:)")


class Function(NamedTuple):
    """A function with the modules around it."""

    node: Node
    name: str
    path: tuple[str, ...]
    attributes: list[Attribute]
    skips: tuple[Skip, ...]
    """Those of the modules and the file."""
    takes: str
    gives: str

    @property
    def has_test_attribute(self) -> bool:
        return any(one.makes_test for one in self.attributes)

    @property
    def is_plain(self) -> bool:
        """Does it take nothing, and give back nothing but a result?"""
        return not self.takes and (not self.gives or "Result" in self.gives)


class _Place(NamedTuple):
    path: tuple[str, ...]
    skips: tuple[Skip, ...]


def read_rust(text: str) -> TestCode:
    """Read a file of Rust tests, or of code with tests in it."""
    bare = laid_bare(text)
    tree = parse(bare.text, "rust", KINDS)
    names = named_constants(tree.text) | CONFIGURATION
    mark_dropped_panics(tree)
    flow = Flow(tree, FLOW, names, optional=optional_statements(tree))
    flow.mark()
    functions = [_in_macro(one, bare) for one in _functions(tree)]
    bodies = read_bodies(flow, [one.node for one in functions], hollow_macros(tree))
    tests = _tests(tree, functions, bodies)
    return TestCode("rust", tuple(tests), _file_skips(tree), tree.problems)


def _in_macro(one: Function, bare: Bare) -> Function:
    """A function in a macro that makes tests of all its functions."""
    if not any(start <= one.node.start < end for start, end in bare.all_tests[:_MOST_NAMES]):
        return one
    return one._replace(attributes=[*one.attributes, Attribute("quickcheck", [], 0, "quickcheck!")])


def _file_skips(tree: Tree) -> tuple[Skip, ...]:
    return tuple(attribute_skips(_inner(tree, tree.nodes[0])))


def _inner(tree: Tree, node: Node) -> list[Attribute]:
    inner = [child for child in node.children if child.kind == "inner_attribute_item"]
    return [one for child in inner for one in read_attribute(tree, child)]


def _functions(tree: Tree) -> list[Function]:
    """The functions of the file and of its modules, with what stands around them."""
    root = tree.nodes[0]
    places = {id(root): _Place((), _file_skips(tree))}
    found: list[Function] = []
    waiting = [root]
    while waiting:
        holder = waiting.pop()
        place = places[id(holder)]
        for at, node in enumerate(holder.children):
            if node.kind != "function_item" and node.kind not in CONTAINERS:
                continue
            attributes = outer_attributes(tree, node, holder.children[max(0, at - 40) : at])
            if node.kind == "function_item":
                found.append(_function(tree, node, place, attributes))
                continue
            skips = (*place.skips, *attribute_skips([*attributes, *_inner(tree, node)]))
            places[id(node)] = _Place((*place.path, _name(tree, node))[-_MOST_NAMES:], skips[-_MOST_NAMES:])
            waiting.append(node)
    return sorted(found, key=lambda one: one.node.start)


def _function(tree: Tree, node: Node, place: _Place, attributes: list[Attribute]) -> Function:
    parameters = node.child("parameters")
    takes = tree.source(parameters)[1:-1].strip() if parameters else ""
    body = node.child("block")
    gives = tree.text[parameters.end : body.start].strip() if parameters and body else ""
    return Function(node, _name(tree, node), place.path, attributes, place.skips, takes, gives)


def _name(tree: Tree, node: Node) -> str:
    """What a function, a module or the type of an implementation is called."""
    found = _NAMED.search(tree.text, node.start, min(node.end, node.start + _LONGEST_HEAD))
    return found[1].strip() if found else "?"


def _tests(tree: Tree, functions: list[Function], bodies: dict[int, Body]) -> list[Test]:
    called = {call.name for body in bodies.values() for call in body.calls}
    with_tests = {one.path for one in functions if one.has_test_attribute}
    # Beside unit tests stands production code, which may assert for reasons of its own.
    helpers = {one.name: bodies[id(one.node)] for one in functions if one.path in with_tests}
    tests = []
    for one in functions:
        body = bodies[id(one.node)]
        collected = any(attribute.makes_test and not attribute.conditional for attribute in one.attributes)
        if collected or _looks_like_test(one, body, called, with_tests):
            tests.append(_test(tree, one, whole_body(body, helpers), collected))
    return _without_dead_twins(tests)


def _looks_like_test(one: Function, body: Body, called: set[str], with_tests: set[tuple[str, ...]]) -> bool:
    """A test whose attribute is gone, and no function that others call."""
    if one.has_test_attribute or any(each.name in _OF_TESTS for each in one.attributes):
        return True
    if one.name in called or one.name == "main" or not one.is_plain:
        return False
    in_tests = one.path in with_tests or one.path[-1:] in (("tests",), ("test",))
    return in_tests and (one.name.startswith("test_") or any("!" in each.text for each in body.assertions))


_OF_TESTS = frozenset({"case", "ignore", "should_panic"})


def _test(tree: Tree, one: Function, body: Body, collected: bool) -> Test:
    skips = [*one.skips, *attribute_skips(one.attributes), *body.skips]
    return Test(
        identity=" > ".join((*one.path, one.name)),
        line=(one.attributes[0].line if one.attributes else 0) or tree.line(one.node.start),
        end_line=tree.line(one.node.end),
        skips=tuple(skips),
        assertions=tuple(should_panic(one.attributes, tree, one.node, _by_case(one, _real(body.assertions)))),
        cases=cases(one.attributes, one.takes),
        collected=collected,
    )


def _by_case(one: Function, found: list[Assertion]) -> list[Assertion]:
    """The assertions written out for each case; rstest gives values only to the parameters that ask for them."""
    given = rows(one.attributes)
    if not given:
        return found
    asking = [piece for piece in _PARAMETERS.split(one.takes) if "#[case" in piece] or [one.takes]
    return written_out(found, parameter_names(", ".join(asking)), given)


def _real(found: list[Assertion]) -> list[Assertion]:
    """An ``unwrap`` is an assertion only where nothing else is: elsewhere it is how one gets at a value."""
    real = [one for one in found if not one.text.startswith(".")]
    return real or [replace(one, text=one.subject + one.text) for one in found]


def _without_dead_twins(tests: list[Test]) -> list[Test]:
    """Of two functions with one name, of which the build leaves one out, only the other is a test."""
    alive = {test.identity for test in tests if not _is_out(test)}
    return [test for test in tests if test.identity not in alive or not _is_out(test)]


def _is_out(test: Test) -> bool:
    return any(skip.kind == "excluded" and not skip.conditional for skip in test.skips)
