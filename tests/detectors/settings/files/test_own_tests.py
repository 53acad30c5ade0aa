"""Which files make up a project's tests, so that they can be put back."""

import pytest

from assay.detectors.settings.files.own_tests import belongs_to_tests


@pytest.mark.parametrize(
    ("path", "belongs"),
    [
        ("tests/test_a.py", True),
        ("tests/helpers.py", True),
        ("tests/data/x.json", True),
        ("src/pkg/tests/test_a.py", True),
        ("test_a.py", True),
        ("conftest.py", True),
        ("a_test.go", True),
        ("pkg/testdata/golden.txt", True),
        ("src/a.test.ts", True),
        ("src/__snapshots__/a.test.ts.snap", True),
        ("tests/it.rs", True),
        ("src/lib.rs", False),
        ("spec/models/user_spec.rb", True),
        ("src/test/java/ATest.java", True),
        ("src/a.py", False),
        ("framework/test/client.py", False),
        ("framework/test/test_client.py", True),
        ("README.md", False),
        ("package.json", False),
    ],
)
def test_belongs_to_tests(path: str, belongs: bool) -> None:
    assert belongs_to_tests(path) is belongs
