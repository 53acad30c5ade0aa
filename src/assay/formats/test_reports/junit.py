"""Read a report in JUnit's XML, which most test runners can write.

Raises ``ValueError`` for any other text. No tree is built, because an agent could write a report that fills the
memory.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from assay.formats.test_reports.model import Ended
from assay.formats.test_reports.words import ended_of

MAX_ELEMENTS = 1_000_000
MAX_DEPTH = 100_000
_BROKEN = ("failure", "error")
# How a test ended, in an attribute that some runners write. Other words are ignored.
_STATUS = frozenset(
    {"notrun", "skipped", "skip", "disabled", "ignored", "suppressed", "failed", "fail", "failure", "error"}
)


def read_junit(data: bytes) -> Iterator[tuple[str, Ended]]:
    """The tests by class and name, in the order of the file, and suites that failed without a failed test."""
    target = _Reader()
    parser = ElementTree.XMLParser(target=target)  # noqa: S314 - a document type is refused when it begins
    try:
        parser.feed(data)
        parser.close()
    except (ElementTree.ParseError, LookupError) as error:
        raise ValueError(f"the report must be XML: {error}") from error
    yield from target.cases
    yield from ((name, Ended.FAILED) for name in target.suites)


@dataclass(slots=True)
class _Suite:
    """A suite that is being read. ``says_so`` is true if its own counts say that something failed."""

    name: str
    says_so: bool
    broke: bool = False
    has_failed_test: bool = False


class _Reader:
    """Goes through the elements and keeps the results of tests."""

    def __init__(self) -> None:
        self.cases: list[tuple[str, Ended]] = []
        self.suites: list[str] = []
        self._elements = 0
        self._parents: list[str] = []
        self._open: list[_Suite] = []

    def doctype(self, *_: str | None) -> None:
        """Refuse a document type: reports need none, and an agent could use its entities to fill the memory."""
        raise ValueError("the report must not declare a document type")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        if self._elements > MAX_ELEMENTS or len(self._parents) > MAX_DEPTH:
            raise ValueError(f"the report must have at most {MAX_ELEMENTS} elements and {MAX_DEPTH} levels")
        parent = self._parents[-1] if self._parents else ""
        self._parents.append(tag)
        if tag == "testcase":
            named = (attributes.get("classname"), attributes.get("name"))
            self.cases.append(("::".join(part for part in named if part), _said(attributes)))
        elif tag == "testsuite":
            says_so = any(attributes.get(count, "0").strip("0") for count in ("failures", "errors"))
            self._open.append(_Suite(attributes.get("name") or "suite", says_so))
        elif parent == "testcase" and tag in (*_BROKEN, "skipped"):
            self._worse(Ended.SKIPPED if tag == "skipped" else Ended.FAILED)
        elif parent == "testsuite" and tag in _BROKEN:
            self._open[-1].broke = True

    def end(self, tag: str) -> None:
        self._parents.pop()
        if tag == "testcase" and self.cases[-1][1] is Ended.FAILED:
            for suite in self._open:
                suite.has_failed_test = True
        elif tag == "testsuite":
            suite = self._open.pop()
            if suite.broke or (suite.says_so and not suite.has_failed_test):
                self.suites.append(suite.name)

    def data(self, text: str) -> None:
        """Ignore the output of tests."""

    def close(self) -> None:
        """Return nothing; the results are in ``cases`` and ``suites``."""

    def _worse(self, ended: Ended) -> None:
        name, known = self.cases[-1]
        self.cases[-1] = (name, ended if known is not Ended.FAILED else known)


def _said(attributes: dict[str, str]) -> Ended:
    words = {attributes.get(key, "").lower() for key in ("status", "result")} & _STATUS
    said = {Ended.SKIPPED if word in ("notrun", "suppressed") else ended_of(word) for word in words}
    return Ended.FAILED if Ended.FAILED in said else Ended.SKIPPED if said else Ended.PASSED
