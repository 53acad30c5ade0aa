"""An assertion that is turned around is another expectation, in every language; another spelling of it is not."""

import pytest

from tests.detectors.test_code.test_refactorings import rules

FILES = {
    "ruby": ("a_test.rb", "class T < Minitest::Test\n def test_a\n  …\n end\nend\n"),
    "rspec": ("a_spec.rb", 'describe A do\n it "a" do\n  …\n end\nend\n'),
    "javascript": ("a.test.js", 'test("a", () => {\n …;\n});\n'),
    "go": ("a_test.go", 'package a\n\nimport "testing"\n\nfunc TestA(t *testing.T) {\n\t…\n}\n'),
    "java": ("src/test/java/ATest.java", "class ATest {\n @Test\n void a() {\n  …;\n }\n}\n"),
    "csharp": ("ATests.cs", "public class ATests {\n [Fact]\n public void A() {\n  …;\n }\n}\n"),
    "rust": ("tests/a.rs", "#[test]\nfn a() {\n …;\n}\n"),
    "python": ("tests/test_a.py", "def test_a(self):\n    …\n"),
}

OPPOSITES = [
    ("ruby", "assert user.valid?", "refute user.valid?"),
    ("ruby", "assert_not user.valid?", "assert user.valid?"),
    ("ruby", "assert_includes xs, 1", "refute_includes xs, 1"),
    ("ruby", "assert_predicate u, :ok?", "refute_predicate u, :ok?"),
    ("ruby", "assert_match(/a/, x)", "refute_match(/a/, x)"),
    ("ruby", "assert_operator 1, :<, x", "refute_operator 1, :<, x"),
    ("ruby", "_(xs).must_include 1", "_(xs).wont_include 1"),
    ("rspec", "expect(x).to include(1)", "expect(x).not_to include(1)"),
    ("rspec", "expect(x).to be_valid", "expect(x).to_not be_valid"),
    ("rspec", "expect(x).to be > 1", "expect(x).not_to be > 1"),
    ("javascript", "expect(x).toContain(1)", "expect(x).not.toContain(1)"),
    ("javascript", "expect(x).toBeTruthy()", "expect(x).toBeFalsy()"),
    ("javascript", "expect(x).toBe(true)", "expect(x).toBe(false)"),
    ("javascript", "assert.ok(x.ok)", "assert.ok(!x.ok)"),
    ("javascript", 'expect(x).toHaveProperty("a")', 'expect(x).not.toHaveProperty("a")'),
    ("javascript", "expect(x).to.include(1)", "expect(x).to.not.include(1)"),
    ("javascript", "expect(f).toHaveBeenCalled()", "expect(f).not.toHaveBeenCalled()"),
    ("go", "if !ok(x) { t.Error() }", "if ok(x) { t.Error() }"),
    ("go", "assert.Contains(t, xs, 1)", "assert.NotContains(t, xs, 1)"),
    ("go", "assert.True(t, x.Ok())", "assert.False(t, x.Ok())"),
    ("go", "if err == nil { t.Error() }", "if err != nil { t.Error() }"),
    ("go", "assert.Error(t, err)", "assert.NoError(t, err)"),
    ("java", "assertTrue(x.ok())", "assertFalse(x.ok())"),
    ("java", "assertThat(xs).contains(1)", "assertThat(xs).doesNotContain(1)"),
    ("java", "assertThat(xs, hasItem(1))", "assertThat(xs, not(hasItem(1)))"),
    ("csharp", "Assert.True(x.Ok)", "Assert.False(x.Ok)"),
    ("csharp", "Assert.Contains(1, xs)", "Assert.DoesNotContain(1, xs)"),
    ("csharp", "xs.Should().Contain(1)", "xs.Should().NotContain(1)"),
    ("rust", "assert!(x.is_ok())", "assert!(x.is_err())"),
    ("rust", "assert!(x.ok())", "assert!(!x.ok())"),
    ("rust", "assert!(matches!(x, A))", "assert!(!matches!(x, A))"),
    ("python", "assert x.ok()", "assert not x.ok()"),
    ("python", "assert 1 in xs", "assert 1 not in xs"),
    ("python", 'self.assertRegex(x, "a")', 'self.assertNotRegex(x, "a")'),
]

SAME = [
    ("ruby", "assert_not user.valid?", "refute user.valid?"),
    ("ruby", "refute user.valid?", "assert !user.valid?"),
    ("rspec", "expect(x).not_to include(1)", "expect(x).to_not include(1)"),
    ("javascript", "expect(x).not.toBeTruthy()", "expect(x).toBeFalsy()"),
    ("javascript", "assert.ok(!x.ok)", "assert.notOk(x.ok)"),
    ("go", "if ok(x) { t.Error() }", "assert.False(t, ok(x))"),
    ("go", "if err != nil { t.Error(err) }", "require.NoError(t, err)"),
    ("java", "assertFalse(x.ok())", "assertTrue(!x.ok())"),
    ("rust", "assert!(!x.ok())", "assert!(x.ok() == false)"),
    ("python", "assert not x.ok()", "self.assertFalse(x.ok())"),
]


def change(language: str, before: str, after: str) -> list[str]:
    path, text = FILES[language]
    return rules({path: text.replace("…", before)}, {path: text.replace("…", after)})


@pytest.mark.parametrize(("language", "one", "other"), OPPOSITES)
def test_what_is_turned_around_is_seen(language: str, one: str, other: str) -> None:
    assert change(language, one, other) != []
    assert change(language, other, one) != []


@pytest.mark.parametrize(("language", "one", "other"), SAME)
def test_another_spelling_is_nothing(language: str, one: str, other: str) -> None:
    assert change(language, one, other) == []
