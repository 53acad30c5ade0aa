"""Reads a file of tests in Go."""

from assay.detectors.test_code.calls import calls
from assay.detectors.test_code.flow import mark_dead
from assay.detectors.test_code.go.assertions import Assertions
from assay.detectors.test_code.go.flow import GoRules, mark_swallowed
from assay.detectors.test_code.go.suites import Suites
from assay.detectors.test_code.go.tags import constraints
from assay.detectors.test_code.go.text import ARGUMENTS, KINDS, names_of
from assay.detectors.test_code.go.values import Values
from assay.detectors.test_code.model import TestCode
from assay.detectors.test_code.node_scopes import read_scopes
from assay.detectors.test_code.tree import parse


def read_go(text: str) -> TestCode:
    """The tests of a Go file."""
    tree = parse(text, "go", KINDS)
    found = calls(tree, "call_expression", ARGUMENTS, names_of)
    values = Values(tree)
    rules = GoRules(tree, found, values)
    mark_dead(tree, rules)
    suites = Suites(tree, values, found, rules)
    suites.scopes[0].skips.extend(constraints(tree.text))
    assertions = Assertions(tree, values, found, rules)
    for node in tree.nodes[1:]:
        assertions.visit(node, suites.visit(node), suites.owners)
    mark_swallowed(tree, found, values.fakes, assertions.panics)
    return read_scopes("go", tree, suites, assertions)
