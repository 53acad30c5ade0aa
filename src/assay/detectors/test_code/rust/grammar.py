"""The kinds of nodes that matter in Rust's test code, and how its expressions flow."""

import re

from assay.detectors.test_code.curly.flow import Grammar
from assay.detectors.test_code.tree import Node, Tree

CONTAINERS = frozenset({"mod_item", "impl_item", "trait_item"})
ATTRIBUTES = frozenset({"attribute_item", "inner_attribute_item"})

_STATEMENTS = frozenset({"block", "else_clause", "unsafe_block"})
_FLOW_KINDS = frozenset(
    {
        "if_expression",
        "while_expression",
        "for_expression",
        "loop_expression",
        "match_expression",
        "match_arm",
        "let_declaration",
        "expression_statement",
        "return_expression",
        "break_expression",
        "continue_expression",
        "closure_expression",
        "async_block",
    }
)

FLOW = Grammar(
    statements=_STATEMENTS,
    lists=frozenset({"block"}),
    ifs=frozenset({"if_expression"}),
    loops=frozenset({"while_expression"}),
    each=frozenset({"for_expression"}),
    alternatives=frozenset({"match_arm"}),
    passing=frozenset({"expression_statement", "else_clause", "unsafe_block", "loop_expression"}),
    tries=frozenset(),
    ends=frozenset({"return_expression"}),
    breaks=frozenset({"break_expression", "continue_expression"}),
    closures=frozenset({"closure_expression", "async_block"}),
    bindings=frozenset({"let_declaration"}),
    local_functions=frozenset({"function_item"}),
    calls=frozenset({"expression_statement", "call_expression"}),
    exits=re.compile(r"(?:(?:::)?std::)?process::(?:exit|abort)\s*\("),
    nothing=re.compile(
        r"\bin\s+(?:&?(?:vec!)?\[\s*\]|(\d+)\.\.\1|(?:std::)?iter::empty(?:::<.{0,400}>)?\(\)|Vec(?:::<.{0,400}>)?::new\(\))$"
    ),
)

KINDS = (
    CONTAINERS
    | ATTRIBUTES
    | _STATEMENTS
    | _FLOW_KINDS
    | {
        "function_item",
        "macro_invocation",
        "call_expression",
        "macro_definition",
        "parameters",
        "const_item",
        "static_item",
    }
)

_CATCHES = re.compile(
    r"(?:catch_unwind|(?:thread|tokio|task|async_std|smol)::spawn\w*)\s*\(\s*(?:(?:\w+::)*AssertUnwindSafe\s*\(\s*)?$"
)
_KEEPS = re.compile(
    r"\.\s*(?:unwrap|expect|join|unwrap_err|await|is_err|is_ok|map_err|err|ok_or|unwrap_or_else)\b|\?|resume_unwind"
)
_NAMED = re.compile(r"let\s+(?:mut\s+)?(\w+)\b")
_NEAREST = 80
_FARTHEST = 20_000


def mark_dropped_panics(tree: Tree) -> None:
    """Closures whose panics are caught, by ``catch_unwind`` or a thread's end, and never looked at."""
    for node in tree.nodes:
        if node.kind in ("closure_expression", "async_block") and _CATCHES.search(
            tree.text, max(0, node.start - _NEAREST), node.start
        ):
            node.swallowed = _is_dropped(tree, node)


def _is_dropped(tree: Tree, node: Node) -> bool:
    """Is the value of the call around a closure thrown away?"""
    statement = next(
        (one for one in node.ancestors() if one.kind not in ("call_expression", "match_expression")), None
    )
    if statement is None:
        return False
    after = tree.text[node.end : min(statement.end, node.end + _FARTHEST)]
    if statement.kind == "expression_statement":
        return not _KEEPS.search(after)
    if statement.kind != "let_declaration":
        return False
    named = _NAMED.match(tree.text, statement.start)
    if named is None or named[1] == "_" or _JOIN_DROPPED.search(after):
        return True
    rest = tree.text[statement.end : statement.end + _FARTHEST]
    return re.search(rf"\b{re.escape(named[1])}\b", rest) is None


_JOIN_DROPPED = re.compile(r"\.\s*ok\s*\(\s*\)\s*;?$")
