"""Texts in C# or near it: where a test stands, what is broken, and pieces to build anything of."""

LINES = ("class FooTests {\n  [Fact]\n  public void A() {\n    Assert.Equal(3, x);\n  }\n}\n", (2, 5, 4))
BROKEN = "class FooTests { [Fact] public void A( { Assert.Equal(3; ]] ) class }"

PIECES = [
    "class A {", "[Fact] ", "public void A() {", "}", "(", ")", "Assert.Equal(3, x);", "x.Should()",
    ".Be(", "try {", "if (", "#if ", "\n#if X\n", "\n#else\n", "\n#endif\n", "catch {", "return;",
    "[Fact(Skip = ", '"', "'", '@"', '"""', "/*", "//", "\n", "=>", "<", ">", "#", "\x00", "\ud800", "é",
    "\\",
]  # fmt: skip

DEEP_IN = "class A { [Fact] public void A() { …"
DEEP = [
    ("{", ""),
    ("(", ""),
    ("Assert.Multiple(() => ", ""),
    ("A(", ""),
    ("!", ""),
    ("if (true) {", ""),
    ("class A {", ""),
    ("\n#if A\n", ""),
    ("[Fact(", ""),
]
