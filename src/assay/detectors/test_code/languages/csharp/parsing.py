"""C# as the parser sees it: without directives, and with what no build runs and nobody hears marked."""

import re
from dataclasses import dataclass, field, fields

from assay.detectors.test_code.engine.expressions.parts import Grammar, Part, parts
from assay.detectors.test_code.languages.csharp.directives import Directives, directives
from assay.detectors.test_code.tree import Node, ParsedText, parse_parts

GRAMMAR = Grammar(
    "csharp",
    parts(
        CLASS="class_declaration struct_declaration record_declaration interface_declaration",
        FUNCTION="method_declaration constructor_declaration local_function_statement",
        CLOSURE="lambda_expression anonymous_method_expression",
        CALL="invocation_expression",
        GIVEN="argument_list",
        BLOCK="block",
        STATEMENT="expression_statement",
        IF="if_statement",
        LOOP="while_statement for_statement",
        EACH="foreach_statement",
        ONCE="do_statement labeled_statement using_statement lock_statement fixed_statement checked_statement "
        "unsafe_statement",
        SWITCH="switch_statement",
        CASE="switch_section",
        TRY="try_statement",
        CATCH="catch_clause",
        FINALLY="finally_clause",
        RETURN="return_statement",
        THROW="throw_statement",
        BREAK="break_statement continue_statement goto_statement",
        BINDING="variable_declarator",
        ASSIGNMENT="assignment_expression postfix_unary_expression prefix_unary_expression",
        MARK="attribute",
        OTHER="await_expression parameter_list",
    ),
    ("argument_list",),
)
_UNARY = frozenset(("postfix_unary_expression", "prefix_unary_expression"))
_CAUGHT_BY_CALL = re.compile(
    r"(?P<record>Record\s*\.\s*Exception(?:Async)?\s*\(\s*)$"
    r"|(?:Throws\w{0,120}|Catch)<(?:\w++\.)*+(?:Exception|(?>\w*?(?:Assert|Xunit))\w*+)>\s*\(\s*$"
    r"|(?P<run>Task(?:\.Factory)?\.(?:Run|StartNew)\s*\(\s*)$"
)
_KEEPERS = frozenset((Part.BINDING, Part.STATEMENT, Part.BLOCK))
_WAITED = re.compile(r"\.(?:Wait|Result|GetAwaiter|Should\w*)\b")
_NEAREST, _FARTHEST = 120, 20_000


@dataclass(slots=True, eq=False)
class Built(ParsedText):
    """A tree with what the build leaves out."""

    built: Directives = field(default_factory=lambda: Directives(""))


def parse(text: str) -> Built:
    """Read a file without its directives, or one branch of each where only that makes sense."""
    built = directives(text)
    tree = parse_parts(built.text, GRAMMAR)
    if tree.problems and built.parts:
        single = parse_parts(built.single_branch(), GRAMMAR)
        tree = single if len(single.problems) < len(tree.problems) else tree
    for node in tree.nodes:
        if node.kind in _UNARY and not ("++" in tree.source(node)[:200] or "--" in tree.source(node)[:200]):
            node.part = Part.OTHER
        elif node.part is Part.CLOSURE:
            node.swallowed = _is_unheard(tree, node)
    if built.parts:
        _mark_left_out(tree, built)
    return Built(**{each.name: getattr(tree, each.name) for each in fields(tree)}, built=built)


def _mark_left_out(tree: ParsedText, built: Directives) -> None:
    """Code in a branch that no build sees, inside a method that builds see, never runs."""
    for node in tree.nodes:
        if node.kind != "method_declaration":
            continue
        around = built.at(node.end)
        if around is not None and around.likely is False:
            continue
        for inside in tree.within(node.start + 1, node.end):
            part = built.at(inside.start)
            inside.dead = part is not None and part.likely is False


def _is_unheard(tree: ParsedText, node: Node) -> bool:
    """Whether the failure of a closure ends in a value that nobody looks at."""
    found = _CAUGHT_BY_CALL.search(tree.text, max(0, node.start - _NEAREST), node.start)
    if found is None:
        return False
    if found["record"] is None and found["run"] is None:
        return True
    around = next((each for each in node.ancestors() if each.part in _KEEPERS), None)
    if around is None or around.part is Part.BLOCK:
        return False
    before = tree.text[around.start : found.start()]
    if around.part is Part.STATEMENT:
        waited = _WAITED.search(tree.text, node.end, around.end)
        return "await" not in before and not waited and "(" not in before
    name = before.split("=")[0].strip()
    rest = tree.text[around.end : around.end + _FARTHEST]
    return name == "_" or ("await" not in before and re.search(rf"\b{re.escape(name)}\b", rest) is None)
