"""Tests that two versions have in common are emptied before they are parsed, and nothing else is."""

import pytest

from assay.detectors.test_code.unchanged import without_unchanged

GO = "package a\n\nfunc TestA(t *testing.T) {\n\tcheck(t, 1)\n}\n"
GO_B = "\nfunc TestB(t *testing.T) {\n\tcheck(t, 2)\n}\n"
JS = "it('a', () => {\n  expect(f(1)).toBe(1);\n});\n"
JS_B = "it('b', () => {\n  expect(f(2)).toBe(2);\n});\n"
JAVA = "class T {\n    @Test\n    void a() {\n        assertEquals(1, f(1));\n    }\n}\n"
JAVA_B = JAVA.replace("}\n}\n", "}\n\n    @Test\n    void b() {\n        assertEquals(2, f(2));\n    }\n}\n")
RUST = "#[test]\nfn a() {\n    assert_eq!(f(1), 1);\n}\n"
RUST_B = "\n#[test]\nfn b() {\n    assert_eq!(f(2), 2);\n}\n"
RUBY = "describe X do\n  it 'a' do\n    expect(f(1)).to eq(1)\n  end\nend\n"
RUBY_B = RUBY.replace("  end\nend\n", "  end\n\n  it 'b' do\n    expect(f(2)).to eq(2)\n  end\nend\n")
CSHARP = "class T\n{\n    [Fact]\n    public void A()\n    {\n        Assert.Equal(1, F(1));\n    }\n}\n"
CSHARP_B = CSHARP.replace(
    "    }\n}\n", "    }\n\n    [Fact]\n    public void B()\n    {\n        Assert.Equal(2, F(2));\n    }\n}\n"
)
KOTLIN = "class T {\n    @Test\n    fun `a b`() {\n        assertEquals(1, f(1))\n    }\n}\n"
KOTLIN_B = KOTLIN.replace("}\n}\n", "}\n\n    @Test\n    fun b() {\n        assertEquals(2, f(2))\n    }\n}\n")
PHP = (
    "<?php\nclass T extends TestCase\n{\n    public function testA(): void\n    {\n"
    "        $this->assertSame(1, f(1));\n    }\n}\n"
)
PHP_B = PHP.replace(
    "}\n}\n", "}\n\n    public function testB(): void\n    {\n        $this->assertSame(2, f(2));\n    }\n}\n"
)
SWIFT = "class T: XCTestCase {\n    func testA() throws {\n        XCTAssertEqual(f(1), 1)\n    }\n}\n"
SWIFT_B = SWIFT.replace("}\n}\n", "}\n\n    func testB() {\n        XCTAssertEqual(f(2), 2)\n    }\n}\n")


@pytest.mark.parametrize(
    ("language", "before", "after", "emptied"),
    [
        ("go", GO, GO + GO_B, "\tcheck(t, 1)"),
        ("javascript", JS, JS + JS_B, "  expect(f(1)).toBe(1);"),
        ("typescript", JS, JS + JS_B, "  expect(f(1)).toBe(1);"),
        ("java", JAVA, JAVA_B, "        assertEquals(1, f(1));"),
        ("rust", RUST, RUST + RUST_B, "    assert_eq!(f(1), 1);"),
        ("ruby", RUBY, RUBY_B, "    expect(f(1)).to eq(1)"),
        ("csharp", CSHARP, CSHARP_B, "        Assert.Equal(1, F(1));"),
        ("kotlin", KOTLIN, KOTLIN_B, "        assertEquals(1, f(1))"),
        ("php", PHP, PHP_B, "        $this->assertSame(1, f(1));"),
        ("swift", SWIFT, SWIFT_B, "        XCTAssertEqual(f(1), 1)"),
    ],
)
def test_a_common_test_is_emptied_on_both_sides(language: str, before: str, after: str, emptied: str) -> None:
    assert without_unchanged(before, after, language) == (before.replace(emptied, ""), after.replace(emptied, ""))


@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        ("go", GO, GO.replace("check(t, 1)", "check(t, 2)")),
        ("go", GO, GO.replace("package a", "package b") + GO_B),
        ("go", GO, GO + "\nfunc check(t *testing.T, n int) {}\n"),
        ("go", GO + GO, GO + GO + GO_B),
        ("go", GO.replace("check(t, 1)", "x := `"), GO.replace("check(t, 1)", "x := `") + GO_B),
        ("go", GO.replace("check(t, 1)", "/* check(t, 1)"), GO.replace("check(t, 1)", "/* check(t, 1)") + GO_B),
        ("java", JAVA, JAVA_B.replace("@Test\n    void a", "@Disabled\n    @Test\n    void a")),
        ("java", JAVA.replace("@Test\n    ", ""), JAVA_B.replace("@Test\n    void a", "void a")),
        ("csharp", CSHARP.replace("        Assert", "#if X\n        Assert"), CSHARP_B),
        ("ruby", RUBY.replace("eq(1)", "eq(<<~A)"), RUBY_B.replace("eq(1)", "eq(<<~A)").replace("2", "3")),
        ("rust", RUST.replace("#[test]\n", ""), RUST.replace("#[test]\n", "") + RUST_B),
        ("kotlin", JAVA, JAVA_B),
        ("kotlin", KOTLIN.replace("f(1)", 'f("""'), KOTLIN_B.replace("f(1)", 'f("""')),
        ("php", PHP.replace("f(1)", "f('"), PHP_B.replace("f(1)", "f('")),
        ("php", PHP.replace("f(1)", "<<<A"), PHP_B.replace("f(1)", "<<<A")),
        ("swift", SWIFT.replace("f(1)", "f(1) //}"), SWIFT_B.replace("f(1)", "f(1) //}")),
    ],
    ids=[
        "the test changed",
        "the file around it changed",
        "a function came",
        "a name that is there twice",
        "a text that does not end in it",
        "a comment that does not end in it",
        "a mark came",
        "a method without a mark",
        "a condition of the build",
        "a text over several lines",
        "a function without a mark",
        "a layout of another language",
        "a Kotlin text over several lines",
        "a PHP text that does not end in it",
        "a PHP text over several lines",
        "a bracket that is only said",
    ],
)
def test_whatever_is_not_plainly_the_same_test_is_read(language: str, before: str, after: str) -> None:
    assert without_unchanged(before, after, language) == (before, after)
