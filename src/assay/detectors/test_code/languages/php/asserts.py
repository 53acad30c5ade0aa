"""What assertions demand in PHPUnit and Pest."""

from assay.detectors.test_code.engine.chains import Link
from assay.detectors.test_code.engine.demand import Demand
from assay.detectors.test_code.engine.language import Library
from assay.detectors.test_code.engine.rules import Facts, Kind, Rule, rules
from assay.detectors.test_code.engine.words import joined
from assay.detectors.test_code.model import Strength

_TURNED = {"subject": 1, "expected": 0}


def _error(link: Link, facts: Facts, subject: list[str]) -> Demand:
    """``expectException(Foo::class)``: what comes after it must throw."""
    kind = joined(subject).replace("::class", "").rsplit("\\", 1)[-1]
    return Demand(Strength.SHAPE if kind in facts.broad else Strength.EXACT, "what follows", kind)


def _message(link: Link, facts: Facts, subject: list[str]) -> Demand:
    return Demand(Strength.SHAPE, "message of what follows", f"match({joined(subject)})")


PHPUNIT = Library(
    functions=rules(
        {
            "assertSame assertEquals assertEqualsCanonicalizing assertEqualsIgnoringCase assertJsonStringEqualsJsonString "
            "assertStringEqualsFile assertXmlStringEqualsXmlString assertFileEquals": Rule(Kind.EQUAL, **_TURNED),
            "assertNotSame assertNotEquals": Rule(Kind.UNEQUAL, **_TURNED),
            "assertEqualsWithDelta": Rule(Kind.CLOSE, 1, 0, 2),
            "assertTrue": Rule(Kind.HOLDS),
            "assertFalse": Rule(Kind.FAILS),
            "assertNull": Rule(Kind.VALUE, word="null"),
            "assertNotNull": Rule(Kind.NOT_VALUE, word="null"),
            "assertEmpty": Rule(Kind.VALUE, word="(empty)"),
            "assertNotEmpty": Rule(Kind.NOT_VALUE, word="(empty)"),
            "assertNan": Rule(Kind.VALUE, word="NAN"),
            "assertCount assertSameSize": Rule(Kind.LENGTH, **_TURNED),
            "assertContains assertContainsEquals assertStringContainsString assertArrayHasKey "
            "assertStringContainsStringIgnoringCase": Rule(Kind.SHAPE, word="contain", **_TURNED),
            "assertNotContains assertStringNotContainsString assertArrayNotHasKey": Rule(
                Kind.NO_SHAPE, word="contain", **_TURNED
            ),
            "assertStringStartsWith": Rule(Kind.SHAPE, word="startWith", **_TURNED),
            "assertStringEndsWith": Rule(Kind.SHAPE, word="endWith", **_TURNED),
            "assertMatchesRegularExpression assertRegExp assertStringMatchesFormat": Rule(
                Kind.SHAPE, word="match", **_TURNED
            ),
            "assertDoesNotMatchRegularExpression": Rule(Kind.NO_SHAPE, word="match", **_TURNED),
            "assertInstanceOf": Rule(Kind.SHAPE, word="instanceOf", **_TURNED),
            "assertNotInstanceOf": Rule(Kind.NO_SHAPE, word="instanceOf", **_TURNED),
            "assertGreaterThan": Rule(Kind.ORDER, word=">", **_TURNED),
            "assertGreaterThanOrEqual": Rule(Kind.ORDER, word=">=", **_TURNED),
            "assertLessThan": Rule(Kind.ORDER, word="<", **_TURNED),
            "assertLessThanOrEqual": Rule(Kind.ORDER, word="<=", **_TURNED),
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

_ONE = {"expected": 0}
EXPECT = Library(
    starters=frozenset(("expect", "and")),
    matchers=rules(
        {
            "toBe toEqual toEqualCanonicalizing toMatchArray": Rule(Kind.EQUAL, **_ONE),
            "toEqualWithDelta": Rule(Kind.CLOSE, expected=0, tolerance=1),
            "toBeTrue": Rule(Kind.TRUE),
            "toBeFalse": Rule(Kind.FALSE),
            "toBeTruthy": Rule(Kind.HOLDS),
            "toBeFalsy": Rule(Kind.FAILS),
            "toBeNull": Rule(Kind.VALUE, word="null"),
            "toBeEmpty": Rule(Kind.VALUE, word="(empty)"),
            "toHaveCount toHaveLength": Rule(Kind.LENGTH, **_ONE),
            "toContain toContainEqual toHaveKey toHaveKeys toMatchObject": Rule(
                Kind.SHAPE, word="contain", **_ONE
            ),
            "toMatch": Rule(Kind.SHAPE, word="match", **_ONE),
            "toStartWith": Rule(Kind.SHAPE, word="startWith", **_ONE),
            "toEndWith": Rule(Kind.SHAPE, word="endWith", **_ONE),
            "toBeInstanceOf": Rule(Kind.SHAPE, word="instanceOf", **_ONE),
            "toBeGreaterThan": Rule(Kind.ORDER, word=">", **_ONE),
            "toBeGreaterThanOrEqual": Rule(Kind.ORDER, word=">=", **_ONE),
            "toBeLessThan": Rule(Kind.ORDER, word="<", **_ONE),
            "toBeLessThanOrEqual": Rule(Kind.ORDER, word="<=", **_ONE),
            "toThrow": Rule(Kind.RAISES, expected=0),
        }
    ),
    each=True,
    other=Rule(Kind.SHAPE, expected=0),
)
