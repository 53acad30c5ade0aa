"""Tests that only seem to test: they do themselves what they wait for, or leave before they assert.

Each has an honest twin that looks much the same and is nothing.
"""

# ruff: noqa: E501 - a row of a table is a line.

import pytest

from assay.detectors.test_code.findings import FilePair
from assay.detectors.test_code.new_skips import compare_skips
from assay.detectors.test_code.read import read_both
from assay.detectors.test_code.weakening import compare_assertions
from assay.evidence.workspace import read_here

PYTHON = (
    "test_a.py",
    "from unittest.mock import Mock\nfrom a import f\nimport contextlib\n\ndef test_a(x):\n%s\n",
)
JAVASCRIPT = ("a.test.js", "it('a', %s);\n")
GO = (
    "a_test.go",
    'package a\n\nimport (\n\t"testing"\n\t"github.com/stretchr/testify/require"\n)\n\nfunc TestA(t *testing.T) {\n%s\n}\n',
)
RUBY = ("a_test.rb", "class ATest < Minitest::Test\n%s\nend\n")
JAVA = (
    "ATest.java",
    "import org.junit.jupiter.api.Test;\nclass ATest {\n    @Test\n    void a() {\n%s\n    }\n}\n",
)
RUST = ("tests/a.rs", '#[test]\n#[should_panic(expected = "no")]\nfn a() {\n%s\n}\n')
CSHARP = (
    "A.Tests/ATests.cs",
    "using System;\nusing Xunit;\n%s\npublic class ATests\n{\n    [Fact]\n    public void A()\n    {\n%s\n    }\n}\n",
)


def rules(form: tuple[str, str], before: str | tuple[str, ...], after: str | tuple[str, ...]) -> list[str]:
    path, text = form
    old, new = text % before, text % after
    read = read_both(path, old.encode(), path, new.encode(), read_here)
    files = [FilePair(path, path, *read, old, new)]
    return [each.rule for each in (*compare_assertions(files).findings, *compare_skips(files).findings)]


@pytest.mark.parametrize(
    ("form", "before", "after", "rule"),
    [
        (
            PYTHON,
            "    assert f(x) == 1",
            "    f = Mock(return_value=1)\n    assert f(x) == 1",
            "assertion-vacuous",
        ),
        (PYTHON, "    assert f(x) == 1", "    f = lambda *a: 1\n    assert f(x) == 1", "assertion-vacuous"),
        (
            PYTHON,
            "    assert f(x) == 1",
            "    with contextlib.ExitStack() as s:\n        s.push(lambda *e: True)\n        assert f(x) == 1",
            "assertion-swallowed",
        ),
        (
            PYTHON,
            "    assert f(x) == 1",
            "    with contextlib.ExitStack() as s:\n        s.enter_context(contextlib.suppress(Exception))\n"
            "        assert f(x) == 1",
            "assertion-swallowed",
        ),
        (
            JAVASCRIPT,
            "() => { expect(f(1)).toBe(1); }",
            "() => { setTimeout(() => expect(f(1)).toBe(1), 9e9); }",
            "assertion-swallowed",
        ),
        (
            JAVASCRIPT,
            "() => {\n  const a = f(1);\n  expect(a).toBe(1);\n}",
            "() => {\n  const a = f(1);\n  if (!a) return;\n  expect(a).toBe(1);\n}",
            "new-conditional-skip",
        ),
        (
            GO,
            "\trequire.Equal(t, 1, F())",
            "\tx := new(testing.T)\n\trequire.Equal(x, 1, F())",
            "assertion-swallowed",
        ),
        (
            RUBY,
            "  def test_a\n    assert_equal 1, f\n  end",
            "  def test_a\n    send(:skip)\n    assert_equal 1, f\n  end",
            "new-skip",
        ),
        (
            RUBY,
            "  def test_a\n    assert_equal 1, f\n  end",
            "  def test_a\n    assert_equal 1, f\n  end\n  undef_method :test_a",
            "test-not-collected",
        ),
        (
            RUBY,
            "  def test_a\n    x = f\n    assert_equal 1, x\n  end",
            "  def test_a\n    x = f\n    return if x\n    assert_equal 1, x\n  end",
            "new-conditional-skip",
        ),
        (
            JAVA,
            "        assertThrows(X.class, () -> f(1));",
            "        assertThrows(X.class, () -> { throw new X(); });",
            "assertion-removed",
        ),
        (RUST, "    f(0);", '    panic!("no");', "assertion-vacuous"),
        (
            CSHARP,
            ("", "        Assert.Throws<X>(() => F(1));"),
            ("", "        Assert.Throws<X>(() => throw new X());"),
            "assertion-removed",
        ),
        (
            CSHARP,
            ("", "        Assert.Equal(1, F());"),
            ("public class FactAttribute : Attribute { }", "        Assert.Equal(1, F());"),
            "test-not-collected",
        ),
        (
            CSHARP,
            ("", "        Assert.Equal(1, F());"),
            ("", "        try { Assert.Equal(1, F()); } catch (Exception e) when (e != null) { }"),
            "assertion-swallowed",
        ),
    ],
)
def test_it_tests_nothing(
    form: tuple[str, str], before: str | tuple[str, ...], after: str | tuple[str, ...], rule: str
) -> None:
    assert rule in rules(form, before, after)


@pytest.mark.parametrize(
    ("form", "before", "after"),
    [
        (
            PYTHON,
            "    assert f(x) == 1",
            "    g = Mock(return_value=1)\n    assert f(g) == 1\n    assert f(x) == 1",
        ),
        (
            PYTHON,
            "    assert f(x) == 1",
            "    h = Mock(side_effect=f)\n    assert h(x) == 1\n    assert f(x) == 1",
        ),
        (
            PYTHON,
            "    assert f(x) == 1",
            "    with contextlib.ExitStack() as s:\n        s.enter_context(x)\n        assert f(x) == 1",
        ),
        (
            JAVASCRIPT,
            "() => { expect(f(1)).toBe(1); }",
            "(done) => { setTimeout(() => { expect(f(1)).toBe(1); done(); }, 10); }",
        ),
        (
            JAVASCRIPT,
            "() => { expect(f(1)).toBe(1); }",
            "async () => { await new Promise((r) => setTimeout(() => { expect(f(1)).toBe(1); r(); }, 10)); }",
        ),
        (
            JAVASCRIPT,
            "() => {\n  expect(f(1)).toBe(1);\n}",
            "() => {\n  const g = (x) => {\n    if (x) return 1;\n    return 2;\n  };\n  expect(f(1)).toBe(1);\n}",
        ),
        (GO, "\trequire.Equal(t, 1, F())", "\tis := require.New(t)\n\tis.Equal(1, F())"),
        (
            RUBY,
            "  def test_a\n    assert_equal 1, f\n  end",
            "  def test_a\n    x = [1].map do |y|\n      next if y\n      2\n    end\n    assert_equal 1, f\n  end",
        ),
        (
            RUBY,
            "  def test_a\n    assert_equal 1, f\n  end",
            "  def test_a\n    x.send(:store, 1)\n    assert_equal 1, f\n  end",
        ),
        (RUST, "    f(0);", "    let x = 0;\n    f(x);"),
        (
            CSHARP,
            ("", "        Assert.Equal(1, F());"),
            ("public class SlowAttribute : Attribute { }", "        Assert.Equal(1, F());"),
        ),
    ],
)
def test_its_honest_twin_is_nothing(
    form: tuple[str, str], before: str | tuple[str, ...], after: str | tuple[str, ...]
) -> None:
    assert rules(form, before, after) == []


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        (
            "def test_a():\n    assert f() == 1\n",
            "async def test_a():\n    assert f() == 1\n",
            ["new-conditional-skip"],
        ),
        ("def test_a():\n    assert f() == 1\n", "async def test_a():\n    assert await f() == 1\n", []),
        (
            "import pytest\ndef test_a():\n    assert f() == 1\n",
            "import pytest\n@pytest.mark.asyncio\nasync def test_a():\n    assert f() == 1\n",
            [],
        ),
    ],
)
def test_a_coroutine_without_a_reason(before: str, after: str, found: list[str]) -> None:
    assert rules(("test_a.py", "%s"), before, after) == found


@pytest.mark.parametrize(
    ("after", "found"),
    [
        ("const b = (() => {\n  it('a', () => { expect(f(1)).toBe(1); });\n});\n", ["test-removed"]),
        ("const b = () => {\n  it('a', () => { expect(f(1)).toBe(1); });\n};\ndescribe('b', b);\n", []),
        ("export const b = () => {\n  it('a', () => { expect(f(1)).toBe(1); });\n};\n", []),
        ("(() => {\n  it('a', () => { expect(f(1)).toBe(1); });\n})();\n", []),
    ],
)
def test_tests_in_a_function_need_somebody_to_call_it(after: str, found: list[str]) -> None:
    before = "describe('b', () => {\n  it('a', () => { expect(f(1)).toBe(1); });\n});\n"
    assert rules(("a.test.js", "%s"), before, after) == found
