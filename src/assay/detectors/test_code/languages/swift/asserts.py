"""Demands of assertions in XCTest and Swift Testing."""

from assay.detectors.test_code.engine.demand import Demand
from assay.detectors.test_code.engine.expressions.chains import Link
from assay.detectors.test_code.engine.expressions.conditions import condition_demand
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.engine.language import Library
from assay.detectors.test_code.engine.rules import FileFacts, Kind, Rule, closure_body, rules
from assay.detectors.test_code.model import Strength


def _throws(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    return Demand(Strength.SHAPE, joined(closure_body(subject)), "an error")


def _expect(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """``#expect(x == 3)``; ``#expect(throws: Foo.self) { … }`` demands an error."""
    kind = link.labelled("throws")
    if not kind:
        return condition_demand(subject, True, facts.constants, facts.logic)
    name = joined(kind).removesuffix(".self")
    body = joined(closure_body(link.argument(-1))) if link.given > 1 else ""
    if name == "Never":
        return Demand(Strength.PRESENCE, body)
    if name in facts.broad or name.lstrip("(").startswith("any "):
        return Demand(Strength.SHAPE, body, "an error")
    return Demand(Strength.EXACT, body, name)


XCTEST = Library(
    functions=rules(
        {
            "XCTAssertEqual XCTAssertIdentical": Rule(Kind.NEAR, tolerance=9, labels=("accuracy",)),
            "XCTAssertNotEqual XCTAssertNotIdentical": Rule(Kind.UNEQUAL),
            "XCTAssertTrue XCTAssert": Rule(Kind.HOLDS),
            "XCTAssertFalse": Rule(Kind.FAILS),
            "XCTAssertNil": Rule(Kind.VALUE, word="nil"),
            "XCTAssertNotNil XCTUnwrap": Rule(Kind.NOT_VALUE, word="nil"),
            "XCTAssertGreaterThan": Rule(Kind.ORDER, word=">"),
            "XCTAssertGreaterThanOrEqual": Rule(Kind.ORDER, word=">="),
            "XCTAssertLessThan": Rule(Kind.ORDER, word="<"),
            "XCTAssertLessThanOrEqual": Rule(Kind.ORDER, word="<="),
            "XCTAssertThrowsError": _throws,
            "XCTAssertNoThrow": Rule(Kind.QUIET),
        }
    )
)
TESTING = Library(functions=rules({"expect require": _expect}), receivers=frozenset(("",)))
