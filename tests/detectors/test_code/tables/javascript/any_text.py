"""Texts in JavaScript or near it: where a test stands, what is broken, and pieces to build anything of."""

LINES = ("\n\nit('t', () => {\n  expect(a).toBe(1);\n});\n", (3, 5, 4))
BROKEN = "it('t', () => { expect("

PIECES = [
    "it", "('t', () => {", "})", "expect(a)", ".toBe(1)", "describe", ".skip", ".each`", "`", "${", "[",
    "]", "{", "}", "(", ")", "if (", "return;", "try {", "catch", "=>", "'", '"', "/", "//", "/*", "\n",
    " ", "?", ":", "&&", "!", "const x =", "\ud800", "\x00", "é", "assert", ".only", "for (", ";", ",",
    "import {", "} from 'ava'", "await ", ".resolves",
]  # fmt: skip

DEEP_IN = "it('t', () => { expect(…).toBe(1) })"
DEEP = [
    ("describe('a', () => {", "})"),
    ("if (a) {", "}"),
    ("it('t', () => {", "})"),
    ("try { expect(a).toBe(1) } catch (e) {", "}"),
    ("expect(", ").toBe(1)"),
    ("!(", ")"),
    ("[", "]"),
    ("`${", "}`"),
]
