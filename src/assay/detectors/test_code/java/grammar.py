"""The kinds of nodes that matter in Java's test code, and how its statements flow."""

import re

from assay.detectors.test_code.curly.catches import around, drops
from assay.detectors.test_code.curly.flow import Grammar
from assay.detectors.test_code.curly.statements import CALLS, ENDS, IFS, LOOPS, PASSING, STATEMENTS
from assay.detectors.test_code.tree import Node, Tree

CLASSES = frozenset(
    {
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
    }
)
MEMBERS = frozenset({"method_declaration", "constructor_declaration", "static_initializer"})
ANNOTATIONS = frozenset({"annotation", "marker_annotation"})

_STATEMENTS = STATEMENTS | {
    "enhanced_for_statement",
    "try_with_resources_statement",
    "synchronized_statement",
    "switch_expression",
    "assert_statement",
}
_TRIES = frozenset({"try_statement", "try_with_resources_statement"})
_ALTERNATIVES = frozenset({"switch_block_statement_group", "switch_rule", "catch_clause"})

FLOW = Grammar(
    statements=_STATEMENTS,
    lists=frozenset({"block", "switch_block_statement_group"}),
    ifs=IFS,
    loops=LOOPS,
    each=frozenset({"enhanced_for_statement"}),
    alternatives=_ALTERNATIVES,
    passing=PASSING | {"synchronized_statement"},
    tries=_TRIES,
    ends=ENDS,
    breaks=frozenset({"break_statement", "continue_statement", "yield_statement"}),
    closures=frozenset({"lambda_expression"}),
    bindings=frozenset({"variable_declarator"}),
    local_functions=frozenset(),
    calls=CALLS,
    exits=re.compile(
        r"(?:java\.lang\.)?(?:System\s*\.\s*exit|Runtime\s*\.\s*getRuntime\(\)\s*\.\s*(?:exit|halt))\s*\("
    ),
    nothing=re.compile(
        r":\s*(?:\w+\.)*(?:emptyList|emptySet|List\.of|Set\.of|asList)\(\s*\)\s*\)$|:\s*new\s+\w+\s*\[(?:0\]|\]\s*\{\s*\})\s*\)$"
    ),
)

KINDS = (
    CLASSES
    | MEMBERS
    | ANNOTATIONS
    | _STATEMENTS
    | _ALTERNATIVES
    | {"modifiers", "field_declaration", "method_invocation", "lambda_expression", "variable_declarator"}
)

_CATCHES_ASSERTIONS = re.compile(
    r"\b(?:Throwable|Error|\w*Assertion\w*|ComparisonFailure|MultipleFailuresError)\b"
)
_CATCHES_MUCH = re.compile(r"\b(?:Exception|RuntimeException)\b")
_FAILS = re.compile(r"\bfail\w*\s*\(")
_RETURNS = re.compile(r"\breturn\b")
_FARTHEST = 20_000
_MOST_BODY = 5_000


def swallows(tree: Tree, node: Node) -> bool:
    """Does a try statement drop what fails in its body?

    ``catch (Exception e)`` does not catch an AssertionError, but what the asserted code throws; where the body
    ends with ``fail()``, that is the old way to expect an exception.
    """
    body = node.child("block")
    expects = body is not None and bool(
        _FAILS.search(tree.text, body.start, min(body.end, body.start + _MOST_BODY))
    )
    return any(
        (clause.kind == "finally_clause" and _RETURNS.search(tree.source(clause)[:_FARTHEST]))
        or (clause.kind == "catch_clause" and _clause_drops(tree, node, clause, expects))
        for clause in node.children
    )


def _clause_drops(tree: Tree, node: Node, clause: Node, expects: bool) -> bool:
    handler = clause.child("block")
    head = tree.text[clause.start : handler.start if handler else clause.end]
    if not _CATCHES_ASSERTIONS.search(head) and (expects or not _CATCHES_MUCH.search(head)):
        return False
    return handler is not None and _handler_drops(tree, node, head, handler)


def _handler_drops(tree: Tree, node: Node, head: str, handler: Node) -> bool:
    words = re.findall(r"\w+", head)
    before, after = around(tree, node)
    return drops(tree.source(handler), words[-1] if words else "", before, after)
