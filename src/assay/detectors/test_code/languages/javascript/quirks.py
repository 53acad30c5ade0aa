"""Peculiarities of assertions in JavaScript."""

import re
from dataclasses import replace

from assay.detectors.test_code.engine.demand import Demand, WrittenDemand
from assay.detectors.test_code.engine.expressions.calls import Call
from assay.detectors.test_code.engine.expressions.chains import Link
from assay.detectors.test_code.engine.expressions.fluent import fluent_demands
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.engine.reading import Reading
from assay.detectors.test_code.engine.rules import demand_of, turned
from assay.detectors.test_code.engine.scopes import CodeScope
from assay.detectors.test_code.languages.javascript.asserts import EXPECT
from assay.detectors.test_code.languages.javascript.names import aliases_of
from assay.detectors.test_code.model import Strength

WAITS = re.compile(r"\bdone\b|\bPromise\b|[tT]imers|\bawait\b|\bclock\b|\b(?:next|cb|callback|resolve|end)\(")
"""What shows that a test waits for what comes later."""
_TAIL = re.compile(r"(?:\s*[?!]?\.\s*[\w$]+)*")
_LOCATORS = re.compile(
    r"to(?:Be(?:Visible|Hidden|Enabled|Disabled|Checked|Attached|Editable|Focused|InViewport)|"
    r"Have(?:Text|URL|Title|Count|Value|Attribute|Class|CSS|Screenshot)|ContainText|Pass)\b"
)
_DONE = frozenset(("done", "next", "cb", "callback", "end", "finish", "resolve", "reject"))
_SOFT = (("soft",), ("poll",), ("element",))


def asserted(reading: Reading, call: Call, scope: CodeScope) -> list[WrittenDemand] | None:
    """``expect`` with all that follows it, and chains that assert with a word of theirs."""
    names = reading.names(call)
    if names[:1] == ("expect",):
        return _expect(reading, call, names)
    if names[:1] == ("assert",) and "assert" in aliases_of(reading).stubs:
        words = reading.words_of(call.node)
        return [WrittenDemand(joined(words), Demand(Strength.VACUOUS, ""))]
    return _chained(reading, call) if call.inner is not None or "should" in names else None


def _expect(reading: Reading, call: Call, names: tuple[str, ...]) -> list[WrittenDemand] | None:
    if names[1:] in (("assertions",), ("hasAssertions",)):
        return [_count(reading, call, names[1])]
    if names[1:] in (("fail",), ("unreachable",)):
        return None
    if names[1:] and names[1:] not in _SOFT:
        return []
    end = call.node.end
    tail = _TAIL.match(reading.tree.text, end) if call.outermost else None
    end = tail.end() if tail is not None else end
    written = _read(reading, call, end)
    if written is None:
        return []
    aliases = aliases_of(reading)
    if "expect" in aliases.stubs:
        return [each._replace(demand=replace(each.demand, strength=Strength.VACUOUS)) for each in written]
    waited = "@playwright/test" in aliases.modules
    return [
        each._replace(demand=replace(each.demand, promise=True))
        if waited and _LOCATORS.search(each.text)
        else each
        for each in written
    ]


def _read(reading: Reading, call: Call, end: int) -> list[WrittenDemand] | None:
    words = reading.words(call.node.start, end)
    links = reading.chain(words)
    links[0] = replace(links[0], names=("expect",))
    return None if len(links) == 1 and not call.outermost else fluent_demands(EXPECT, words, links, reading.facts)


def _count(reading: Reading, call: Call, word: str) -> WrittenDemand:
    """``expect.assertions(0)`` demands that nothing is asserted."""
    words = reading.words_of(call.node)
    given = reading.chain(words)[-1]
    strength = Strength.PRESENCE if word == "hasAssertions" else Strength.SHAPE
    strength = Strength.VACUOUS if given.argument(0) == ["0"] else strength
    return WrittenDemand(joined(words), Demand(strength, f"expect.{word}", given.text(0)))


def _chained(reading: Reading, call: Call) -> list[WrittenDemand] | None:
    """``cy.get(x).should("eq", 3)`` and ``request(app).get(path).expect(200)``."""
    if not any("should" in step.names or step.names[-1:] == ("expect",) for step in call.steps()):
        return None
    words = reading.words_of(call.node)
    links, found = reading.chain(words), list[WrittenDemand]()
    for index, link in enumerate(links):
        if link.names[-1:] == ("expect",) and index and link.arguments:
            found.append(WrittenDemand(joined(words), _response(link.arguments)))
        elif link.names[-1:] == ("should",) and link.arguments and link.argument(0)[0][:1] == '"':
            found.append(WrittenDemand(joined(words), _cypress(reading, links[:index], link)))
    return found or None


def _response(given: list[list[str]]) -> Demand:
    """``.expect(200, done)``: what is told when it is over is no part of it, but it should hear of a failure."""
    told = given[-1] if len(given) > 1 else []
    called = bool(told) and (told[0] in _DONE or told[0] in ("function", "async") or "=>" in told[:8])
    deaf = called and joined(told).replace(" ", "").startswith(("()=>", "function()"))
    expected = ", ".join(joined(part) for part in (given[:-1] if called else given))
    return Demand(Strength.PRESENCE if deaf else Strength.EXACT, "response", expected)


def _cypress(reading: Reading, before: list[Link], link: Link) -> Demand:
    name = link.argument(0)[0][1:-1]
    subject = [part.names[-1] for part in before if part.names] or ["cy"]
    word = name.rpartition(".")[2]
    rule = EXPECT.matching(word)
    rest = Link((word,), (link.arguments or [])[1:])
    return demand_of(turned(rule) if name.startswith("not.") else rule, rest, reading.facts, subject)
