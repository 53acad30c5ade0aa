"""Tests that had to go because what they were about went: by what they assert, what they call, and their file."""

import pytest

from assay.detectors.test_code.findings import FilePair
from assay.detectors.test_code.read import read_test_code
from assay.detectors.test_code.removed_names import ChangedNames, changed_names
from assay.detectors.test_code.removed_subjects import about_of
from assay.detectors.test_code.weakening import compare_assertions
from assay.evidence.workspace import read_here
from tests.checks.fake_workspace import FakeWorkspace

BODY = "def test_old():\n    service = LegacyService(3)\n    result = service.run()\n    assert result == 3\n"


@pytest.mark.parametrize(
    ("path", "removed", "explained"),
    [
        ("tests/test_a.py", {"LegacyService"}, True),
        ("tests/test_a.py", {"run"}, True),
        ("tests/test_legacy.py", {"legacy"}, True),
        ("tests/test_legacy_service.py", {"_legacy_service"}, True),
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


def test_a_file_that_is_still_there_is_not_explained_by_its_name() -> None:
    path, after = "tests/test_legacy.py", "def test_new():\n    assert other() == 4\n"
    old, new = (read_test_code(path, text.encode(), read_here) for text in (BODY, after))
    found = compare_assertions([FilePair(path, path, old, new, BODY, after)], ChangedNames(frozenset({"legacy"})))
    assert [each.rule for each in found.findings] == ["test-removed"]


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


@pytest.mark.parametrize(
    ("path", "about"),
    [
        ("tests/test_cart.py", "cart"),
        ("tests/cart_test.py", "cart"),
        ("cart_test.go", "cart"),
        ("src/cart.test.ts", "cart"),
        ("src/cart.spec.ts", "cart"),
        ("spec/cart_spec.rb", "cart"),
        ("src/test/java/CartTest.java", "cart"),
        ("Tests/CartTests.cs", "cart"),
        ("src/test/java/CartIT.java", "cart"),
        ("tests/test_shopping_cart.py", "shoppingcart"),
        ("tests/latest.py", "latest"),
    ],
)
def test_what_a_file_is_named_after(path: str, about: str) -> None:
    assert about_of(path) == about
