"""Read a report in JUnit's XML, which most test runners can write.

Raises ``ValueError`` for any other text.
"""

from collections.abc import Iterator
from xml.etree import ElementTree

from assay.formats.test_reports.model import Ended


class _WithoutDoctype(ElementTree.TreeBuilder):
    """Document types have no place in a report, and with their entities an agent could make it explode."""

    def doctype(self, *_: str | None) -> None:
        raise ValueError("the report declares a document type")


def read_junit(data: bytes) -> Iterator[tuple[str, Ended]]:
    """The tests by class and name, in the order of the file, and suites that failed without one of them."""
    try:
        # A document type is refused when it begins, before any of its entities.
        root = ElementTree.fromstring(data, ElementTree.XMLParser(target=_WithoutDoctype()))  # noqa: S314
    except (ElementTree.ParseError, LookupError) as error:
        raise ValueError(f"the report is not XML: {error}") from error
    for case in root.iter("testcase"):
        yield "::".join(part for part in (case.get("classname"), case.get("name")) if part), _ended(case)
    for suite in root.iter("testsuite"):
        if _failed_by_itself(suite):
            yield suite.get("name") or "suite", Ended.FAILED


def _ended(case: ElementTree.Element) -> Ended:
    children = {child.tag for child in case}
    if children & {"failure", "error"}:
        return Ended.FAILED
    return Ended.SKIPPED if "skipped" in children else Ended.PASSED


def _failed_by_itself(suite: ElementTree.Element) -> bool:
    """Whether a suite says of itself that something failed, and no test of it says so."""
    says_so = any(suite.get(count, "0").strip("0") for count in ("failures", "errors"))
    broke = any(child.tag in ("failure", "error") for child in suite)
    return broke or (says_so and all(_ended(case) is not Ended.FAILED for case in suite.iter("testcase")))
