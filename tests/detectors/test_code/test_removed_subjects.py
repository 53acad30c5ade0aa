"""Tests that had to go because what they were about went: by what they assert, and what they call."""

import pytest

from assay.detectors.test_code.findings import FilePair
from assay.detectors.test_code.read import read_test_code
from assay.detectors.test_code.removed_names import ChangedNames, changed_names
from assay.detectors.test_code.weakening import compare_assertions
from assay.evidence.workspace import read_here
from tests.checks.fake_workspace import FakeWorkspace

BODY = "def test_old():\n    service = LegacyService(3)\n    result = service.run()\n    assert result == 3\n"


@pytest.mark.parametrize(
    ("path", "removed", "explained"),
    [
        ("tests/test_a.py", {"LegacyService"}, True),
        ("tests/test_a.py", {"run"}, True),
        ("tests/test_a.py", {"legacy"}, False),
        ("tests/test_a.py", {"Other"}, False),
        # A name of the test's own is none of the code's.
        ("tests/test_a.py", {"service"}, False),
        ("tests/test_a.py", {"test_old"}, False),
        ("tests/test_a.py", set(), False),
    ],
)
def test_a_test_that_is_gone(path: str, removed: set[str], explained: bool) -> None:
    file = FilePair(path, path, read_test_code(path, BODY.encode(), read_here), None, BODY, "")
    found = compare_assertions([file], ChangedNames(frozenset(removed)))
    assert [bool(found.findings), bool(found.explained)] == [not explained, explained]


@pytest.mark.parametrize(
    ("before", "after", "removed"),
    [
        ("def total():\n    pass\n", "", {"total"}),
        ("Infinity = InfinityType()\n", "", {"Infinity"}),
        ("LIMIT: int = 3\n", "", {"LIMIT"}),
        ("Infinity = InfinityType()\n", "from limits import Infinity\n", set()),
        # A variable of a function is nothing that a test could be about.
        ("def kept():\n    local = 3\n", "def kept():\n    pass\n", set()),
        ("same == other\n", "", set()),
    ],
)
def test_names_that_a_change_takes_out(before: str, after: str, removed: set[str]) -> None:
    workspace = FakeWorkspace({"src/limits.py": before}, {"src/limits.py": after or "pass\n"})
    assert changed_names(workspace, None).removed == removed
