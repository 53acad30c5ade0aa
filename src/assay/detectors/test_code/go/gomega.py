"""How much gomega's matchers demand."""

from dataclasses import replace

from assay.detectors.test_code.chains import Link, chain
from assay.detectors.test_code.common_demands import at_least, close, equal, weak
from assay.detectors.test_code.conditions import number
from assay.detectors.test_code.demand import Demand
from assay.detectors.test_code.go.testify import condition
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.uniform import joined

STARTS = frozenset({"Expect", "Eventually", "Consistently", "ExpectWithOffset", "EventuallyWithOffset", "Ω"})
_ENDS = frozenset({"To", "Should", "NotTo", "ToNot", "ShouldNot"})
_EQUAL = frozenset(
    {"Equal", "BeEquivalentTo", "BeIdenticalTo", "ConsistOf", "HaveExactElements", "MatchJSON", "MatchYAML"}
)
_EXACT = frozenset({"MatchError", "HaveHTTPStatus", "PanicWith", "HaveHTTPBody"})


def demand_of(links: list[Link]) -> Demand:
    """What ``Expect(x).To(matcher)`` demands; nothing at all where the second half is missing."""
    start = links[0]
    offset = 1 if start.names and start.names[-1].endswith("WithOffset") else 0
    subject = start.argument(offset)
    for link in links[1:]:
        if link.names and link.names[-1] in _ENDS:
            negated = link.names[-1] in ("NotTo", "ToNot", "ShouldNot")
            return _matched(subject, link.argument(0), negated)
        if link.names and link.names[-1] == "Error" and link.arguments == []:
            continue
    return Demand(Strength.VACUOUS, joined(subject))


def _matched(subject: list[str], matcher: list[str], negated: bool) -> Demand:
    links = chain(matcher)
    name = links[0].names[-1] if links and links[0].names else ""
    found = _matcher(name, subject, links[0] if links else Link(()))
    if name == "HaveOccurred":
        return replace(found, strength=Strength.PRESENCE if negated else Strength.SHAPE)
    if not negated or found.strength is Strength.VACUOUS:
        return found
    return replace(found, strength=Strength.PRESENCE if name in ("BeNil", "BeZero", "BeEmpty") else Strength.SHAPE)


def _matcher(name: str, subject: list[str], link: Link) -> Demand:
    expected = link.argument(0)
    if name in _EQUAL:
        return equal(subject, expected, {})
    if name in _EXACT:
        return Demand(Strength.EXACT, joined(subject), link.text(0))
    if name in ("BeTrue", "BeFalse", "BeTrueBecause", "BeFalseBecause"):
        return condition(subject, name.startswith("BeTrue"), {})
    if name in ("BeNil", "BeZero"):
        return equal(subject, ["nil" if name == "BeNil" else "0"], {})
    if name == "BeNumerically":
        return _numerically(subject, link)
    if name == "Succeed":
        return Demand(Strength.PRESENCE, joined(subject))
    return weak(Strength.SHAPE, subject, expected, {})


def _numerically(subject: list[str], link: Link) -> Demand:
    operator = joined(link.argument(0)).strip('"')
    if operator == "==":
        return equal(subject, link.argument(1), {})
    if operator == "~":
        return close(subject, link.argument(1), number(link.argument(2)))
    return at_least(weak(Strength.SHAPE, subject, link.argument(1), {}), operator, link.argument(1))
