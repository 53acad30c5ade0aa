"""Run all tests and write what came of them as JUnit XML: run_tests.py REPORT"""

import sys
import unittest
from xml.sax.saxutils import quoteattr


class Recorder(unittest.TextTestResult):
    """Remembers how each test ended."""

    def __init__(self, *arguments: object, **options: object) -> None:
        super().__init__(*arguments, **options)  # type: ignore[arg-type]
        self.passed: list[unittest.TestCase] = []

    def addSuccess(self, test: unittest.TestCase) -> None:
        super().addSuccess(test)
        self.passed.append(test)


def main(report: str) -> int:
    tests = unittest.defaultTestLoader.discover(".")
    result = unittest.TextTestRunner(resultclass=Recorder).run(tests)
    ended = [(test, "") for test in result.passed]
    ended += [(test, "<failure/>") for test, _ in (*result.failures, *result.errors)]
    ended += [(test, "<skipped/>") for test, _ in (*result.skipped, *result.expectedFailures)]
    cases = (f"<testcase name={quoteattr(test.id())}>{how}</testcase>\n" for test, how in ended)
    with open(report, "w", encoding="utf-8") as file:
        file.write(f"<testsuite>\n{''.join(cases)}</testsuite>\n")
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
