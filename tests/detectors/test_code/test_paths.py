"""Which files are test code, by their names."""

# ruff: noqa: E501 - a table is easier to read in few lines.

import pytest

from assay.detectors.test_code.paths import is_collected_path, is_test_file, language_of


@pytest.mark.parametrize(
    "path",
    [
        "test_a.py", "a_test.py", "tests.py", "tests/a.py", "src/pkg/tests/helpers.py", "conftest.py", "test/unit/a.py",
        "a.test.js", "a.spec.ts", "src/__tests__/a.jsx", "a.test.tsx", "a.test.mjs", "a.spec.cjs", "a.test.mts",
        "a.spec.cts", "test/a.js", "e2e/login.cy.ts", "spec/a.js", "a-test.js", "test-a.js",
        "pkg/a_test.go", "src/test/java/ATest.java", "ATest.java", "ATests.java", "TestA.java", "AIT.java",
        "tests/a.rs", "src/lib.rs", "spec/a_spec.rb", "a_spec.rb", "a_test.rb", "test_a.rb", "spec/spec_helper.rb",
        "ATests.cs", "ATest.cs", "Shop.Tests/A.cs", "Shop.UnitTests/A.cs",
        "tests/ATest.scala", "ASpec.scala", "a_test.exs", "a_test.dart", "ATests.swift", "run.bats", "tests/a.c",
    ],
)  # fmt: skip
def test_test_files(path: str) -> None:
    assert is_test_file(path)


@pytest.mark.parametrize(
    "path",
    [
        "a.py", "src/attest.py", "src/latest.js", "contest.py", "src/testify.go", "testing_tools.md", "a.go", "A.java",
        "Greatest.java", "src/Contest.cs", "lib/a.rb", "tests/data.json", "tests/README.md", "test_a.txt",
        "node_modules/x/test/a.js", ".venv/lib/site-packages/x/tests/test_a.py", "types.d.ts", "Makefile", "protest/a.py",
        "src/test", "",
    ],
)  # fmt: skip
def test_other_files(path: str) -> None:
    assert not is_test_file(path)


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.py", "python"), ("a.JS", "javascript"), ("a.jsx", "javascript"), ("a.mjs", "javascript"), ("a.cjs", "javascript"),
        ("a.ts", "typescript"), ("a.tsx", "typescript"), ("a.mts", "typescript"), ("a.cts", "typescript"), ("a.go", "go"),
        ("a.java", "java"), ("a.rs", "rust"), ("a.rb", "ruby"), ("a.cs", "csharp"), ("a.scala", None), ("a", None), ("py", None),
        ("folder.py/a", None),
    ],
)  # fmt: skip
def test_languages(path: str, language: str | None) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("path", "collected"),
    [
        ("tests/test_a.py", True), ("tests/a_test.py", True), ("tests/a.py", False), ("tests/_test_a.py", False),
        ("a.test.js", True), ("src/__tests__/a.ts", True), ("tests/a.js", False), ("a_test.go", True), ("a_test_.go", False),
        ("_a_test.go", False), ("ATest.java", True), ("A.java", False), ("a_spec.rb", True), ("a.rb", False), ("a.rs", True),
        ("A.cs", True), ("a.scala", True),
    ],
)  # fmt: skip
def test_which_files_a_runner_looks_into(path: str, collected: bool) -> None:
    assert is_collected_path(path) is collected
