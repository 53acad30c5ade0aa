"""An assertion means what its tree says: brackets that change it are seen, others are nothing."""

from pathlib import Path

import pytest

from tests.detectors.test_code.test_refactorings import rules
from tests.yaml_files import read_yaml

ROWS = read_yaml(Path(__file__).with_name("meanings.yaml"))
FILES = {
    "python": ("tests/test_shop.py", "from shop import f, g, total\n\n\ndef test_a():\n    {}\n"),
    "javascript": ("shop.test.js", "import {{ f, g, total }} from './shop';\ntest('a', () => {{\n  {};\n}});\n"),
    "java": (
        "src/test/java/ShopTest.java",
        "import static org.junit.jupiter.api.Assertions.*;\n"
        "class ShopTest {{\n  @Test void a() {{\n    {}\n  }}\n}}\n",
    ),
    "go": ("shop_test.go", "package shop\n\nfunc TestA(t *testing.T) {{\n\t{}\n}}\n"),
    "ruby": ("spec/shop_spec.rb", "describe 'shop' do\n  it 'a' do\n    {}\n  end\nend\n"),
    "php": (
        "tests/ShopTest.php",
        "<?php\nclass ShopTest extends TestCase {{\n  public function testA(): void {{\n    {}\n  }}\n}}\n",
    ),
    "csharp": (
        "tests/ShopTests.cs",
        "using Xunit;\npublic class ShopTests {{\n  [Fact] void A() {{ {} }}\n}}\n",
    ),
    "rust": ("tests/shop.rs", "use shop::*;\n\n#[test]\nfn a() {{\n    {}\n}}\n"),
    "kotlin": (
        "src/test/kotlin/ShopTest.kt",
        "import kotlin.test.*\nclass ShopTest {{\n  @Test fun a() {{\n    {}\n  }}\n}}\n",
    ),
    "swift": (
        "Tests/ShopTests.swift",
        "import XCTest\nclass ShopTests: XCTestCase {{\n  func testA() {{\n    {}\n  }}\n}}\n",
    ),
}


def rows(kind: str) -> list[object]:
    return [
        pytest.param(language, *row, id=f"{language}: {' becomes '.join(row)}")
        for language, table in ROWS[kind].items()
        for row in table
    ]


def found(language: str, before: str, after: str) -> list[str]:
    path, text = FILES[language]
    return rules({path: text.format(before)}, {path: text.format(after)})


@pytest.mark.parametrize(("language", "before", "after"), rows("changed"))
def test_another_meaning_is_seen(language: str, before: str, after: str) -> None:
    assert found(language, before, after) != []


@pytest.mark.parametrize(("language", "before", "after"), rows("same"))
def test_other_brackets_are_nothing(language: str, before: str, after: str) -> None:
    assert found(language, before, after) == []
    assert found(language, after, before) == []
