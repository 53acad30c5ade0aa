"""Reads a file of tests in Ruby."""

import re

from assay.detectors.test_code.calls import calls
from assay.detectors.test_code.flow import mark_dead
from assay.detectors.test_code.model import TestCode
from assay.detectors.test_code.node_scopes import read_scopes
from assay.detectors.test_code.ruby.assertions import ASSERTING, Assertions
from assay.detectors.test_code.ruby.flow import RubyRules, mark_swallowed
from assay.detectors.test_code.ruby.suites import Suites
from assay.detectors.test_code.ruby.text import ARGUMENTS, KINDS, OPAQUE, bare_words, names_of
from assay.detectors.test_code.ruby.values import Values
from assay.detectors.test_code.tree import Tree, parse

# The grammar keeps the length of a heredoc's delimiter in one byte and ends the whole process where it needs more.
_LONG_DELIMITER = re.compile(r"""<<(?=[~-]?(?:[^\W\d]\w{200}|(["'`])(?:(?!\1)[\s\S]){200}))""")
_MOST_ANNOUNCED = 100
_TEXT = OPAQUE | {"heredoc_body", "comment"}


def read_ruby(text: str) -> TestCode:
    """The tests of a Ruby file."""
    announced = [match.start() for match in _LONG_DELIMITER.finditer(text)]
    tree = parse(text, "ruby", KINDS | _TEXT if announced else KINDS, bare_words(text), _without(text, announced))
    if len(announced) > _MOST_ANNOUNCED or not all(_is_text(tree, offset) for offset in announced):
        return TestCode("ruby", problems=("A heredoc's delimiter has 200 characters or more.",))
    found = calls(tree, "call", ARGUMENTS, names_of)
    values = Values(tree)
    rules = RubyRules(tree, found, values)
    mark_dead(tree, rules)
    suites = Suites(tree, values, found, rules)
    assertions = Assertions(tree, values, found, rules)
    for node in tree.nodes[1:]:
        scope = suites.visit(node)
        if node.kind in ASSERTING:
            assertions.visit(node, scope)
    mark_swallowed(tree, rules, assertions.loud, suites.tests)
    return read_scopes("ruby", tree, suites, assertions)


def _without(text: str, offsets: list[int]) -> str | None:
    """The text with the beginnings of heredocs blanked out; None where there are none."""
    parts, position = [], 0
    for offset in offsets:
        parts += [text[position:offset], "  "]
        position = offset + 2
    return "".join((*parts, text[position:])) if offsets else None


def _is_text(tree: Tree, offset: int) -> bool:
    """Whether an offset is within a string or a comment, where nothing announces a heredoc."""
    return any(node.kind in _TEXT and node.start < offset < node.end for node in tree.nodes)
