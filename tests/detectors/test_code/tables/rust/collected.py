"""What is a test in Rust, what it is called, how often it runs and what it asserts in all."""

COLLECTED = [
    ("#[test] fn a() { }", True),
    ("#[tokio::test] async fn a() { }", True),
    ('#[tokio::test(flavor = "multi_thread")] async fn a() { }', True),
    ("#[rstest] fn a() { }", True),
    ("#[wasm_bindgen_test] fn a() { }", True),
    ("#[quickcheck] fn a(x: u8) -> bool { true }", True),
    ("proptest! { #[test] fn a(x in 0..3) { prop_assert!(x < 3); } }", True),
    ("fn a() { assert_eq!(x, 3); }", False),
    ("// #[test]\nfn a() { assert_eq!(x, 3); }", False),
    ("fn test_a() { f(); }", False),
    ("#[cfg_attr(any(), test)] fn a() { assert_eq!(x, 3); }", False),
    ("#[ignore] fn a() { }", False),
    ("#[case(1)] fn a(#[case] x: u8) { }", False),
    ("quickcheck::quickcheck! { fn a(x: u8) -> bool { let y = x; y == x } }", True),
]

NO_TESTS = [
    "fn check(x: u8) { assert_eq!(x, 3); }",
    "fn make() -> Foo { Foo::new() }",
    "impl Foo { fn a(&self) { assert_eq!(self.x, 3); } }",
    "const X: u8 = 3;",
    "fn test_options() -> Options { Options::new() }",
]

IDENTITIES = [
    ("quickcheck::quickcheck! { fn a(x: u8) -> bool { let y = x; y == x } }", ["tests > a"]),
]

CASES = [
    ("#[test] fn a() { }", 1),
    ("#[rstest] #[case(1)] #[case(2)] #[case::third(3)] fn a(#[case] x: u8) { }", 3),
    ("#[rstest] #[case(1)] #[case(2)] fn a(#[case] x: u8, #[values(1, 2, 3)] y: u8) { }", 6),
    ('#[test_case(1, 2)] #[test_case(3, 4 ; "named")] fn a(x: u8, y: u8) { }', 2),
    ("#[apply(template)] #[rstest] fn a(x: u8) { }", None),
]

WRITTEN_OUT = [
    (
        "#[rstest] #[case(1, 3)] #[case(2, 4)] fn a(#[case] x: u8, #[case] y: u8) { assert_eq!(f(x), y); }",
        ["assert_eq!(f(1), 3)", "assert_eq!(f(2), 4)"],
    ),
    (
        "#[rstest] #[case(1, 3)] fn a(db: Db, #[case] x: u8, #[case] y: u8) { assert_eq!(db.f(x), y); }",
        ["assert_eq!(db.f(1), 3)"],
    ),
    ('#[test_case(1, 3 ; "one")] fn a(x: u8, y: u8) { assert_eq!(f(x), y); }', ["assert_eq!(f(1), 3)"]),
]

HELPERS = [
    (
        "#[test_case(1 => 3)] #[test_case(2 => 4)] fn a(x: u8) -> u8 { f(x) }",
        ["#[test_case(1 => 3)]", "#[test_case(2 => 4)]"],
    ),
    ("#[test] fn a() { check(1); }\nfn check(x: u8) { assert_eq!(x, 3); }", ["assert_eq!(1, 3)"]),
]
