"""Reads a file of tests in a language."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from assay.detectors.test_code.engine.asserting import Asserting
from assay.detectors.test_code.engine.expressions.parts import VISITED
from assay.detectors.test_code.engine.flow import Flow
from assay.detectors.test_code.engine.language import Language
from assay.detectors.test_code.engine.reading import Reading
from assay.detectors.test_code.engine.running import run
from assay.detectors.test_code.engine.scopes import assemble
from assay.detectors.test_code.engine.suites import Suites
from assay.detectors.test_code.engine.swallowing import Swallowing
from assay.detectors.test_code.model import TestCode


@contextmanager
def _uncollected() -> Iterator[None]:
    """Nothing is garbage while a file is read, and looking for some again and again takes a third of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@_uncollected()
def read(language: Language, text: str) -> TestCode:
    """The tests of a file. Each step needs what the ones before it found."""
    reading = Reading(language, text)
    Flow(reading).mark()
    suites, asserting = Suites(reading), Asserting(reading)
    for node in reading.tree.nodes[1:]:
        if node.part in VISITED:
            asserting.visit(node, suites.visit(node))
        else:
            reading.scope_of[node] = reading.scope_around(node)
    Swallowing(reading, asserting.strong).mark()
    asserting.hand_over()
    suites.settle()
    found = assemble(language.name, reading.scopes, reading.tree.problems, run)
    _let_go(reading, suites, asserting)
    return found


def _let_go(reading: Reading, *readers: object) -> None:
    """Undo what holds each other, so that it need not be found out that nobody else holds it."""
    for node in reading.tree.nodes:
        node.parent = None
        node.children.clear()
    for call in reading.calls.values():
        del call.root
    for scope in reading.scopes:
        scope.written.clear()
        scope.doings = list
    for each in (reading, *readers):
        vars(each).clear()
