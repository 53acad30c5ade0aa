"""Tests in Go: functions ``TestX(t *testing.T)``."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from assay.detectors.effects.poison.spots import (
    Claim,
    ClaimForm,
    EditPlace,
    Spot,
    Style,
    leaves_early,
    span,
    statements_in,
)

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_NAME: Final = re.compile(r"Test(?:[^a-z].*)?")
_TAKES: Final = re.compile(r"\(\s*+(\w+)\s++\*testing\.T\s*+(?:,\s*+)?\)")
_LEAVES: Final = frozenset({"return_statement", "goto_statement"})
_INNER: Final = frozenset({"func_literal"})


def tests_in(root: "SgNode", path: str, text: str) -> Iterator[Spot]:  # noqa: ARG001 - as in every language
    """Every test function."""
    for node in statements_in(root):
        name, block, takes = node.field("name"), node.field("body"), node.field("parameters")
        if node.kind() != "function_declaration" or name is None or block is None or takes is None:
            continue
        word = _TAKES.fullmatch(takes.text())
        if _NAME.fullmatch(name.text()) and word is not None and word[1] != "_":
            yield _test(block, name.text(), path, word[1])


def _test(block: "SgNode", name: str, path: str, word: str) -> Spot:
    start = span(block)[0]
    first = EditPlace(start + 1, start + 1, " ", "; ")
    body = [one for part in statements_in(block) for one in _statements(part)]
    if not body or leaves_early(block, _LEAVES, _INNER):
        return Spot(path, name, Style.FATAL, first, None, None, plain=True, word=word)
    end = span(body[-1])[1]
    last = EditPlace(end, end, "; ", "")
    claims = (claim for one in reversed(body) if (claim := _claim(one, word)) is not None)
    return Spot(path, name, Style.FATAL, first, last, next(claims, None), plain=True, word=word)


def _statements(part: "SgNode") -> "list[SgNode]":
    return statements_in(part) if part.kind() == "statement_list" else [part]


def _claim(statement: "SgNode", word: str) -> Claim | None:
    """``if condition { t.Fatal(…) }`` with nothing else in it."""
    if statement.kind() != "if_statement" or statement.field("alternative") is not None:
        return None
    condition, block = statement.field("condition"), statement.field("consequence")
    if condition is None or block is None:
        return None
    inside = [one.text() for part in statements_in(block) for one in _statements(part)]
    fails = re.compile(rf"{re.escape(word)}\.(?:Error|Fatal)f?\(")
    if len(inside) != 1 or not fails.match(inside[0]):
        return None
    return Claim(ClaimForm.IF, *span(condition), (condition.text(),))
