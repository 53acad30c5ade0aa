"""Where a test can be edited so that it must fail, or so that nothing changes: values without a language."""

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode


_TEXT: Final = re.compile(r"""'[^'\\\n]*'|"[^"\\\n]*\"""")
_WHOLE: Final = re.compile(r"0|[1-9]\d{0,8}")


class ClaimForm(Enum):
    """The ways to write an assertion that can be turned around in its place, with the pieces that each has."""

    CONDITION = "assert (condition, rest)"
    LITERAL = "assert subject == literal (subject, literal, rest)"
    EQUALITY = "assert subject == expected (subject, expected, rest)"
    METHOD = "self.assertEqual(…) (method, arguments)"
    METHOD_LITERAL = "self.assertEqual(subject, literal) (subject, literal)"
    METHOD_EQUALITY = "self.assertEqual(subject, expected) (subject, expected)"
    EXPECT = "expect(…).toBe(…) (expect, not, matcher)"
    EXPECT_LITERAL = "expect(subject).toBe(literal) (subject, literal, matcher, type)"
    PAIR = "assert.equal(…) (method, arguments)"
    PAIR_LITERAL = "assert.equal(subject, literal) (subject, literal, method, type)"
    TRUTH = "assert.ok(…) (callee, condition, rest)"
    IF = "if condition { t.Fatal(…) } (condition)"


class Style(Enum):
    """How a statement that fails or holds is written in the test's file."""

    ASSERT = "assert"
    METHOD = "self.assertEqual"
    EXPECT = "expect"
    NODE = "assert.equal"
    THROW = "throw"
    FATAL = "t.Fatal"


@dataclass(frozen=True, slots=True)
class Claim:
    """An assertion that a passing test is sure to reach."""

    form: ClaimForm
    start: int
    end: int
    pieces: tuple[str, ...]

    @property
    def can_stay(self) -> bool:
        """True if it can be written in another way that means the same."""
        return self.form not in (ClaimForm.METHOD, ClaimForm.EXPECT, ClaimForm.PAIR)


@dataclass(frozen=True, slots=True)
class EditPlace:
    """Where a statement may be put: the text from ``start`` to ``end`` becomes ``before``, it, and ``after``."""

    start: int
    end: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Spot:
    """One test. ``name`` is what a report calls it, or the end of that.

    ``first`` is at the beginning of its body, and ``last`` where all of the body has run, if that can be told.
    ``plain`` says that nothing around the test could keep its body from running.
    """

    path: str
    name: str
    style: Style
    first: EditPlace
    last: EditPlace | None
    claim: Claim | None
    plain: bool
    word: str = field(default="t")
    """What the test calls the object that it fails with, in Go."""


def span(node: "SgNode") -> tuple[int, int]:
    """Where a node begins and ends in the text."""
    reach = node.range()
    return reach.start.index, reach.end.index


def statements_in(block: "SgNode") -> "list[SgNode]":
    """The statements of a block, without comments and brackets."""
    return [child for child in block.children() if child.is_named() and "comment" not in child.kind()]


def arguments_of(call: "SgNode") -> "list[SgNode]":
    """The arguments of a call, without comments and commas."""
    found = call.field("arguments")
    return [] if found is None else statements_in(found)


def is_literal(node: "SgNode") -> bool:
    """True for a whole number or a text without escapes, which is written alike in every language."""
    known = {"integer": _WHOLE, "number": _WHOLE, "string": _TEXT}.get(node.kind())
    return known is not None and known.fullmatch(node.text()) is not None


def leaves_early(body: "SgNode", kinds: frozenset[str], inner: frozenset[str]) -> bool:
    """Whether a statement of these kinds is in a body, outside of the functions in it."""
    return any(node.kind() in kinds for node in _own(body, inner))


def _own(body: "SgNode", inner: frozenset[str]) -> "Iterator[SgNode]":
    waiting = [body]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(child for child in node.children() if child.kind() not in inner)
