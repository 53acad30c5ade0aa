"""Two idioms of Java and C#: a test that leaves early under a condition, and an exception expected by hand."""

from assay.detectors.test_code.curly.demands import Demand
from assay.detectors.test_code.curly.tokens import tokens, uniform
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.tree import Node, Tree

_BROAD = frozenset({"Exception", "Throwable", "RuntimeException", "Error", "SystemException"})
_MOST_TEXT = 1_000


def is_guard(node: Node, branch: str, function: str) -> bool:
    """Is this a bare return that is all there is in a condition at the top of a function?"""
    inside = node.parent
    while inside is not None and inside.kind in ("block", "expression_statement") and len(inside.children) == 1:
        inside = inside.parent
    if inside is None or inside.kind != branch or not node.conditional or inside.conditional:
        return False
    top = inside.parent
    top = top.parent if top is not None and top.kind == "expression_statement" else top
    holder = top.parent if top is not None else None
    return (
        holder is not None and holder.kind == function and all(one.kind != function for one in holder.ancestors())
    )


def last_lines(tree: Tree, body: Node | None, calls: frozenset[str]) -> range:
    """The lines of the last statement of a body, if it is a call; no lines otherwise."""
    last = body.children[-1] if body is not None and body.children else None
    if last is None or last.kind not in calls:
        return range(0)
    return range(tree.line(last.start), tree.line(last.end) + 1)


def guard_text(tree: Tree, node: Node, branch: str) -> str:
    """The condition and the return."""
    around = next(one for one in node.ancestors() if one.kind == branch)
    return tree.text[around.start : node.end]


def in_try(tree: Tree, node: Node, demand: Demand) -> Demand:
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
            return Demand(demand.text, strength, uniform(tokens(before)).rstrip(";"), kind)
        inside = around
    return demand


def _caught(tree: Tree, clause: Node) -> str:
    """The type that a handler catches: all words in its parentheses but the name at the end."""
    handler = clause.child("block")
    words = tokens(tree.text[clause.start : handler.start if handler else clause.end])
    words = words[2 : words.index(")")] if ")" in words else []
    named = len(words) > 1 and words[-2] not in (".", "|", ">")
    return uniform([word for word in (words[:-1] if named else words) if word != "final"]) or "Exception"
