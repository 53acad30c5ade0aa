"""Texts in Java or near it: where a test stands, what is broken, and pieces to build anything of."""

LINES = ("class FooTest {\n  @Test\n  void a() {\n    assertEquals(3, x);\n  }\n}\n", (2, 5, 4))
BROKEN = "class FooTest { @Test void a( { assertEquals(3; ]] ) class }"

PIECES = [
    "class A {", "@Test ", "void a() {", "}", "(", ")", "assertEquals(3, x);", "assertThat(x)",
    ".isEqualTo(", "try {", "if (", "catch (Throwable t) {", "return;", "@Disabled(", '"', "'", "/*",
    "//", "\n", "->", "<", ">", "@", "\x00", "\ud800", "é", "\\",
]  # fmt: skip

DEEP_IN = "class A { @Test void a() { …"
DEEP = [
    ("{", ""),
    ("(", ""),
    ("assertAll(() -> ", ""),
    ("a(", ""),
    ("!", ""),
    ("if (true) {", ""),
    ("class A {", ""),
    ("assertEquals(x, ", ""),
]
