"""A test report, independent of its format."""

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase


class Ended(Enum):
    """How a test ended, from best to worst."""

    PASSED = "passed"
    SKIPPED = "skipped"
    FAILED = "failed"


_ENDS = {
    "passed": Ended.PASSED,
    "pass": Ended.PASSED,
    "ok": Ended.PASSED,
    "xpassed": Ended.PASSED,
    "skipped": Ended.SKIPPED,
    "skip": Ended.SKIPPED,
    "xfailed": Ended.SKIPPED,
    "ignored": Ended.SKIPPED,
    "pending": Ended.SKIPPED,
    "todo": Ended.SKIPPED,
    "disabled": Ended.SKIPPED,
}
_WORST_FIRST = (Ended.FAILED, Ended.SKIPPED, Ended.PASSED)


@dataclass(frozen=True, slots=True)
class Report:
    """The tests by name.

    If a test is reported twice, the worse result counts, because an agent may have added the better one.
    """

    tests: dict[str, Ended]

    def count(self, ended: Ended) -> int:
        return Counter(self.tests.values())[ended]

    def matching(self, expected: str) -> dict[str, Ended]:
        """The tests that match an expected name: a full name, the end of one, or a glob."""
        wanted = uniform(expected)
        return {name: ended for name, ended in self.tests.items() if _matches(uniform(name), wanted)}


def report_of(results: list[tuple[str, Ended]]) -> Report:
    tests: dict[str, Ended] = {}
    for name, ended in results:
        tests[name] = min(tests.get(name, ended), ended, key=_WORST_FIRST.index)
    return Report(tests)


def uniform(name: str) -> str:
    """One spelling for names: ``tests/test_a.py::TestX::test_m`` is ``tests.test_a.TestX.test_m``."""
    return name.replace(".py::", ".").replace("::", ".").replace("/", ".").replace(" > ", ".").strip(".")


def _matches(name: str, wanted: str) -> bool:
    # A test with parameters has them in brackets after its name.
    plain = name.split("[", 1)[0]
    return any(one == wanted or one.endswith(f".{wanted}") or fnmatchcase(one, wanted) for one in (name, plain))


def ended_of(word: object) -> Ended:
    """How a test ended. Any word that isn't known to be a pass or a skip is a failure: an error, a time-out."""
    return _ENDS.get(str(word), Ended.FAILED)
