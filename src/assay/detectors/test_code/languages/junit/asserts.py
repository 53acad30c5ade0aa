"""Demands of assertions in JUnit, TestNG, AssertJ, Truth, Hamcrest and Mockito."""

import re
from dataclasses import replace

from assay.detectors.test_code.engine.demand import Demand, WrittenDemand
from assay.detectors.test_code.engine.expressions.calls import Call
from assay.detectors.test_code.engine.expressions.chains import Link, chain
from assay.detectors.test_code.engine.expressions.conditions import close, equality
from assay.detectors.test_code.engine.expressions.literals import measure, number
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.engine.language import Library
from assay.detectors.test_code.engine.reading import Reading, noted
from assay.detectors.test_code.engine.rules import Check, FileFacts, Kind, Rule, demand_of, rules
from assay.detectors.test_code.engine.scopes import CodeScope
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.word_sets import word_set

_MESSAGES = frozenset({"message", "msg", "reason", "description", "context"})
_TOLERANCE = re.compile(r"(?i)delta|eps|tol|precision|error|ulp|threshold|accuracy")
_OF_TWO = word_set(
    "assertEquals assertSame assertArrayEquals assertIterableEquals assertLinesMatch assertEqualsDeep "
    "assertNotEquals assertNotSame assertThrows assertThrowsExactly expectThrows assertInstanceOf "
    "assertContentEquals assertContains assertIs assertFailsWith"
)
_OF_ONE = word_set(
    "assertTrue assertFalse assertNull assertNotNull assertDoesNotThrow assertTimeout assertTimeoutPreemptively"
)


def trimmed(link: Link) -> Link:
    """Without the message: JUnit 4 has it first, JUnit 5 and TestNG have it last."""
    kept = list(link.arguments or ())
    needed = 2 if link.name in _OF_TWO and not link.types else 1
    if len(kept) <= needed or link.name not in _OF_TWO | _OF_ONE:
        return link
    if _is_message(kept[-1]):
        kept = kept[:-1]
    elif _is_message(kept[0]):
        kept = kept[1:]
    return replace(link, arguments=kept)


def _is_message(words: list[str]) -> bool:
    lazy = words[:3] == ["(", ")", "->"]
    return words[0][0] == '"' or lazy or words[:3] == ["String", ".", "format"] or joined(words) in _MESSAGES


def _equals(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """``assertEquals(expected, actual)``, and with a third number within a tolerance."""
    expected = link.labelled("expected") or link.argument(0)
    actual = link.labelled("actual") or link.argument(1)
    third = link.labelled("delta", "absoluteTolerance") or link.argument(2)
    near = measure(third, facts.constants)
    if third and (near is not None or _TOLERANCE.search(joined(third))):
        return close(actual, expected, near)
    return equality(actual, expected, facts.constants, facts.logic)


_FUNCTIONS = rules(
    {
        "assertEquals assertSame assertArrayEquals assertIterableEquals assertLinesMatch assertEqualsDeep "
        "assertContentEquals": _equals,
        "assertNotEquals assertNotSame assertNotEqualsDeep assertArrayNotEquals": Rule(Kind.UNEQUAL, 1, 0),
        "assertTrue": Rule(Kind.HOLDS),
        "assertFalse": Rule(Kind.FAILS),
        "assertNull": Rule(Kind.VALUE, word="null"),
        "assertNotNull": Rule(Kind.NOT_VALUE, word="null"),
        "assertThrows assertThrowsExactly expectThrows assertFailsWith": Rule(Kind.RAISES, -1, 0),
        "assertFails": Rule(Kind.RAISES, -1, 9),
        "assertDoesNotThrow assertTimeout assertTimeoutPreemptively": Rule(Kind.QUIET, -1),
        "assertInstanceOf assertIs": Rule(Kind.SHAPE, -1, 0, word="instanceOf"),
        "assertContains": Rule(Kind.SHAPE, 0, 1, word="contain"),
        "expect expectMessage": Rule(Kind.RAISES, 9, 0),
    }
)
JUNIT = Library(functions=_FUNCTIONS, trimmed=trimmed)


def _within(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """``isEqualTo(3)``; with a second argument ``within(0.1)``, ``Offset.offset(0.1)``, ``withPercentage(5)``."""
    if link.given < 2:
        return equality(subject, link.argument(0), facts.constants, facts.logic)
    offset = chain(link.argument(1))[-1]
    value = measure(offset.argument(0) if offset.given else link.argument(1), facts.constants)
    if value is not None and "ercentage" in offset.name:
        value /= 100
    return close(subject, link.argument(0), value)


def _kind(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """An error of a kind, where the subject throws; or a type."""
    throws = "->" in subject[:4] or "{" in subject[:1]
    rule = Rule(Kind.RAISES if throws else Kind.SHAPE, expected=0, word="instanceOf")
    return demand_of(rule, link, facts, subject)


def _of(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """Truth's ``isWithin(0.1).of(3)``."""
    looked_at = subject[: -2 if subject[-2:-1] == ["."] else None]
    return close(looked_at, link.argument(0), _number_in(joined(subject)))


def _number_in(text: str) -> float | None:
    found = re.search(r"isWithin\(([^()]*)\)\Z", text)
    return number([found[1]]) if found is not None else None


_CHECKS: dict[str, Rule | Check] = rules(
    {
        "isEqualTo isCloseTo isSameAs isSameInstanceAs isEqualByComparingTo hasToString hasValue": _within,
        "isEqualToComparingFieldByField isEqualToComparingOnlyGivenFields isEqualToIgnoringCase hasMessage "
        "isEqualToIgnoringWhitespace isEqualToNormalizingNewlines hasSameElementsAs returns containsEntry "
        "isEqualToComparingFieldByFieldRecursively": Rule(Kind.EQUAL, expected=0),
        "isNotEqualTo isNotSameAs": Rule(Kind.UNEQUAL, expected=0),
        "isOne": Rule(Kind.VALUE, word="1"),
        "containsExactly containsExactlyInAnyOrder containsOnly containsExactlyElementsIn": Rule(
            Kind.LISTED, expected=0
        ),
        "containsAll containsAtLeast containsAnyOf containsKey": Rule(Kind.SHAPE, expected=0, word="contain"),
        "isInstanceOf isExactlyInstanceOf isThrownBy": _kind,
        "of": _of,
        "doesNotThrowAnyException": Rule(Kind.QUIET),
    }
)
ASSERTJ = Library(
    starters=word_set(
        "assertThat that then assertThatThrownBy assertThatExceptionOfType assertThatCode assertThatObject "
        "assertThatList assertThatIllegalArgumentException assertThatNullPointerException "
        "assertThatIllegalStateException assertThatIOException assertThatNoException"
    ),
    asked=frozenset(("assertThat",)),
    matchers={
        **_CHECKS,
        **rules(
            {
                "equalTo sameInstance theInstance comparesEqualTo": Rule(Kind.EQUAL, expected=0),
                "closeTo": Rule(Kind.CLOSE, expected=0, tolerance=1),
                "anything": Rule(Kind.VACUOUS),
                "is": Rule(Kind.EQUAL, expected=0),
                "arrayContaining containsInAnyOrder samePropertyValuesAs": Rule(Kind.LISTED, expected=0),
                "hasItems hasKey hasEntry": Rule(Kind.SHAPE, expected=0, word="contain"),
            }
        ),
    },
    negations=frozenset(("not",)),
    joined={"allOf": True, "both": True, "anyOf": False, "either": False},
    neutral=re.compile(
        r"as|describedAs|withFailMessage|overridingErrorMessage|inOrder|and|inHexadecimal|(?:using|with(?!in)|ignoring)\w*"
    ),
    navigation=re.compile(
        r"extracting\w*|first|last|element|elements|asString|asList|asInstanceOf|size|flatExtracting|flatMap|map|filteredOn\w*"
        r"|singleElement|message|cause|rootCause|get|hasMessageThat|hasCauseThat|returnTo\w+|succeedsWithin|valueOfKey|isWithin"
    ),
    each=True,
)
LIBRARIES = (JUNIT, ASSERTJ)


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
