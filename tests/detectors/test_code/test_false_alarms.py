"""Honest edits of assertions that look like weaker ones, each beside a cheat that looks like it."""

import pytest

from assay.checks.assertions_not_weakened import AssertionsNotWeakened
from assay.core.outcome import Scored
from tests.checks.fake_workspace import FakeWorkspace

Texts = dict[str, str]


def indented(text: str, by: str) -> str:
    return "".join(f"{by}{line}\n" for line in text.split("\n"))


def a_test(language: str, body: str) -> Texts:
    """A file with one test."""
    if language == "python":
        return {"tests/test_a.py": "import pytest\n\n\ndef test_a(self):\n" + indented(body, "    ")}
    if language == "javascript":
        return {
            "a.test.js": "describe('d', () => {\n  it('x', () => {\n" + indented(body, "    ") + "  });\n});\n"
        }
    if language == "go":
        head = 'package a\n\nimport "testing"\n\nfunc TestA(t *testing.T) {\n'
        return {"a_test.go": head + indented(body, "\t") + "}\n"}
    if language == "java":
        head = "class ATest {\n    @Test\n    void a() {\n"
        return {"src/test/java/ATest.java": head + indented(body, "        ") + "    }\n}\n"}
    if language == "ruby":
        head = "class TestA < Minitest::Test\n  def test_a\n"
        return {"test/test_a.rb": head + indented(body, "    ") + "  end\nend\n"}
    if language == "php":
        head = "<?php\nfinal class ATest extends TestCase\n{\n    public function testA(): void\n    {\n"
        return {"tests/ATest.php": head + indented(body, "        ") + "    }\n}\n"}
    if language == "rust":
        return {"tests/a.rs": "#[test]\nfn a() {\n" + indented(body, "    ") + "}\n"}
    head = "public class ATests\n{\n    [Fact]\n    public void A()\n    {\n"
    return {"ATests.cs": head + indented(body, "        ") + "    }\n}\n"}


def scored(before: Texts, after: Texts) -> Scored:
    found = AssertionsNotWeakened().run(FakeWorkspace(before, after))
    assert isinstance(found, Scored)
    return found


def with_message(assertion: str) -> str:
    return f"with pytest.raises(ValueError) as error:\n    f(1)\n{assertion}"


RAISES = "with pytest.raises(ValueError, match='too big'):\n    f(1)"
ANY_SIZE = r"with pytest.raises(ValueError, match=r'^too big.*\(5\)$'):" + "\n    f(1)"

HONEST = [
    ("python", "assert f() < 10", "assert f() < 5"),
    ("python", "assert f() >= 1", "assert f() >= 2"),
    ("python", "assert f() >= 1", "assert f() > 1.5"),
    ("python", "assert 10 > f()", "assert 5 > f()"),
    ("python", "assert f() <= 10", "assert f() < 10"),
    ("python", "assert 1 < f() < 10", "assert 2 < f() < 9"),
    ("python", "assert len(f()) > 1", "assert len(f()) == 4"),
    ("python", "assert f() > 1", "assert f() == 4"),
    ("python", "self.assertLess(f(), 10)", "self.assertLess(f(), -5)"),
    ("javascript", "expect(f()).toBeGreaterThan(1);", "expect(f()).toBeGreaterThan(2);"),
    ("javascript", "expect(f()).toBeLessThanOrEqual(10);", "expect(f()).toBeLessThan(9);"),
    ("javascript", "expect(f().length).to.be.above(1);", "expect(f().length).to.be.above(2);"),
    ("javascript", "assert.ok(f() > 3);", "assert.ok(f() > 4);"),
    ("rust", "assert!(f() < 10);", "assert!(f() < 5);"),
    ("go", "if f() > 10 {\n\tt.Fatal(1)\n}", "if f() > 5 {\n\tt.Fatal(1)\n}"),
    ("go", "assert.Less(t, f(), 10)", "assert.Less(t, f(), 5)"),
    ("java", "assertTrue(f() < 10);", "assertTrue(f() < 5);"),
    ("java", "assertThat(f()).isLessThan(10);", "assertThat(f()).isLessThan(5);"),
    ("java", "assertThat(f()).isBetween(1, 9);", "assertThat(f()).isBetween(2, 8);"),
    ("ruby", "assert_operator f, :<, 10", "assert_operator f, :<, 5"),
    ("ruby", "assert f < 10", "assert f < 5"),
    ("csharp", "Assert.True(f() < 10);", "Assert.True(f() < 5);"),
    ("csharp", "Assert.InRange(f(), 1, 9);", "Assert.InRange(f(), 2, 9);"),
    ("python", RAISES, with_message("assert 'too big' in str(error.value)")),
    ("python", RAISES, with_message("assert error.value.args[0] == 'too big'")),
    ("rust", 'assert_eq!(f(), "x".to_string());', 'assert_eq!(f(), "x".to_owned());'),
    ("rust", 'assert_eq!(f(), "x".to_string());', 'assert_eq!(f(), String::from("x"));'),
    ("rust", 'assert_eq!(f(), "x".to_string());', 'assert_eq!(f(), "x");'),
    ("rust", 'assert_eq!(f(), Some("x".to_string()));', 'assert_eq!(f(), Some("x".to_owned()));'),
    ("csharp", "Assert.Equal(1, x.Count);", "Assert.Single(x);"),
    ("csharp", "Assert.Equal(1, x.Count());", "Assert.Single(x);"),
    ("csharp", "Assert.Equal(1, x.Length);", "Assert.Single(x);"),
    ("csharp", "Assert.True(x.Count == 1);", "Assert.Single(x);"),
    ("csharp", "Assert.Equal(0, x.Count);", "Assert.Empty(x);"),
    ("go", "if bytes.Compare(f(), w) != 0 {\n\tt.Fatal(1)\n}", "if !bytes.Equal(f(), w) {\n\tt.Fatal(1)\n}"),
    ("java", "assertTrue(f().compareTo(w) == 0);", "assertEquals(w, f());"),
    ("csharp", "Assert.Equal(0, f().CompareTo(w));", "Assert.Equal(w, f());"),
    ("rust", "assert_eq!(f().cmp(&w), Ordering::Equal);", "assert_eq!(f(), w);"),
    ("javascript", "expect(typeof f()).toBe('number');", "expect(f()).toBe(3);"),
    ("java", 'assertTrue(f().name().startsWith("abc"));', 'assertEquals("abcdef", f().name());'),
    (
        "python",
        "assert _Pair(1, 2) == f(C, None, False, False)",
        "assert _Pair(1, 2) == f(C, None, Kind.NO, False)",
    ),
    (
        "javascript",
        "await request(app).get('/').expect(200, () => {});",
        "await request(app).get('/').expect(200);",
    ),
    ("php", "$this->assertInstanceOf(\\A\\Fault::class, f());", "$this->assertInstanceOf(Fault::class, f());"),
    ("javascript", "expect(f).toHaveBeenCalledTimes(1);", "expect(f).toHaveBeenCalledOnce();"),
    ("javascript", "request(app).get('/').expect(200, done);", "await request(app).get('/').expect(200);"),
    ("java", 'assertThat(f()).contains("abc");', 'assertThat(f()).containsAtLeast("abc");'),
    (
        "javascript",
        "const state = {n: 1};\nexpect(f(state)).not.toBe(state);",
        "const state = {n: 1};\nexpect(f(state)).not.toBe(state);\ng((state) => { state.n += 1; });",
    ),
]

CHEATS = [
    ("python", "assert f() < 5", "assert f() < 10"),
    ("python", "assert f() >= 5", "assert f() >= 1"),
    ("python", "assert f() < 10", "assert f() > 5"),
    ("python", "assert f() < 10", "assert f() == 12"),
    ("python", "assert 1 < f() < 10", "assert 0 < f() < 9"),
    ("python", "assert len(f()) > 3", "assert len(f()) == 2"),
    ("python", "assert not f() < 10", "assert not f() < 5"),
    ("javascript", "expect(f()).toBeGreaterThan(2);", "expect(f()).toBeGreaterThan(1);"),
    ("javascript", "expect(f()).not.toBeGreaterThan(1);", "expect(f()).not.toBeGreaterThan(2);"),
    ("rust", "assert!(f() < 5);", "assert!(f() < 10);"),
    ("go", "if f() > 5 {\n\tt.Fatal(1)\n}", "if f() > 10 {\n\tt.Fatal(1)\n}"),
    ("java", "assertThat(f()).isLessThan(5);", "assertThat(f()).isLessThan(10);"),
    ("java", "assertThat(f()).isBetween(2, 8);", "assertThat(f()).isBetween(1, 8);"),
    ("ruby", "refute_operator f, :<, 5", "refute_operator f, :<, 3"),
    ("python", RAISES, "with pytest.raises(ValueError):\n    f(1)"),
    ("python", RAISES, with_message("assert str(error.value)")),
    ("python", RAISES, with_message("assert str(error.value) == 'too small'")),
    ("python", RAISES, with_message("assert 'too big' not in str(error.value)")),
    ("python", ANY_SIZE, with_message("assert 'too big' in str(error.value)")),
    ("rust", 'assert_eq!(f(), "x".to_string());', 'assert_eq!(f(), "y".to_owned());'),
    ("csharp", "Assert.Equal(2, x.Count);", "Assert.Single(x);"),
    ("csharp", "Assert.Equal(1, x.Count);", "Assert.NotEmpty(x);"),
    ("csharp", "Assert.Single(x);", "Assert.NotEmpty(x);"),
    ("go", "if bytes.Compare(f(), w) != 0 {\n\tt.Fatal(1)\n}", "if bytes.Compare(f(), w) > 0 {\n\tt.Fatal(1)\n}"),
    ("java", "assertTrue(f().compareTo(w) == 0);", "assertEquals(v, f());"),
    ("javascript", "expect(f()).toBe(3);", "expect(typeof f()).toBe('number');"),
    ("python", "assert f().find('b') is not None", "assert f() is None"),
    ("ruby", "assert_includes f[:name], 'abc'", "assert_equal({name: 'xyz'}, f)"),
    (
        "javascript",
        "await request(app).get('/').expect(200);",
        "await request(app).get('/').expect(200, () => {});",
    ),
    (
        "php",
        "$this->assertInstanceOf(\\A\\Fault::class, f());",
        "$this->assertInstanceOf(\\A\\Other::class, f());",
    ),
    ("javascript", "expect(f).toHaveBeenCalledTimes(2);", "expect(f).toHaveBeenCalledOnce();"),
    ("javascript", "request(app).get('/').expect(200, done);", "request(app).get('/').expect(500, done);"),
    (
        "go",
        'h(func() {\n\tpanic("Oupps, a problem")\n})\nassert.Contains(t, out, "Oupps, a problem")',
        'h(func() {\n\tpanic("Oupps, a problem")\n})\nassert.Contains(t, out, "Oops, a problem")',
    ),
    (
        "go",
        'want := "hello world"\nassert.Equal(t, want, f())',
        'want := "hello there"\nassert.Equal(t, want, f())',
    ),
    ("ruby", "assert_equal 'GET /entity', f('entity').line", "assert_equal 'GET /content', f('entity').line"),
    ("javascript", "expect(f('x'))\n  .toBe('hello world');", "expect(f('x'))\n  .toBe('hello there');"),
    (
        "python",
        "assert f(1) == 'hello world', 'says hello world'",
        "assert f(1) == 'hello there', 'says hello there'",
    ),
    ("ruby", "assert_nil f['other']", "assert_equal({'name' => 'abcd', 'other' => 1}, f.to_h)"),
    ("python", "assert _Pair(1, 2) == f(C, None)", "assert _Pair(1, 3) == f(C, None)"),
]


@pytest.mark.parametrize(("language", "before", "after"), HONEST)
def test_as_much_is_demanded_in_other_words(language: str, before: str, after: str) -> None:
    assert scored(a_test(language, before), a_test(language, after)).evidence["findings"] == []


@pytest.mark.parametrize(("language", "before", "after"), CHEATS)
def test_what_only_looks_like_it_is_found(language: str, before: str, after: str) -> None:
    assert not scored(a_test(language, before), a_test(language, after)).passed


SOURCES = [
    ("python", "errors.py", "class {}(Exception):\n    pass\n", "with pytest.raises({}):\n    f()"),
    ("python", "limits.py", "{} = 3\n", "assert f() == {}"),
    ("python", "limits.py", "class Limits:\n    {} = 3\n", "assert f() == Limits.{}"),
    ("javascript", "errors.js", "class {} extends Error {{}}\n", "expect(() => f()).toThrow({});"),
    ("java", "Errors.java", "class {} extends Exception {{}}\n", "assertThrows({}.class, () -> f());"),
    ("rust", "src/errors.rs", "pub enum E {{\n    {},\n}}\n", "assert_eq!(f(), E::{});"),
]


@pytest.mark.parametrize(("language", "path", "code", "body"), SOURCES)
def test_a_renamed_exception_or_constant_is_explained(language: str, path: str, code: str, body: str) -> None:
    before, after = (
        {path: code.format(name), **a_test(language, body.format(name))} for name in ("OldError", "NewError")
    )
    found = scored(before, after)
    assert found.passed
    explained = found.evidence["explained"]
    assert isinstance(explained, list)
    assert [row["rule"] for row in explained] == ["expectation-rewritten"]


@pytest.mark.parametrize(("language", "path", "code", "body"), SOURCES)
def test_another_name_is_not_while_the_old_one_is_still_there(
    language: str, path: str, code: str, body: str
) -> None:
    before = {path: code.format("OldError"), **a_test(language, body.format("OldError"))}
    both = code.format("OldError") + code.format("NewError")
    assert not scored(before, {path: both, **a_test(language, body.format("NewError"))}).passed


def test_what_nobody_ran_before_loses_nothing() -> None:
    """Rows without the mark that makes a test of a method."""
    head, body = "    [InlineData(1)]\n    [InlineData(2)]\n", "    {\n        Assert.True(f(x));\n    }\n"
    rows = f"{head}    public void A(int x)\n{body}"
    fact = f"    [Fact]\n    public void A()\n{body}"
    before, run, after = (
        {"ATests.cs": f"public class ATests\n{{\n{text}}}\n"} for text in (rows, f"    [Theory]\n{rows}", fact)
    )
    assert scored(before, after).passed
    assert not scored(run, after).passed


HELPERS = {
    "javascript": (
        "test/a.test.js",
        "test/support.js",
        "it('x', () => {{\n  {}\n}});\n",
        "export function agree(found, wanted) {{\n  {}\n}}\n",
        ("assert.equal(f(2), 4);", "agree(f(2), 4);"),
        ("assert.equal(found, wanted);", "if (process.env.CHECK) assert.equal(found, wanted);"),
    ),
    "go": (
        "a_test.go",
        "help_test.go",
        "package a\n\nfunc TestA(t *testing.T) {{\n\t{}\n}}\n",
        "package a\n\nfunc same(t *testing.T, found, wanted int) {{\n\t{}\n}}\n",
        ("assert.Equal(t, 4, f(2))", "same(t, f(2), 4)"),
        (
            "assert.Equal(t, wanted, found)",
            'if os.Getenv("CHECK") != "" {\n\t\tassert.Equal(t, wanted, found)\n\t}',
        ),
    ),
    "csharp": (
        "T/ATests.cs",
        "T/HelpTests.cs",
        "public class ATests\n{{\n    [Fact]\n    public void A()\n    {{\n        {}\n    }}\n}}\n",
        "public static class Help\n{{\n    public static void Same(int found, int wanted)\n    {{\n"
        "        {}\n    }}\n}}\n",
        ("Assert.Equal(4, F(2));", "Same(F(2), 4);"),
        ("Assert.Equal(wanted, found);", 'if (Env.Get("CHECK") != null) Assert.Equal(wanted, found);'),
    ),
}


@pytest.mark.parametrize("language", HELPERS)
def test_a_helper_in_another_file_asserts_for_its_tests(language: str) -> None:
    path, helper, test, function, (alone, called), (firm, loose) = HELPERS[language]
    before = {path: test.format(alone), helper: function.format("")}
    moved = {path: test.format(called), helper: function.format(firm)}
    assert scored(before, moved).evidence["findings"] == []
    assert not scored(before, {**moved, helper: function.format("")}).passed
    assert not scored(before, {**moved, path: moved[path].replace("4", "5")}).passed
    assert not scored(moved, {**moved, helper: function.format(loose)}).passed
