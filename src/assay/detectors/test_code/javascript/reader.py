"""Reads a file of tests in JavaScript or TypeScript."""

from assay.detectors.test_code.calls import calls
from assay.detectors.test_code.flow import mark_dead
from assay.detectors.test_code.javascript.assertions import ASSERTING, Assertions
from assay.detectors.test_code.javascript.callees import NameReader
from assay.detectors.test_code.javascript.flow import JavascriptRules, mark_swallowed
from assay.detectors.test_code.javascript.names import vocabulary
from assay.detectors.test_code.javascript.suites import Suites
from assay.detectors.test_code.javascript.text import ARGUMENTS, KINDS
from assay.detectors.test_code.model import TestCode
from assay.detectors.test_code.node_scopes import read_scopes
from assay.detectors.test_code.tree import parse


def read_javascript(text: str) -> TestCode:
    """The tests of a JavaScript file. JSX is part of the grammar."""
    return _read(text, "javascript", "javascript")


def read_typescript(text: str, tsx: bool = False) -> TestCode:
    """The tests of a TypeScript file; ``tsx`` for one with JSX in it."""
    return _read(text, "tsx" if tsx else "typescript", "typescript")


def _read(text: str, grammar: str, language: str) -> TestCode:
    tree = parse(text, grammar, KINDS)
    found = calls(tree, "call_expression", ARGUMENTS, NameReader().read)
    known = vocabulary(tree)
    rules = JavascriptRules(tree, known, found)
    mark_dead(tree, rules)
    suites = Suites(tree, known, found, rules)
    assertions = Assertions(tree, known, found, rules)
    for node in tree.nodes[1:]:
        scope = suites.visit(node)
        if node.kind in ASSERTING:
            assertions.visit(node, scope)
    mark_swallowed(tree, found, assertions.strong, suites.tests)
    return read_scopes(language, tree, suites, assertions)
