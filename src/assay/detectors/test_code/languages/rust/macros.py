"""Rust as the parser sees it: with the tests that macros write, and with what ends a test marked."""

import re

from assay.detectors.test_code.engine.expressions.parts import Grammar, Part
from assay.detectors.test_code.languages.rust.written import written_out
from assay.detectors.test_code.tree import Node, ParsedText, parse_parts

_FAILURE = re.compile(r"return\s+Err\b")
_STR = re.compile(r"\bstr!(?=\s*\[)")


def bare_parsed(text: str, grammar: Grammar) -> ParsedText:
    """A text, parsed with the tests that its macros write."""
    text = written_out(text)
    # The grammar takes ``str!`` for a type, and then loses its way in the string that follows.
    parsed = _STR.sub("txt!", text) if "str![" in text else text
    tree = parse_parts(text, grammar, parsed)
    for node in tree.nodes:
        if node.kind == "return_expression" and _FAILURE.match(tree.text, node.start, node.end):
            node.part = Part.THROW
        elif node.kind == "let_declaration" and _is_unless(tree, node):
            node.part = Part.UNLESS
    return tree


def _is_unless(tree: ParsedText, node: Node) -> bool:
    """``let Some(x) = f() else { return };``."""
    last = node.children[-1] if node.children else None
    return (
        last is not None
        and last.kind == "block"
        and tree.text[last.start - 12 : last.start].rstrip().endswith("else")
    )
