"""An assertion that is put behind a condition is asked only now and then, in every language alike."""

# ruff: noqa: E501 - a test a line reads as a table.

import pytest

from assay.checks.assertions_not_weakened import AssertionsNotWeakened
from assay.core.outcome import Scored
from tests.checks.fake_workspace import edited

JAVA = "class ATest {{ @Test void a() {{ {} }} }}"
CSHARP = "public class ATests {{ [Fact] public void A() {{ {} }} }}"
GO = 'package p\n\nimport "testing"\n\nfunc TestA(t *testing.T) {{\n{}\n}}\n'
RUBY = 'require "minitest"\n\nclass ATest < Minitest::Test\n  def test_a\n{}\n  end\nend\n'
SCRIPT = "test('a', () => {{ {} }});\n"
# By language: the path, the file around a test's body, the assertion, and ways to put it behind a condition.
CASES = {
    "python": ("tests/test_a.py", "def test_a():\n    {}\n", "assert f(1) == 2", ["if g():\n        {}", "if os.environ.get('X'):\n        {}"]),
    "java": ("src/test/java/ATest.java", JAVA, "assertEquals(2, f(1));", ["if (g()) {{ {} }}", 'if (System.getenv("X") != null) {{ {} }}']),
    "csharp": ("ATests.cs", CSHARP, "Assert.Equal(2, F(1));", ["if (G()) {{ {} }}"]),
    "rust": ("tests/a.rs", "#[test]\nfn a() {{ {} }}\n", "assert_eq!(f(1), 2);", ["if g() {{ {} }}"]),
    "javascript": ("a.test.js", SCRIPT, "expect(f(1)).toBe(2);", ["if (g()) {{ {} }}", "if (process.env.X) {{ {} }}", "g() && {}", "g() || {}", "if (g()) {}"]),
    "typescript": ("a.test.ts", SCRIPT, "expect(f(1)).toBe(2);", ["if (g()) {{ {} }}", "if (process.env.X) {}"]),
    "go": ("a_test.go", GO, "\tassert.Equal(t, 2, f(1))", ["\tif g() {{\n{}\n\t}}", '\tif os.Getenv("X") != "" {{\n{}\n\t}}']),
    "plain go": ("a_test.go", GO, '\tif f(1) != 2 {\n\t\tt.Fatal("x")\n\t}', ["\tif g() {{\n{}\n\t}}"]),
    "ruby": ("a_test.rb", RUBY, "    assert_equal 2, f(1)", ["    if g\n{}\n    end", "{} if g", "{} unless g", "    unless ENV['X']\n{}\n    end"]),
}  # fmt: skip
CHEATS = [(language, way) for language, case in CASES.items() for way in case[3]]


def findings(path: str, before: str, after: str) -> list[str]:
    found = AssertionsNotWeakened().run(edited(path, before, after))
    assert isinstance(found, Scored)
    return [str(one["rule"]) for one in found.evidence["findings"]]  # type: ignore[attr-defined]


@pytest.mark.parametrize(("language", "way"), CHEATS)
def test_behind_a_condition_it_is_weaker(language: str, way: str) -> None:
    path, around, assertion, _ = CASES[language]
    after = around.format(way.format(assertion))
    assert findings(path, around.format(assertion), after) == ["assertion-weaker"]


HONEST = {
    "a table": ("a.test.js", "test.each([[1, 2], [2, 4]])('a', (n, want) => {{ {} }});\n", "expect(f(n)).toBe(want);", "if (want) {{ {} }}"),
    "a loop": ("a.test.js", SCRIPT, "for (const [n, want] of rows) { expect(f(n)).toBe(want); }", "for (const [n, want] of rows) {{ if (n) {{ expect(f(n)).toBe(want); }} }}"),
    "another way": ("a.test.js", SCRIPT, "expect(f(1)).toBe(2);", "if (g()) {{ {0} }} else {{ {0} }}"),
    "always": ("a.test.js", SCRIPT, "expect(f(1)).toBe(2);", "if (true) {{ {} }}"),
    "a loop in Go": ("a_test.go", GO, "\tfor _, c := range cases {\n\t\tassert.Equal(t, c.want, f(c.n))\n\t}", "\tfor _, c := range cases {{\n\t\tif c.ok {{\n\t\t\tassert.Equal(t, c.want, f(c.n))\n\t\t}}\n\t}}"),
    "subtests in Go": ("a_test.go", GO, "\tfor _, c := range cases {\n\t\tt.Run(c.name, func(t *testing.T) {\n\t\t\tassert.Equal(t, c.want, f(c.n))\n\t\t})\n\t}", "\tfor _, c := range cases {{\n\t\tt.Run(c.name, func(t *testing.T) {{\n\t\t\tif c.ok {{\n\t\t\t\tassert.Equal(t, c.want, f(c.n))\n\t\t\t}}\n\t\t}})\n\t}}"),
    "each in Ruby": ("a_test.rb", RUBY, "    rows.each { |n, want| assert_equal want, f(n) }", "    rows.each {{ |n, want| assert_equal want, f(n) if n }}"),
}  # fmt: skip


@pytest.mark.parametrize("name", HONEST)
def test_a_condition_that_chooses_among_cases_is_none(name: str) -> None:
    path, around, assertion, after = HONEST[name]
    assert findings(path, around.format(assertion), around.format(after.format(assertion))) == []


def test_a_row_that_a_condition_leaves_out_is_seen() -> None:
    around = "test.each([[1, 2], [2, 0]])('a', (n, want) => {{ {} }});\n"
    assertion = "expect(f(n)).toBe(want);"
    after = around.format(f"if (want) {{ {assertion} }}")
    assert findings("a.test.js", around.format(assertion), after) == ["assertion-unreachable"]
