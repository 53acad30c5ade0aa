"""Texts in Go or near it: where a test stands, what is broken, and pieces to build anything of."""

LINES = ("package x\n\nfunc TestA(t *testing.T) {\n\tassert.Equal(t, 1, a)\n}\n", (3, 5, 4))
BROKEN = "package x\nfunc TestA(t *testing.T) {"

PIECES = [
    "package x\n", "func TestA(t *testing.T) {", "}", "{", "(", ")", "if a != 1 ", "t.Error()", "t.Run(",
    "for ", "range ", "`", '"', "'", "//", "/*", "\n", " ", "//go:build ", "!", "&&", "||", "return",
    "assert.Equal(", "Expect(", ").To(", ",", "a", "defer func() ", "recover()", "\x00", "\ud800", "é",
    ":=", "switch ", "case ", "// Output:", "[]int", ";",
]  # fmt: skip

DEEP_IN = "package x\nfunc TestA(t *testing.T) {\n…\n}"
DEEP = [
    ("if a {", "}"),
    ("(", ")"),
    ("!", ""),
    ("f(", ")"),
    ("assert.Equal(t, 1, ", ")"),
    ("func() {", "}()"),
]
