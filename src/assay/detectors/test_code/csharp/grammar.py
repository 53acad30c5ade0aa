"""The kinds of nodes that matter in C#'s test code, and how its statements flow."""

import re

from assay.detectors.test_code.curly.catches import around, drops
from assay.detectors.test_code.curly.constants import constant
from assay.detectors.test_code.curly.flow import Grammar
from assay.detectors.test_code.curly.statements import CALLS, ENDS, IFS, LOOPS, PASSING, STATEMENTS
from assay.detectors.test_code.curly.tokens import tokens
from assay.detectors.test_code.tree import Node, Tree

CLASSES = frozenset({"class_declaration", "struct_declaration", "record_declaration", "interface_declaration"})
_HOLDING = frozenset(
    {"using_statement", "lock_statement", "fixed_statement", "checked_statement", "unsafe_statement"}
)
_STATEMENTS = STATEMENTS | _HOLDING | {"foreach_statement", "switch_statement", "goto_statement"}
_ALTERNATIVES = frozenset({"switch_section", "catch_clause"})

FLOW = Grammar(
    statements=_STATEMENTS,
    lists=frozenset({"block", "switch_section"}),
    ifs=IFS,
    loops=LOOPS,
    each=frozenset({"foreach_statement"}),
    alternatives=_ALTERNATIVES,
    passing=PASSING | _HOLDING,
    tries=frozenset({"try_statement"}),
    ends=ENDS,
    breaks=frozenset({"break_statement", "continue_statement", "goto_statement"}),
    closures=frozenset({"lambda_expression", "anonymous_method_expression"}),
    bindings=frozenset({"variable_declarator"}),
    local_functions=frozenset({"local_function_statement"}),
    calls=CALLS,
    exits=re.compile(
        r"(?:(?:System\.)?Environment\.(?:Exit|FailFast)|(?:\w{1,100}+\.){0,20}Assert\.(?:Pass|Ignore|Inconclusive|Skip))\s*\("
    ),
    nothing=re.compile(
        r"\bin\s+(?:(?:\w+\.)*(?:Empty<.{0,400}>\(\)|EmptyList\(\))|new\s+\w+\s*\[(?:0\]|\]\s*\{\s*\})|new\s+List<.{0,400}>\(\)|\[\s*\])\s*\)$"
    ),
)

KINDS = (
    CLASSES
    | _STATEMENTS
    | _ALTERNATIVES
    | {
        "declaration_list",
        "method_declaration",
        "constructor_declaration",
        "local_function_statement",
        "parameter_list",
    }
    | {"attribute_list", "attribute", "invocation_expression", "lambda_expression", "anonymous_method_expression"}
    | {"variable_declarator", "arrow_expression_clause"}
)

_CATCHES_ASSERTIONS = re.compile(
    r"catch\s*(?:\(\s*(?:\w+\.)*(?:Exception|SystemException|\w*(?:Assert|Xunit)\w*)\b|\{|$|when\b)"
)
_CAUGHT = re.compile(r"\(\s*[\w.]+(?:<[^()]*>)?\s+(\w+)\s*\)")
_WHEN = re.compile(r"\A(?>.*?\bwhen\s*\()(.*)\)\s*$", re.DOTALL)
_FARTHEST = 20_000


def swallows(tree: Tree, node: Node) -> bool:
    """Does a try statement drop what fails in its body? Here a failed assertion is an exception like any other."""
    for clause in node.children:
        if clause.kind != "catch_clause":
            continue
        handler = clause.child("block")
        head = tree.text[clause.start : handler.start if handler else clause.end].strip()
        filtered = _WHEN.search(head)
        caught = _CAUGHT.search(head)
        name = caught[1] if caught else ""
        if not _CATCHES_ASSERTIONS.match(head) or (filtered and not _always(filtered[1], name)):
            continue
        before, after = around(tree, node)
        if handler is not None and drops(tree.source(handler), name, before, after):
            return True
    return False


def _always(condition: str, caught: str) -> bool:
    """Whether a filter lets everything in: what is caught is always something."""
    something = re.fullmatch(
        rf"\s*{caught}\s*(?:is\s+(?:not\s+null|{{\s*}}|(?:\w+\.)*Exception|object)|!=\s*null)\s*", condition
    )
    return constant(tokens(condition), {}) is True or (bool(caught) and something is not None)


_CAUGHT_BY_CALL = re.compile(
    r"(?P<record>Record\s*\.\s*Exception(?:Async)?\s*\(\s*)$"
    r"|(?:Throws\w{0,120}|Catch)<(?:\w++\.)*+(?:Exception|(?>\w*?(?:Assert|Xunit))\w*+)>\s*\(\s*$"
    r"|(?P<run>Task(?:\.Factory)?\.(?:Run|StartNew)\s*\(\s*)$"
)
_NEAREST = 120


def mark_dropped_failures(tree: Tree) -> None:
    """Lambdas whose failures end in a value that nobody looks at."""
    for node in tree.nodes:
        if node.kind != "lambda_expression":
            continue
        found = _CAUGHT_BY_CALL.search(tree.text, max(0, node.start - _NEAREST), node.start)
        if found is not None:
            node.swallowed = _is_dropped(tree, node, found)


def _is_dropped(tree: Tree, node: Node, found: re.Match[str]) -> bool:
    if found["record"] is None and found["run"] is None:
        return True
    around = next((one for one in node.ancestors() if one.kind in _KEEPERS), None)
    if around is None or around.kind == "block":
        return False
    before = tree.text[around.start : found.start()]
    if around.kind == "expression_statement":
        waited = _WAITED.search(tree.text[node.end : around.end])
        return "await" not in before and not waited and "(" not in before
    name = before.split("=")[0].strip()
    rest = tree.text[around.end : around.end + _FARTHEST]
    return name == "_" or ("await" not in before and re.search(rf"\b{re.escape(name)}\b", rest) is None)


_KEEPERS = frozenset({"variable_declarator", "expression_statement", "block"})
_WAITED = re.compile(r"\.(?:Wait|Result|GetAwaiter|Should\w*)\b")
