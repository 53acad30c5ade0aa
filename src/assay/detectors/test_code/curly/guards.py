"""Two idioms of Java and C#: a test that leaves early under a condition, and an exception expected by hand."""

from dataclasses import replace

from assay.detectors.test_code.curly.tokens import tokens, uniform
from assay.detectors.test_code.demand import Demand, WrittenDemand
from assay.detectors.test_code.model import Assertion, Strength
from assay.detectors.test_code.tree import Node, Tree

_BROAD = frozenset({"Exception", "Throwable", "RuntimeException", "Error", "SystemException"})
_MOST_TEXT = 1_000


def is_guard(node: Node, branch: str, function: str) -> bool:
    """Is this a bare return that is all there is in a condition at the top of a function?"""
    inside = _holder(node)
    if inside is None or inside.kind != branch or not node.conditional or inside.conditional:
        return False
    holder = _function_of(inside)
    if holder is None or holder.kind != function:
        return False
    return all(one.kind != function for one in holder.ancestors())


def _holder(node: Node) -> Node | None:
    """The statement around a node that is alone in its block."""
    inside = node.parent
    while inside is not None and inside.kind in ("block", "expression_statement") and len(inside.children) == 1:
        inside = inside.parent
    return inside


def _function_of(statement: Node) -> Node | None:
    """The node around the list that a statement stands in."""
    top = statement.parent
    if top is not None and top.kind == "expression_statement":
        top = top.parent
    return top.parent if top is not None else None


def last_lines(tree: Tree, body: Node | None, calls: frozenset[str]) -> range:
    """The lines of the last statement of a body, if it is a call; no lines otherwise."""
    last = _last(body)
    if last is None or last.kind not in calls:
        return range(0)
    return range(tree.line(last.start), tree.line(last.end) + 1)


def last_text(tree: Tree, body: Node | None) -> str:
    """The last statement of a body; nothing where there is none."""
    last = _last(body)
    return uniform(tokens(tree.source(last))).rstrip(";") if last is not None else ""


def _last(body: Node | None) -> Node | None:
    return body.children[-1] if body is not None and body.children else None


def turned_around(found: list[Assertion], at_end: range, any_will_do: bool) -> list[Assertion]:
    """The assertions of a test that must fail: one at its end can't hold; if any failure will do, none must."""
    return [replace(one, swallowed=one.swallowed or any_will_do or one.line in at_end) for one in found]


def guard_text(tree: Tree, node: Node, branch: str) -> str:
    """The condition and the return."""
    around = next(one for one in node.ancestors() if one.kind == branch)
    return tree.text[around.start : node.end]


def in_try(tree: Tree, node: Node, written: WrittenDemand) -> WrittenDemand:
    """A failure at the end of a try body says that an exception must come before it."""
    inside = node
    for around in node.ancestors():
        if around.kind == "method_declaration":
            break
        clause = around.child("catch_clause") if around.kind.startswith("try") else None
        if clause is not None and inside is around.child("block"):
            kind = _caught(tree, clause)
            before = tree.text[max(inside.start + 1, node.start - _MOST_TEXT) : node.start]
            strength = Strength.SHAPE if kind in _BROAD else Strength.EXACT
            return WrittenDemand(written.text, Demand(strength, uniform(tokens(before)).rstrip(";"), kind))
        inside = around
    return written


def _caught(tree: Tree, clause: Node) -> str:
    """The type that a handler catches: all words in its parentheses but the name at the end."""
    handler = clause.child("block")
    words = tokens(tree.text[clause.start : handler.start if handler else clause.end])
    words = words[2 : words.index(")")] if ")" in words else []
    named = len(words) > 1 and words[-2] not in (".", "|", ">")
    return uniform([word for word in (words[:-1] if named else words) if word != "final"]) or "Exception"
