"""What is particular to tests in Swift: macros, and traits of tests and suites."""

import re

from assay.detectors.test_code.engine.calls import Names
from assay.detectors.test_code.engine.language import Declared
from assay.detectors.test_code.engine.marks import Class, Function, Mark
from assay.detectors.test_code.engine.reading import Reading, names_of
from assay.detectors.test_code.engine.scopes import Role
from assay.detectors.test_code.engine.words import joined, split
from assay.detectors.test_code.model import Skip

_ENABLED = re.compile(r"\.enabled\(if ?: ?([^()]*(?:\([^()]*\))?)\)")
_DISABLED_IF = re.compile(r"\.disabled\(if ?: ?([^()]*(?:\([^()]*\))?)\)")


def names(text: str) -> Names:
    return names_of(text.replace("#", ""))


def _skips(reading: Reading, mark: Mark) -> list[Skip]:
    """``.disabled("why")``, ``.enabled(if: condition)``."""
    for pattern, wanted in ((_ENABLED, True), (_DISABLED_IF, False)):
        found = pattern.search(mark.text)
        if found is not None:
            always = reading.truth(reading.words_in(found[1]))
            return [] if always is wanted else [Skip("disabled", mark.line, f"@{mark.text}", always is None)]
    return [Skip("disabled", mark.line, f"@{mark.text}")] if ".disabled" in mark.text else []


def klass(reading: Reading, found: Class) -> Declared:
    skips = [skip for mark in found.marks if mark.name == "Suite" for skip in _skips(reading, mark)]
    return Declared(Role.SUITE, found.name, collected=False, skips=skips)


def function(reading: Reading, found: Function) -> Declared | None:
    """A test of Swift Testing with its traits and arguments; XCTest goes by name and takes nothing."""
    for mark in found.marks:
        if mark.name == "Test":
            declared = Declared(Role.TEST, found.name, skips=_skips(reading, mark))
            given = mark.link.labelled("arguments")
            if given:
                declared.cases = len(split(given[1:-1])) if given[0] == "[" else None
                declared.rows = [_cells(row) for row in split(given[1:-1])] if given[0] == "[" else ()
            return declared
    if found.name.startswith("test") and found.takes:
        return Declared(Role.FUNCTION, found.name)
    return None


def _cells(row: list[str]) -> list[str]:
    return [joined(cell) for cell in split(row[1:-1])] if row[0] == "(" else [joined(row)]
