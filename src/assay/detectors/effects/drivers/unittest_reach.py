"""Has unittest tell what tests reach, and run only chosen ones. It follows the text of python_reach.py.

It is called sitecustomize where it runs, so that every Python that the tests start loads it. Only the process that
was started as unittest does anything.
"""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.detectors.effects.drivers.python_reach import begin, chosen, end, once_each, tell  # noqa: TC004 - above this text


def started_as() -> list[str]:
    """The words of the command; before Python 3.10 they aren't known so early."""
    if hasattr(sys, "orig_argv"):
        return list(sys.orig_argv)
    with open("/proc/self/cmdline", encoding="utf-8", errors="replace") as file:
        return file.read().split("\0")


def ask() -> None:
    """Put ourselves around the program and its tests."""
    import unittest  # noqa: PLC0415 - every Python loads this file
    from unittest.main import TestProgram  # noqa: PLC0415

    once_each()
    run_test: Any = unittest.TestCase.run
    run_all: Any = TestProgram.runTests

    def run(self: unittest.TestCase, result: Any = None) -> Any:
        begin(self.id())
        try:
            return run_test(self, result)
        finally:
            end()

    def run_tests(self: Any) -> None:
        wanted = chosen()
        if wanted is not None:
            self.test = unittest.TestSuite(only(self.test, wanted))
        try:
            run_all(self)
        finally:
            tell()

    def only(suite: Any, wanted: Any) -> "list[Any]":
        if isinstance(suite, unittest.TestCase):
            path = getattr(sys.modules.get(type(suite).__module__), "__file__", "")
            return [suite] if wanted(suite.id(), path) else []
        return [test for part in suite for test in only(part, wanted)]

    unittest.TestCase.run = run  # type: ignore[method-assign]
    TestProgram.runTests = run_tests  # type: ignore[method-assign]


if "unittest" in started_as():
    ask()
