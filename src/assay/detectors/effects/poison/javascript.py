"""Tests in JavaScript and TypeScript: ``test("title", function)`` and ``it``, in ``describe`` or not."""

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
    "equal": "notEqual", "notEqual": "equal", "strictEqual": "notStrictEqual", "notStrictEqual": "strictEqual",
    "deepEqual": "notDeepEqual", "notDeepEqual": "deepEqual", "deepStrictEqual": "notDeepStrictEqual",
    "notDeepStrictEqual": "deepStrictEqual", "match": "doesNotMatch", "doesNotMatch": "match",
}  # fmt: skip
_EQUALS: Final = ("equal", "strictEqual", "deepEqual", "deepStrictEqual")
_MATCHERS: Final = ("toBe", "toEqual", "toStrictEqual")
_TESTS: Final = ("test", "it")
_GROUPS: Final = ("describe", "suite", "context")
_FUNCTIONS: Final = frozenset({"arrow_function", "function_expression", "function"})
_INNER: Final = frozenset({*_FUNCTIONS, "function_declaration", "method_definition", "class_declaration"})
_LEAVES: Final = frozenset({"return_statement", "throw_statement"})
# Only the first beginning on a line: each of the others would be looked at to the line's end.
_EXPECT: Final = re.compile(r"^(?>.*?\bexpect\().*\)\.(?:not\.)?to[A-Z]\w*\(", re.MULTILINE)
_NODE: Final = re.compile(r"\bassert\.\w+\(")
# One more assertion would be one too many.
_COUNTS: Final = re.compile(r"\bexpect\.(?:assertions|hasAssertions)\(|\.plan\(")
# Matchers that are no plain question about a value.
_OTHER_CHAINS: Final = frozenset({"resolves", "rejects", "soft", "poll", "to", "be", "have"})


def tests_in(root: "SgNode", path: str, text: str) -> Iterator[Spot]:
    """Every test with a title that is written out."""
    style = Style.EXPECT if _EXPECT.search(text) else Style.NODE if _NODE.search(text) else Style.THROW
    yield from _in_body(root, path, style)


def _in_body(body: "SgNode", path: str, style: Style) -> Iterator[Spot]:
    for statement in statements_in(body):
        inside = statements_in(statement)
        call = inside[0] if statement.kind() == "expression_statement" and inside else None
        if call is not None and call.kind() == "await_expression":
            call = next(iter(statements_in(call)), None)
        if call is None or call.kind() != "call_expression":
            continue
        callee, arguments = call.field("function"), arguments_of(call)
        title = _title(arguments)
        functions = [one for one in arguments if one.kind() in _FUNCTIONS]
        block = functions[-1].field("body") if functions else None
        if callee is None or title is None or block is None:
            continue
        if callee.text() in _GROUPS:
            yield from _in_body(block, path, style)
        elif callee.text() in _TESTS:
            yield _test(block, title, path, style)


def _title(arguments: "list[SgNode]") -> str | None:
    if not arguments or arguments[0].kind() != "string":
        return None
    parts = statements_in(arguments[0])
    return parts[0].text() if len(parts) == 1 and parts[0].kind() == "string_fragment" else None


def _test(block: "SgNode", title: str, path: str, style: Style) -> Spot:
    start, end = span(block)
    if _COUNTS.search(block.text()):
        style = Style.THROW
    if block.kind() != "statement_block":
        place = EditPlace(start, end, "{ ", f"; return ({block.text()}); }}")
        return Spot(path, title, style, place, None, _claim(block, _typed(path)), plain=True)
    body = statements_in(block)
    first = EditPlace(start + 1, start + 1, " ", "; ")
    if leaves_early(block, _LEAVES, _INNER):
        return Spot(path, title, style, first, None, None, plain=True)
    claims = (claim for one in reversed(body) if (claim := _stated(one, _typed(path))) is not None)
    return Spot(path, title, style, first, EditPlace(end - 1, end - 1, "; ", "; "), next(claims, None), plain=True)


def _typed(path: str) -> str:
    """The suffix of a parameter's name."""
    return ": unknown" if path.endswith(("ts", "tsx")) else ""


def _stated(statement: "SgNode", typed: str) -> Claim | None:
    inside = statements_in(statement)
    return _claim(inside[0], typed) if statement.kind() == "expression_statement" and len(inside) == 1 else None


def _claim(call: "SgNode", typed: str) -> Claim | None:
    callee = call.field("function") if call.kind() == "call_expression" else None
    if callee is None:
        return None
    if callee.kind() != "member_expression":
        return _truth(call, callee) if callee.text() == "assert" else None
    around, method = callee.field("object"), callee.field("property")
    if around is None or method is None:
        return None
    if around.text() == "assert":
        return _truth(call, callee) if method.text() == "ok" else _pair(call, method.text(), typed)
    return _expectation(call, around, method.text(), typed)


def _truth(call: "SgNode", callee: "SgNode") -> Claim | None:
    arguments = arguments_of(call)
    if not arguments or arguments[0].kind() == "spread_element":
        return None
    rest = "".join(f", {one.text()}" for one in arguments[1:])
    return Claim(ClaimForm.TRUTH, *span(call), (callee.text(), arguments[0].text(), rest))


def _pair(call: "SgNode", method: str, typed: str) -> Claim | None:
    found, arguments = call.field("arguments"), arguments_of(call)
    if method not in OPPOSITES or found is None:
        return None
    if method in _EQUALS and len(arguments) == 2 and is_literal(arguments[1]):
        pieces = (arguments[0].text(), arguments[1].text(), method, typed)
        return Claim(ClaimForm.PAIR_LITERAL, *span(call), pieces)
    return Claim(ClaimForm.PAIR, *span(call), (method, found.text()))


def _expectation(call: "SgNode", around: "SgNode", method: str, typed: str) -> Claim | None:
    found, negated = call.field("arguments"), ""
    if around.kind() == "member_expression":
        inner, word = around.field("object"), around.field("property")
        if inner is None or word is None or word.text() != "not":
            return None
        around, negated = inner, "not"
    subject = around.field("function") if around.kind() == "call_expression" else None
    if found is None or subject is None or subject.text() != "expect" or method in _OTHER_CHAINS:
        return None
    asked, given = arguments_of(around), arguments_of(call)
    if not negated and method in _MATCHERS and len(asked) == len(given) == 1 and is_literal(given[0]):
        return Claim(ClaimForm.EXPECT_LITERAL, *span(call), (asked[0].text(), given[0].text(), method, typed))
    return Claim(ClaimForm.EXPECT, *span(call), (around.text(), negated, f".{method}{found.text()}"))
