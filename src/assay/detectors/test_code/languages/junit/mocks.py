"""Peculiarities of tests on the JVM: mocks that verify, requests and streams that expect, soft assertions."""

import re

from assay.detectors.test_code.engine.demand import Demand, WrittenDemand
from assay.detectors.test_code.engine.expressions.calls import Call
from assay.detectors.test_code.engine.expressions.chains import Link
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.engine.reading import Reading, noted
from assay.detectors.test_code.engine.scopes import CodeScope
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.word_sets import word_set

_LATER = word_set("andExpect expectStatus verifyComplete verifyError expectNext until should")
_SOFT = re.compile(r"\bnew\s+(?:\w+\.)*(?:BDD)?Soft(?:Assertions|Assert)\b")


def asserted(reading: Reading, call: Call, scope: CodeScope) -> list[WrittenDemand] | None:
    """``verify(mock).call(…)``, and an expectation at the end of a request or of a stream."""
    if call.root.names[-1:] and call.root.names[-1].startswith("verify"):
        return _mock(reading.links(call))
    if not any(step.names and step.names[-1] in _LATER and step.inner is not None for step in call.steps()):
        return None
    links = reading.links(call)
    later = [at for at, link in enumerate(links) if link.name in _LATER and at]
    subject = ".".join(link.written() for at, link in enumerate(links) if at not in later)
    return [
        WrittenDemand(
            f"{subject}.{links[at].written()}",
            Demand(Strength.EXACT, subject, joined(links[at].argument(0)) or links[at].name),
        )
        for at in later
    ] or None


def _mock(links: list[Link]) -> list[WrittenDemand]:
    """A verification of at least no call demands nothing."""
    root = next((link for link in links if link.name.startswith("verify")), links[0])
    text = root.written()
    if root.name != "verify":
        known = root.name.startswith("verifyNo") or root.given
        return [WrittenDemand(text, Demand(Strength.EXACT, text))] if known else []
    mode = joined(root.argument(1)).rsplit(".", 1)[-1]
    subject = joined(root.argument(0))
    if links[-1] is root:
        # EasyMock's way to ask for everything that was expected, and Mockito's way to ask for nothing.
        return [WrittenDemand(text, Demand(Strength.PRESENCE, subject))]
    called = links[links.index(root) + 1]
    told = called.written()
    loose = mode.startswith("atLeast") or "any(" in told
    strength = Strength.VACUOUS if mode in ("atLeast(0)", "atMost(2147483647)") else Strength(4 - 2 * loose)
    return [WrittenDemand(f"{text}.{told}", Demand(strength, f"{subject}.{called.name}", told))]


def lost(reading: Reading, call: Call) -> bool:
    """Soft assertions that are collected and never asked for fail nothing."""
    function = reading.function_around(call.node) if _is_soft(reading) else None
    if function is None:
        return False
    source = reading.tree.source(function)
    return _SOFT.search(source) is not None and ".assertAll(" not in source


@noted
def _is_soft(reading: Reading) -> bool:
    return _SOFT.search(reading.tree.text) is not None
