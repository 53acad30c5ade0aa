"""Reads a file of tests in a language."""

from assay.detectors.test_code.engine.asserting import Asserting
from assay.detectors.test_code.engine.flow import Flow
from assay.detectors.test_code.engine.language import Language
from assay.detectors.test_code.engine.reading import Reading
from assay.detectors.test_code.engine.running import run
from assay.detectors.test_code.engine.scopes import assemble
from assay.detectors.test_code.engine.suites import Suites
from assay.detectors.test_code.engine.swallowing import Swallowing
from assay.detectors.test_code.model import TestCode


def read(language: Language, text: str) -> TestCode:
    """The tests of a file. Each step needs what the ones before it found."""
    reading = Reading(language, text)
    Flow(reading).mark()
    suites, asserting = Suites(reading), Asserting(reading)
    for node in reading.tree.nodes[1:]:
        asserting.visit(node, suites.visit(node))
    Swallowing(reading, asserting.strong).mark()
    asserting.hand_over()
    suites.settle()
    return assemble(language.name, reading.scopes, reading.tree.problems, run)
