"""Peculiarities of tests in Swift: macros, and traits of tests and suites."""

import re
from collections.abc import Sequence

from assay.detectors.test_code.engine.expressions.calls import Names
from assay.detectors.test_code.engine.expressions.words import joined, split
from assay.detectors.test_code.engine.language import DeclaredPart
from assay.detectors.test_code.engine.marks import Function, Mark
from assay.detectors.test_code.engine.reading import Reading, names_of
from assay.detectors.test_code.engine.scopes import Role

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
