"""Tests in Python: functions and methods whose name begins with ``test``."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from assay.detectors.effects.poison.spots import (
    Claim,
    ClaimForm,
    EditPlace,
    Spot,
    Style,
    arguments_of,
    is_literal,
    leaves_early,
    span,
    statements_in,
)

if TYPE_CHECKING:
    from ast_grep_py import SgNode

OPPOSITES: Final = {
    "assertEqual": "assertNotEqual", "assertNotEqual": "assertEqual", "assertTrue": "assertFalse",
    "assertFalse": "assertTrue", "assertIs": "assertIsNot", "assertIsNot": "assertIs", "assertIn": "assertNotIn",
    "assertNotIn": "assertIn", "assertIsNone": "assertIsNotNone", "assertIsNotNone": "assertIsNone",
    "assertIsInstance": "assertNotIsInstance", "assertAlmostEqual": "assertNotAlmostEqual",
    "assertGreater": "assertLessEqual", "assertLess": "assertGreaterEqual", "assertRegex": "assertNotRegex",
}  # fmt: skip
_LEAVES: Final = frozenset({"return_statement", "yield"})
_INNER: Final = frozenset({"function_definition", "lambda", "class_definition"})
_SIMPLE: Final = frozenset({
    "expression_statement", "assert_statement", "return_statement", "pass_statement", "raise_statement",
    "delete_statement", "global_statement", "nonlocal_statement", "import_statement", "import_from_statement",
})  # fmt: skip
_OTHER_ARGUMENTS: Final = re.compile(r"keyword_argument|list_splat|dictionary_splat")
# A property that fails is searched for its smallest example, which may take minutes.
_SEARCHES: Final = re.compile(r"@(?:\w+\.)?given\b")
_HARMLESS: Final = re.compile(r"@(?:pytest\.mark\.(?:parametrize|slow|unit)|(?:unittest\.)?mock\.patch|patch)\b")


def tests_in(root: "SgNode", path: str, text: str) -> Iterator[Spot]:
    """Every test of a module, by its dotted name."""
    module = path.removesuffix(".py").replace("/", ".")
    yield from _in_body(root, module, path, text)


def _in_body(body: "SgNode", inside: str, path: str, text: str) -> Iterator[Spot]:
    for node in statements_in(body):
        parts = statements_in(node) if node.kind() == "decorated_definition" else [node]
        decorators, defined = parts[:-1], parts[-1]
        block, name = defined.field("body"), defined.field("name")
        if block is None or name is None:
            continue
        full = f"{inside}.{name.text()}"
        if defined.kind() == "class_definition":
            yield from _in_body(block, full, path, text)
        elif any(_SEARCHES.match(one.text()) for one in decorators):
            continue
        elif defined.kind() == "function_definition" and name.text().startswith("test"):
            plain = not _is_async(defined) and all(_HARMLESS.match(one.text()) for one in decorators)
            yield from _test(block, full, path, text, plain)


def _is_async(function: "SgNode") -> bool:
    return any(child.kind() == "async" for child in function.children())


def _test(block: "SgNode", name: str, path: str, text: str, plain: bool) -> Iterator[Spot]:
    body = statements_in(block)
    if not body:
        return
    ends_early = leaves_early(block, _LEAVES, _INNER)
    style = Style.METHOD if re.search(r"\bself\.assert\w+\(", block.text()) else Style.ASSERT
    claims = () if ends_early else (claim for one in reversed(body) if (claim := _claim(one)) is not None)
    last = None if ends_early else _after(body[-1], body[0], text)
    yield Spot(path, name, style, _before(body[0], text), last, next(iter(claims), None), plain)


def _before(first: "SgNode", text: str) -> EditPlace:
    """At the beginning of a body, but behind what describes it."""
    start, end = span(first)
    if first.kind() == "expression_statement" and [one.kind() for one in statements_in(first)] == ["string"]:
        return EditPlace(end, end, "; ", "")
    simple = first.kind() in _SIMPLE
    return EditPlace(start, start, "", "; " if simple else f"\n{_indent(start, text)}")


def _after(last: "SgNode", first: "SgNode", text: str) -> EditPlace:
    end = span(last)[1]
    simple = last.kind() in _SIMPLE
    return EditPlace(end, end, "; " if simple else f"\n{_indent(span(first)[0], text)}", "")


def _indent(start: int, text: str) -> str:
    line = text.rfind("\n", 0, start) + 1
    return text[line:start]


def _claim(statement: "SgNode") -> Claim | None:
    if statement.kind() == "assert_statement":
        return _assertion(statement)
    inside = statements_in(statement)
    if statement.kind() == "expression_statement" and len(inside) == 1 and inside[0].kind() == "call":
        return _method(inside[0])
    return None


def _assertion(statement: "SgNode") -> Claim | None:
    """``assert condition`` or ``assert condition, message``."""
    parts = statements_in(statement)
    if not parts or len(parts) > 2:
        return None
    start, end = span(statement)
    rest = f", {parts[1].text()}" if len(parts) == 2 else ""
    sides = parts[0].children() if parts[0].kind() == "comparison_operator" else []
    if len(sides) == 3 and sides[1].text() == "==" and not is_literal(sides[0]):
        form = ClaimForm.LITERAL if is_literal(sides[2]) else ClaimForm.EQUALITY
        return Claim(form, start, end, (sides[0].text(), sides[2].text(), rest))
    return Claim(ClaimForm.CONDITION, start, end, (parts[0].text(), rest))


def _method(call: "SgNode") -> Claim | None:
    """``self.assertEqual(…)`` and its like."""
    callee = call.field("function")
    if callee is None or not callee.text().startswith("self."):
        return None
    method, found = callee.text().removeprefix("self."), call.field("arguments")
    if method not in OPPOSITES or found is None or found.kind() != "argument_list":
        return None
    arguments, (start, end) = arguments_of(call), span(call)
    if method == "assertEqual" and len(arguments) == 2:
        for subject, expected in (arguments, reversed(arguments)):
            if is_literal(expected) and not is_literal(subject) and not _OTHER_ARGUMENTS.match(subject.kind()):
                return Claim(ClaimForm.METHOD_LITERAL, start, end, (subject.text(), expected.text()))
        if not any(_OTHER_ARGUMENTS.match(one.kind()) for one in arguments):
            return Claim(ClaimForm.METHOD_EQUALITY, start, end, tuple(one.text() for one in arguments))
    return Claim(ClaimForm.METHOD, start, end, (method, found.text()))
