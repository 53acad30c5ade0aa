"""Peculiarities of tests in C#: static imports, mocks that verify, tests that pass early."""

import re
from collections.abc import Callable
from functools import cache

from assay.detectors.test_code.engine.demand import Demand, WrittenDemand
from assay.detectors.test_code.engine.expressions.calls import Call, Names
from assay.detectors.test_code.engine.expressions.chains import Link
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.engine.reading import Reading
from assay.detectors.test_code.engine.rules import closure_body
from assay.detectors.test_code.engine.scopes import CodeScope
from assay.detectors.test_code.languages.csharp.asserts import FUNCTIONS
from assay.detectors.test_code.model import Skip, Strength
from assay.detectors.test_code.tree import Node

_CLASS = re.compile(r"\w*Assert\Z")
_STATIC = re.compile(r"^[ \t]*using\s+static\s+(?:\w+\.)*Assert\s*;", re.MULTILINE)
_PLAIN_VERBATIM = re.compile(r'@"([^"\\]*)"')
_VERIFIES = re.compile(r"Verify\w*|Received|DidNotReceive|ReceivedWithAnyArgs")
_DISCARDED = re.compile(r"(?<!\w)_\s*=\Z")


def literal(text: str) -> str:
    """One spelling for a verbatim text that needs none of its own."""
    found = _PLAIN_VERBATIM.fullmatch(text)
    return f'"{found[1]}"' if found is not None else text


def resolve(reading: Reading) -> Callable[[Names], Names]:
    """Every class of assertions is ``Assert``, also where it is imported. NUnit's asynchronous ones wait."""
    imported = _STATIC.search(reading.tree.text) is not None
    nunit = "NUnit" in reading.tree.text

    @cache
    def resolved(names: Names) -> Names:
        if imported and len(names) == 1 and names[0] in FUNCTIONS:
            names = ("Assert", *names)
        if len(names) > 1 and _CLASS.match(names[-2]):
            owner = names[-2] if names[-2] in ("CollectionAssert", "StringAssert") else "Assert"
            names = (owner, names[-1].removesuffix("Async") if nunit else names[-1])
        return names

    return resolved


def skip(reading: Reading, call: Call, scope: CodeScope) -> Skip | None:
    """``Assert.Pass()`` with more behind it, and ``Assume.That(…)``."""
    if call.inner is not None or call.names[-1:] not in (("Pass",), ("That",)):
        return None
    names = reading.names(call)[-2:]
    line, text = reading.line(call.node), reading.text(call.node)
    if names == ("Assert", "Pass") and not _is_last(call.node):
        return Skip("skip", line, text)
    if names != ("Assume", "That"):
        return None
    link = reading.links(call)[-1]
    always = reading.truth(link.argument(0)) if link.given == 1 or link.argument(1)[0][-1] == '"' else None
    return None if always else Skip("skip", line, text, always is None)


def _is_last(node: Node) -> bool:
    """Is nothing left to do after this statement?"""
    statement = node.parent
    block = statement.parent if statement is not None else None
    return block is None or block.children[-1] is statement


def asserted(reading: Reading, call: Call, scope: CodeScope) -> list[WrittenDemand] | None:
    """Moq's ``Verify``, NSubstitute's ``Received``, snapshots."""
    if not any(step.names and _VERIFIES.fullmatch(step.names[-1]) for step in call.steps()):
        return None
    links = reading.links(call)
    verifying = (
        at for at, link in enumerate(links) if link.arguments is not None and _VERIFIES.fullmatch(link.name)
    )
    at = next(verifying, None)
    return [_mock(links, at)] if at is not None else None


def _mock(links: list[Link], at: int) -> WrittenDemand:
    link = links[at]
    before = ".".join(filter(None, [*(each.written() for each in links[:at]), *link.names[:-1]]))
    if not link.name.startswith("Verify") and at + 1 < len(links):
        call = links[at + 1]
        text, subject, expected = (
            f"{before}.{link.name}().{call.written()}",
            f"{before}.{call.name}",
            call.written(),
        )
        loose = "Arg.Any" in expected or link.name == "ReceivedWithAnyArgs"
    else:
        text, expected = link.written(), joined(closure_body(link.argument(0)))
        subject = before or expected
        loose = "It.IsAny" in text or "Times.AtLeast" in text
    return WrittenDemand(text, Demand(Strength.SHAPE if loose else Strength.EXACT, subject, expected))


def lost(reading: Reading, call: Call) -> bool:
    """An assertion that has to be awaited, and whose task is thrown away."""
    before = reading.tree.text[max(0, call.node.start - 20) : call.node.start].rstrip()
    return before[-1:] == "=" and _DISCARDED.search(before) is not None and "Async" in reading.text(call.node)
