"""What the methods of a C# test class do: assertions, skips and calls."""

import re
from collections.abc import Iterator, Mapping, Sequence

from assay.detectors.test_code.csharp import asserts
from assay.detectors.test_code.csharp.fluent import BROAD
from assay.detectors.test_code.csharp.members import Method
from assay.detectors.test_code.curly.bodies import Body, BodyPart, Call, Guard, Reading, SkipCall, read_body
from assay.detectors.test_code.curly.chains import chain
from assay.detectors.test_code.curly.constants import constant
from assay.detectors.test_code.curly.flow import Flow
from assay.detectors.test_code.curly.guards import (
    guard_text,
    in_try,
    is_guard,
    last_lines,
    last_text,
    turned_around,
)
from assay.detectors.test_code.curly.tokens import tokens, uniform
from assay.detectors.test_code.curly.values import Values
from assay.detectors.test_code.demand import Demand, WrittenDemand
from assay.detectors.test_code.model import Assertion, Strength
from assay.detectors.test_code.tree import Node, Tree

_LOOKED_AT = frozenset({"invocation_expression", "throw_statement", "return_statement"})
_OWN_CALL = re.compile(r"(?:this\s*\.\s*)?(\w+)(?:<[^()]*>)?\s*\(")
_SKIP_CALL = re.compile(
    r"(?:\w+\s*\.\s*)*(?:Assert\s*\.\s*(?:Ignore|Inconclusive|Pass|Skip\w*)|Skip\s*\.\s*\w+|Assume\s*\.\s*That)\s*\("
)
_SKIP_THROW = re.compile(r"throw\s+new\s+(?:\w+\.)*(?:Skip\w*|Ignore|Inconclusive|Success)Exception\b")
_FAIL_THROW = re.compile(r"throw\s+new\s+(?:\w+\.)*\w*(?:Assert\w*|Xunit)Exception\b")
_PASSES = re.compile(r"(?:\w+\s*\.\s*)*Assert\s*\.\s*Pass\b")
_STATIC = re.compile(r"^[ \t]*using\s+static\s+(?:\w+\.)*Assert\s*;", re.MULTILINE)
_BARE = re.compile(
    r"(?:Equal|NotEqual|True|False|Null|NotNull|Throws\w*|AreEqual|IsTrue|IsFalse|That|Same|Contains|Empty|NotEmpty|Single)\s*[<(]"
)
_ASYNC = re.compile(
    r"\bAssert\s*\.\s*(?:Throws|ThrowsAny|ThrowsException|ThrowsExactly|That|All)Async\b|\.\s*(?:Not)?Throw\w*Async\b"
)
_WAITS = re.compile(r"\.\s*(?:Wait|Result|GetAwaiter)\b")
_FUNCTIONS = frozenset({"method_declaration", "constructor_declaration"})
_CALLS = frozenset({"expression_statement"})
_MOST_CHAIN = 3_000


def read_bodies(flow: Flow, members: list[Method]) -> dict[int, Body]:
    """The body of every method, by its node."""
    tree, names = flow.tree, flow.names
    own = {method.name for method in members}
    bare = bool(_STATIC.search(tree.text))
    nunit = "NUnit" in tree.text
    late = bool(asserts.LATE.search(tree.text))
    values = Values(tree, frozenset({"variable_declarator"}), _FUNCTIONS)

    def look(tree: Tree, node: Node, text: str) -> Sequence[BodyPart]:
        if node.kind != "invocation_expression":
            return _statement(tree, node, text)
        parent = node.parent
        if parent is not None and parent.kind == "invocation_expression" and parent.start == node.start:
            return ()  # The beginning of a longer chain, which has been looked at as a whole.
        called = _OWN_CALL.match(text)
        if called and called[1] in own:
            return [Call(called[1], node)]
        if bare and _BARE.match(text):
            text = f"Assert.{text}"
        if not asserts.CALL.match(text) and not (late and asserts.LATE.search(text, 0, _MOST_CHAIN)):
            return ()
        return _invocation(tree, node, text, names, nunit)

    reading = Reading(tree, flow, values, _LOOKED_AT, look)
    return {id(method.node): read_body(reading, method.node) for method in members}


def _statement(tree: Tree, node: Node, text: str) -> Sequence[BodyPart]:
    if node.kind == "throw_statement":
        if _SKIP_THROW.match(text):
            return [SkipCall("skip", uniform(tokens(text)))]
        return [WrittenDemand("Assert.Fail()", Demand(Strength.SHAPE, "fail"))] if _FAIL_THROW.match(text) else ()
    if is_guard(node, "if_statement", "method_declaration"):
        return [Guard(uniform(tokens(guard_text(tree, node, "if_statement"))))]
    return ()


def _invocation(tree: Tree, node: Node, text: str, names: Mapping[str, bool], nunit: bool) -> Sequence[BodyPart]:
    skipped: list[BodyPart] = []
    if _SKIP_CALL.match(text):
        skipped = list(skip_call(text, names, _is_last(node)))
        if not _PASSES.match(text):
            return skipped
    if _returns_task(text, nunit) and _is_forgotten(tree, node, text):
        node.swallowed = True
    found = asserts.demands(tokens(text), names) if names else asserts.remembered(text)
    return [*skipped, *(in_try(tree, node, one) if one.text == "Assert.Fail()" else one for one in found)]


def _returns_task(text: str, nunit: bool) -> bool:
    """Does an assertion fail only when what it returns is awaited? NUnit's wait by themselves."""
    waits = "Async" not in text or (nunit and "Should" not in text)
    return not waits and _ASYNC.search(text[:_MOST_CHAIN]) is not None


def skip_call(text: str, names: Mapping[str, bool], last: bool) -> Iterator[SkipCall]:
    """What a call does that ends a test early; one under a condition that never holds does nothing."""
    links = chain(tokens(text))
    link = links[-1]
    owner = links[-2].name if len(links) > 1 else ""
    said = f"{owner}.{link.text}"
    if link.name == "Pass" and last:
        return
    if owner == "Assert" and link.name in ("Pass", "Ignore", "Inconclusive", "Skip"):
        yield SkipCall("skip", said)
        return
    when = link.name in ("If", "SkipWhen", "When")
    value = constant(link.argument(0), names)
    if value is None or value is when:
        yield SkipCall("skip", said, conditional=value is None)


def _is_last(node: Node) -> bool:
    """Is nothing left to do after this statement?"""
    statement = node.parent
    block = statement.parent if statement is not None else None
    return block is None or block.children[-1] is statement


def _is_forgotten(tree: Tree, node: Node, text: str) -> bool:
    """Is the task that a call returns neither awaited nor handed on?"""
    statement = node.parent
    if statement is None or statement.kind != "expression_statement" or _WAITS.search(text[-200:]):
        return False
    before = tree.text[statement.start : node.start].strip()
    return before in ("", "_ =", "_=")


def expected_results(method: Method) -> list[Assertion]:
    """``[TestCase(2, ExpectedResult = 4)]`` demands of what the method returns to be that."""
    return [
        Assertion(
            one.line,
            one.text,
            Strength.EXACT,
            f"{method.name}({', '.join(map(uniform, one.values))})",
            uniform(one.named["ExpectedResult"]),
        )
        for one in method.attributes
        if one.name == "TestCase" and "ExpectedResult" in one.named
    ]


def expected_exception(tree: Tree, method: Method, found: list[Assertion]) -> list[Assertion]:
    """``[ExpectedException(typeof(X))]`` demands an exception; where any will do, no assertion has to hold."""
    for one in method.attributes:
        if one.name != "ExpectedException":
            continue
        kind = uniform(one.values[0]).removeprefix("typeof(").removesuffix(")") if one.values else "Exception"
        broad = kind.rsplit(".", 1)[-1] in BROAD or "Assert" in kind
        body = method.node.child("block")
        strength = Strength.SHAPE if broad else Strength.EXACT
        thrown = Assertion(one.line, one.text, strength, last_text(tree, body), kind)
        return [thrown, *turned_around(found, last_lines(tree, body, _CALLS), broad)]
    return found
