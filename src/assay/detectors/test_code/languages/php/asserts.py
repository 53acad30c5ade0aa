"""Demands of assertions in PHPUnit and Pest."""

from dataclasses import replace
from functools import partial

from assay.detectors.test_code.engine.demand import Demand
from assay.detectors.test_code.engine.expressions.chains import Link
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.engine.language import Library
from assay.detectors.test_code.engine.rules import FileFacts, Kind, Rule, demand_of, rules
from assay.detectors.test_code.model import Strength

_turned_around = partial(Rule, subject=1, expected=0)


def _error(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """``expectException(Foo::class)``: what comes after it must throw."""
    kind = joined(subject).replace("::class", "").rsplit("\\", 1)[-1]
    return Demand(Strength.SHAPE if kind in facts.broad else Strength.EXACT, "what follows", kind)


def _message(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    return Demand(Strength.SHAPE, "message of what follows", f"match({joined(subject)})")


def _thrown(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """``toThrow(Foo::class, "why")``: of this kind, and with this in its message."""
    found = demand_of(Rule(Kind.RAISES, expected=0), link, facts, subject)
    return replace(found, expected=f"{found.expected}, {link.text(1)}") if link.given > 1 else found


PHPUNIT = Library(
    functions=rules(
        {
            "assertSame assertEquals assertEqualsCanonicalizing assertEqualsIgnoringCase "
            "assertJsonStringEqualsJsonString assertStringEqualsFile": _turned_around(Kind.EQUAL),
            "assertXmlStringEqualsXmlString assertFileEquals": _turned_around(Kind.EQUAL),
            "assertNotSame assertNotEquals": _turned_around(Kind.UNEQUAL),
            "assertEqualsWithDelta": Rule(Kind.CLOSE, 1, 0, 2),
            "assertTrue": Rule(Kind.TRUE),
            "assertFalse": Rule(Kind.FALSE),
            "assertNull": Rule(Kind.VALUE, word="null"),
            "assertNotNull": Rule(Kind.NOT_VALUE, word="null"),
            "assertEmpty": Rule(Kind.VALUE, word="(empty)"),
            "assertNotEmpty": Rule(Kind.NOT_VALUE, word="(empty)"),
            "assertNan": Rule(Kind.VALUE, word="NAN"),
            "assertCount assertSameSize": _turned_around(Kind.LENGTH),
            "assertContains assertContainsEquals assertStringContainsString assertArrayHasKey "
            "assertStringContainsStringIgnoringCase": _turned_around(Kind.SHAPE, word="contain"),
            "assertNotContains assertStringNotContainsString assertArrayNotHasKey": _turned_around(
                Kind.NO_SHAPE, word="contain"
            ),
            "assertStringStartsWith": _turned_around(Kind.SHAPE, word="startWith"),
            "assertStringEndsWith": _turned_around(Kind.SHAPE, word="endWith"),
            "assertMatchesRegularExpression assertRegExp assertStringMatchesFormat": _turned_around(
                Kind.SHAPE, word="match"
            ),
            "assertDoesNotMatchRegularExpression": _turned_around(Kind.NO_SHAPE, word="match"),
            "assertInstanceOf": _turned_around(Kind.SHAPE, word="instanceOf"),
            "assertNotInstanceOf": _turned_around(Kind.NO_SHAPE, word="instanceOf"),
            "assertGreaterThan": _turned_around(Kind.ORDER, word=">"),
            "assertGreaterThanOrEqual": _turned_around(Kind.ORDER, word=">="),
            "assertLessThan": _turned_around(Kind.ORDER, word="<"),
            "assertLessThanOrEqual": _turned_around(Kind.ORDER, word="<="),
            "assertIsString assertIsInt assertIsArray assertIsBool assertIsFloat assertIsCallable assertIsObject "
            "assertIsNumeric assertIsIterable assertFileExists assertDirectoryExists": Rule(
                Kind.SHAPE, expected=9
            ),
            "expectException": _error,
            "expectExceptionMessage expectExceptionMessageMatches expectExceptionCode": _message,
            "expectNotToPerformAssertions addToAssertionCount": Rule(Kind.VACUOUS),
            "expectOutputString": Rule(Kind.EXACT),
        }
    ),
    receivers=frozenset(("$this", "self", "static", "Assert", "parent", "")),
)
PLAIN = Library(functions=rules({"assert": Rule(Kind.HOLDS)}), receivers=frozenset(("",)))

_one = partial(Rule, expected=0)
EXPECT = Library(
    starters=frozenset(("expect", "and")),
    matchers=rules(
        {
            "toBe toEqual toEqualCanonicalizing toMatchArray": _one(Kind.EQUAL),
            "toEqualWithDelta": Rule(Kind.CLOSE, expected=0, tolerance=1),
            "toContainEqual toHaveKey toHaveKeys toMatchObject": _one(Kind.SHAPE, word="contain"),
            "toThrow": _thrown,
        }
    ),
    each=True,
)
