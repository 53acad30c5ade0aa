"""Texts in Rust or near it: where a test stands, what is broken, and pieces to build anything of."""

LINES = ("mod tests {\n  #[test]\n  fn a() {\n    assert_eq!(x, 3);\n  }\n}\n", (2, 5, 4))
BROKEN = "#[test] fn a( { assert_eq!(3; ]] fn }"

PIECES = [
    "mod tests {", "#[test] ", "fn a() {", "}", "(", ")", "assert_eq!(3, x);", "assert!(", "#[cfg(",
    "any())]", "proptest! {", "if ", "catch_unwind(|| ", "return;", "#[ignore", "]", '"', "'", "/*",
    "//", "\n", "|", "<", 'r#"', "!", "\x00", "\ud800", "é", "\\",
]  # fmt: skip

DEEP_IN = "#[test] fn a() { …"
DEEP = [
    ("{", ""),
    ("(", ""),
    ("assert!(", ""),
    ("a(", ""),
    ("!", ""),
    ("if true {", ""),
    ("mod a {", ""),
    ("#[cfg(not(", ""),
    ("proptest! {", ""),
    ("&", ""),
]
