"""Reads a file of tests in Ruby."""

import re

from assay.formats.test_code.calls import calls
from assay.formats.test_code.flow import mark_dead
from assay.formats.test_code.model import TestCode
from assay.formats.test_code.ruby.assertions import Assertions
from assay.formats.test_code.ruby.flow import RubyRules, mark_swallowed
from assay.formats.test_code.ruby.suites import Suites
from assay.formats.test_code.ruby.text import ARGUMENTS, BARE, KINDS, names_of
from assay.formats.test_code.ruby.values import Values
from assay.formats.test_code.scopes import Role, assemble
from assay.formats.test_code.tree import parse

# The grammar keeps the length of a delimiter in one byte and ends the whole process where that is not enough.
_LONG_DELIMITER = re.compile(r"""<<[~-]?(?:[^\W\d]\w{50}|(["'`])(?:(?!\1)[\s\S]){50})""")


def read_ruby(text: str) -> TestCode:
    """The tests of a Ruby file."""
    if _LONG_DELIMITER.search(text):
        return TestCode("ruby", problems=("A heredoc has a delimiter that is longer than any that people write.",))
    tree = parse(text, "ruby", KINDS, BARE)
    found = calls(tree, "call", ARGUMENTS, names_of)
    values = Values(tree)
    rules = RubyRules(tree, found, values)
    mark_dead(tree, rules)
    suites = Suites(tree, values, found, rules)
    assertions = Assertions(tree, values, found, rules)
    for node in tree.nodes[1:]:
        assertions.visit(node, suites.visit(node))
    mark_swallowed(tree, rules, assertions.loud, suites.tests)
    assertions.hand_over({scope.name for scope in suites.scopes if scope.role is Role.FUNCTION})
    suites.settle()
    return assemble("ruby", suites.scopes, tree.problems)
