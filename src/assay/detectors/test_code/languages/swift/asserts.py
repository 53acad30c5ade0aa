"""Demands of assertions in XCTest and Swift Testing."""

import re
from collections.abc import Sequence

from assay.detectors.test_code.engine.demand import Demand
from assay.detectors.test_code.engine.expressions.calls import Names
from assay.detectors.test_code.engine.expressions.chains import Link
from assay.detectors.test_code.engine.expressions.conditions import condition_demand
from assay.detectors.test_code.engine.expressions.words import joined, split
from assay.detectors.test_code.engine.language import DeclaredPart, Library
from assay.detectors.test_code.engine.marks import Function, Mark
from assay.detectors.test_code.engine.reading import Reading, names_of
from assay.detectors.test_code.engine.rules import FileFacts, Kind, Rule, closure_body, rules
from assay.detectors.test_code.engine.scopes import Role
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


_ENABLED = re.compile(r"\.enabled\(if ?: ?([^()]*(?:\([^()]*\))?)\)")
_DISABLED_IF = re.compile(r"\.disabled\(if ?: ?([^()]*(?:\([^()]*\))?)\)")


def names(text: str) -> Names:
    return names_of(text.replace("#", ""))


def skips(reading: Reading, mark: Mark, _: Sequence[Mark]) -> bool | None:
    """``.disabled("why")``, ``.enabled(if: condition)``."""
    for pattern, wanted in ((_ENABLED, True), (_DISABLED_IF, False)):
        found = pattern.search(mark.text)
        if found is not None:
            always = reading.truth(reading.words_in(found[1]))
            return None if always is wanted else always is None
    return False if ".disabled" in mark.text else None


def function(reading: Reading, found: Function) -> DeclaredPart | None:
    """A test of XCTest goes by its name and takes nothing."""
    named = found.name.startswith("test") and found.takes and not found.has("Test")
    return DeclaredPart(Role.FUNCTION, found.name) if named else None


def completed(reading: Reading, found: Function, declared: DeclaredPart) -> None:
    """The arguments of a test of Swift Testing."""
    for mark in found.marks:
        given = mark.link.labelled("arguments")
        if given:
            declared.cases = len(split(given[1:-1])) if given[0] == "[" else None
            declared.rows = [_cells(row) for row in split(given[1:-1])] if given[0] == "[" else ()


def _cells(row: list[str]) -> list[str]:
    return [joined(cell) for cell in split(row[1:-1])] if row[0] == "(" else [joined(row)]
