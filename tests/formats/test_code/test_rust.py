"""What the reader of Rust test code understands, as tables of cases."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.formats.test_code.model import Assertion, Strength, Test
from assay.formats.test_code.rust import read_rust

VACUOUS, PRESENCE, SHAPE, CLOSE, EXACT = Strength


def only(items: str, before: str = "#[cfg(test)]") -> Test:
    """The one test of a module with these items."""
    code = read_rust(f"{before}\nmod tests {{\n{items}\n}}\n")
    assert code.problems == ()
    (test,) = code.tests
    return test


def body(statements: str) -> Test:
    return only(f"#[test] fn a() {{ {statements} }}")


def assertion(statement: str) -> Assertion:
    (found,) = body(statement).assertions
    return found


@pytest.mark.parametrize(
    ("statement", "strength", "subject", "expected"),
    [
        ("assert_eq!(add(1, 2), 3);", EXACT, "add(1, 2)", "3"),
        ("assert_eq!(3, add(1, 2));", EXACT, "add(1, 2)", "3"),
        ('assert_eq!(add(1, 2), 3, "sum of {}", x);', EXACT, "add(1, 2)", "3"),
        ("pretty_assertions::assert_eq!(x, vec![1, 2]);", EXACT, "x", "[1, 2]"),
        ("assert_eq!(&x, &3);", EXACT, "x", "3"),
        ("assert_eq!(x.is_ok(), true);", PRESENCE, "x", None),
        ("debug_assert_eq!(x, 3);", EXACT, "x", "3"),
        ("prop_assert_eq!(x, y);", EXACT, "x", "y"),
        ("assert_ne!(x, 3);", SHAPE, "x", "not 3"),
        ("assert_ne!(x, None);", PRESENCE, "x", "not None"),
        ("assert!(ok(x));", SHAPE, "ok(x)", "true"),
        ("assert!(!ok(x));", SHAPE, "ok(x)", "false"),
        ("assert!(x == 3);", EXACT, "x", "3"),
        ('assert!(x == 3, "because");', EXACT, "x", "3"),
        ("assert!(x > 3);", SHAPE, "x", ">3"),
        ("assert!(x.is_ok());", PRESENCE, "x", None),
        ("assert!(x.is_some());", PRESENCE, "x", "not None"),
        ("assert!(x.is_none());", EXACT, "x", "None"),
        ("assert!(x.is_err());", SHAPE, "x", "an error"),
        ("assert!(x == 3 && y > 1);", EXACT, "x==3&&y>1", None),
        ("assert!(x == 3 || y > 1);", SHAPE, "x==3||y>1", None),
        ("assert!((a - b).abs() < 1e-6);", CLOSE, "(a-b)", None),
        ("assert!(matches!(x, Err(Error::Late)));", SHAPE, "x", "Err(Error::Late)"),
        ("assert!(matches!(x, Ok(_)));", PRESENCE, "x", "Ok(_)"),
        ("assert_matches!(x, Some(3));", SHAPE, "x", "Some(3)"),
        ("assert_relative_eq!(x, 1.0, epsilon = 1e-3);", CLOSE, "x", "1.0"),
        ("assert_approx_eq!(x, 1.0);", CLOSE, "x", "1.0"),
        ("assert!(abs_diff_eq!(x, 1.0, epsilon = 0.1));", CLOSE, "x", "1.0"),
        ("insta::assert_snapshot!(x);", EXACT, "x", "snapshot"),
        ("assert_ok!(x);", PRESENCE, "x", None),
        ("assert_tree!(x, 3);", EXACT, "x", "3"),
        ('panic!("no");', SHAPE, "fail", None),
        ('match x { Some(3) => {} _ => panic!("no") }', SHAPE, "fail", None),
        ("f(1).unwrap();", PRESENCE, "f(1)", None),
        ('f(1).expect("works");', PRESENCE, "f(1)", None),
        ("f(1).unwrap_err();", SHAPE, "f(1)", None),
        ("cmd.assert().success();", SHAPE, "cmd", "success()"),
        ('expect![["3"]].assert_eq(&x);', EXACT, "x", 'expect![["3"]]'),
        ("rt.block_on(async { assert_eq!(f().await, 3); });", EXACT, "f().await", "3"),
        ("for x in xs { assert_eq!(x, 3); }", EXACT, "x", "3"),
        ("within! { assert_eq!(x, 3); }", EXACT, "x", "3"),
    ],
)
def test_what_an_assertion_demands(statement: str, strength: Strength, subject: str, expected: str | None) -> None:
    found = assertion(statement)
    assert (found.strength, found.subject, found.expected) == (strength, subject, expected)
    assert found.reachable
    assert not found.swallowed


@pytest.mark.parametrize(
    "statement",
    [
        "assert!(true);",
        "assert!(x == x);",
        "assert!(x == 3 || true);",
        "assert!(!false);",
        "assert!(x.is_ok() || x.is_err());",
        "assert!(matches!(x, Ok(_) | Err(_)));",
        "assert!(1 < 2);",
        "assert!(xs.len() >= 0);",
        "assert_eq!(1, 1);",
        "assert_eq!(x, x);",
        "assert_eq!(&x, &x);",
        "assert_ne!(1, 2);",
        "assert!(matches!(x, _));",
        "assert_matches!(x, _);",
        "assert_relative_eq!(x, x, epsilon = 0.1);",
    ],
)
def test_an_assertion_that_always_holds(statement: str) -> None:
    assert assertion(statement).strength is VACUOUS


@pytest.mark.parametrize(
    ("statement", "tolerance"),
    [
        ("assert_relative_eq!(x, 1.0, epsilon = 0.5);", 0.5),
        ("assert_relative_eq!(x, 1.0, epsilon = 0.5, max_relative = 0.75);", 0.75),
        ("assert_abs_diff_eq!(x, 1.0, epsilon = 1e3);", 1000.0),
        ("assert_approx_eq!(x, 1.0, 0.25);", 0.25),
        ("assert_relative_eq!(x, 1.0);", None),
        ("assert!((x - 1.0).abs() <= 0.125);", 0.125),
        ("assert!((x - 1.0).abs() < f64::EPSILON);", None),
        ("assert!(f64::abs(x - 1.0) < 0.5_f64);", 0.5),
    ],
)
def test_the_tolerance_of_a_close_assertion(statement: str, tolerance: float | None) -> None:
    assert (assertion(statement).strength, assertion(statement).tolerance) == (CLOSE, tolerance)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("assert_eq!(add(1, 2), 3);", "assert_eq!(\n    add( 1,2, ), // the sum\n    3,\n);"),
        ("assert_eq!(x, 3);", "std::assert_eq!(x, 3);"),
        ("assert_eq!(x, 3);", 'assert_eq!(x, 3, "message {}", x);'),
        ("assert!(x == 3);", "assert!((x == 3));"),
        ('assert_eq!(x, "a");', 'assert_eq!(x, r"a");'),
        ("assert_eq!(x, 1_000);", "assert_eq!(x, 1000);"),
        ("assert_eq!(x, 3);", "assert_eq! { x, 3 }"),
    ],
)
def test_the_same_assertion_laid_out_otherwise_is_the_same(one: str, other: str) -> None:
    assert assertion(one).text == assertion(other).text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("assert_eq!(x, 3);", "assert!(x == 3);"),
        ("assert_eq!(xs, vec![1, 2]);", "assert_eq!(xs, &[1, 2]);"),
        ("assert_eq!(x, None);", "assert!(x.is_none());"),
        ("assert_ne!(x, None);", "assert!(x.is_some());"),
        ("assert!(!x.is_ok());", "assert!(x.is_err());"),
        ("assert!(xs.contains(&3));", "assert_eq!(xs.contains(&3), true);"),
        ("assert!(!(x > 3));", "assert!(x <= 3);"),
    ],
)
def test_the_same_demand_in_other_words(one: str, other: str) -> None:
    first, second = assertion(one), assertion(other)
    assert (first.strength, first.subject, first.expected) == (second.strength, second.subject, second.expected)


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ("let expected = 3; assert_eq!(f(), expected);", "3"),
        ("let expected: Vec<i32> = vec![1, 2]; assert_eq!(f(), expected);", "[1, 2]"),
        ("let mut expected = 3; expected += 1; assert_eq!(f(), expected);", "expected"),
        ("let expected = g(); assert_eq!(f(), expected);", "expected"),
        ("assert_eq!(f(), LIMIT);", "9"),
    ],
)
def test_what_a_name_stands_for(statements: str, expected: str) -> None:
    test = only(f"const LIMIT: u8 = 9;\n#[test] fn a() {{ {statements} }}")
    assert [one.expected for one in test.assertions] == [expected]


def test_a_name_that_hides_a_tautology() -> None:
    assert assertion("let result = 3; assert_eq!(result, 3);").strength is VACUOUS


@pytest.mark.parametrize(
    ("statements", "strength"),
    [
        ("if let Ok(y) = f() { assert_eq!(y, 3); }", CLOSE),
        ("if let Ok(y) = f() { assert_eq!(y, 3); } else { panic!() }", EXACT),
        ("match f() { Ok(y) => assert_eq!(y, 3), Err(_) => panic!() }", EXACT),
        ("for y in f() { if y > 0 { assert_eq!(y, 3); } }", EXACT),
    ],
)
def test_what_is_only_asked_now_and_then_demands_less(statements: str, strength: Strength) -> None:
    assert body(statements).assertions[0].strength is strength


def test_an_unwrap_is_no_assertion_beside_others() -> None:
    assert [one.text for one in body("let x = f().unwrap(); assert_eq!(x, 3);").assertions] == ["assert_eq!(x, 3)"]


@pytest.mark.parametrize(
    "statements",
    [
        "if false { assert_eq!(x, 3); }",
        "if cfg!(any()) { assert_eq!(x, 3); }",
        "if 1 > 2 { } else if false { assert_eq!(x, 3); }",
        "return; assert_eq!(x, 3);",
        "if true { return; } assert_eq!(x, 3);",
        "if x { return; } else { return; } assert_eq!(x, 3);",
        "unsafe { return; } assert_eq!(x, 3);",
        "loop { break; assert_eq!(x, 3); }",
        "while false { assert_eq!(x, 3); }",
        "#[cfg(any())] assert_eq!(x, 3);",
        "#[cfg(FALSE)] { assert_eq!(x, 3); }",
        "for _ in 0..0 { assert_eq!(x, 3); }",
        "(0..0).for_each(|y| assert_eq!(y, 3));",
        "[].iter().for_each(|y| { assert_eq!(y, 3); });",
        "for y in [] { assert_eq!(y, 3); }",
        "std::process::exit(0); assert_eq!(x, 3);",
        "let never = || { assert_eq!(x, 3); };",
        "let _unused = async { assert_eq!(x, 3); };",
        "fn never() { assert_eq!(x, 3); }",
        "let run = false; if run { assert_eq!(x, 3); }",
        "const RUN: bool = false; if RUN { assert_eq!(x, 3); }",
    ],
)
def test_code_that_never_runs_asserts_nothing(statements: str) -> None:
    assert not body(statements).assertions[-1].reachable


@pytest.mark.parametrize(
    "statements",
    [
        "if x { return; } assert_eq!(x, 3);",
        "if x { assert_eq!(x, 3); }",
        "#[cfg(windows)] return; assert_eq!(x, 3);",
        "#[cfg(any())] return; assert_eq!(x, 3);",
        "#[cfg(unix)] assert_eq!(x, 3);",
        "let Some(x) = f() else { return; }; assert_eq!(x, 3);",
        "let y = match f() { Some(y) => y, None => return, }; assert_eq!(y, 3);",
        "xs.iter().for_each(|x| { if *x { return; } }); assert_eq!(x, 3);",
        "loop { if x { break; } } assert_eq!(x, 3);",
        "for i in 0..3 { if i == 1 { continue; } assert_eq!(x, 3); }",
        "fn check(x: i32) { assert_eq!(x, 3); } check(1);",
        "check(1); fn check(x: i32) { assert_eq!(x, 3); }",
        "let check = |x| assert_eq!(x, 3); check(1);",
        "let mut run = false; run = true; if run { assert_eq!(x, 3); }",
        "let block = async { assert_eq!(x, 3); }; rt.block_on(block);",
        "while let Some(x) = it.next() { assert_eq!(x, 3); }",
    ],
)
def test_code_that_may_run_asserts(statements: str) -> None:
    assert body(statements).assertions[-1].reachable


@pytest.mark.parametrize(
    ("statements", "swallowed"),
    [
        ("let _ = std::panic::catch_unwind(|| { assert_eq!(x, 3); });", True),
        ("let _ = panic::catch_unwind(AssertUnwindSafe(|| assert_eq!(x, 3)));", True),
        ("let r = catch_unwind(|| { assert_eq!(x, 3); });", True),
        ("catch_unwind(|| { assert_eq!(x, 3); }).ok();", True),
        ("std::thread::spawn(move || { assert_eq!(x, 3); });", True),
        ("catch_unwind(|| { assert_eq!(x, 3); }).unwrap();", False),
        ("let r = catch_unwind(|| { assert_eq!(x, 3); }); assert!(r.is_ok());", False),
        ("let t = thread::spawn(move || { assert_eq!(x, 3); }); t.join().unwrap();", False),
        ("thread::spawn(move || { assert_eq!(x, 3); }).join().unwrap();", False),
        ("tokio::spawn(async move { assert_eq!(x, 3); }).await.unwrap();", False),
        ("thread::scope(|s| { s.spawn(|| assert_eq!(x, 3)); });", False),
    ],
)
def test_a_panic_that_is_caught_and_dropped(statements: str, swallowed: bool) -> None:
    assert body(statements).assertions[0].swallowed is swallowed


@pytest.mark.parametrize(
    ("attributes", "kind", "conditional"),
    [
        ("#[test] #[ignore]", "skip", False),
        ('#[test] #[ignore = "later"]', "skip", False),
        ("#[ignore] #[tokio::test]", "skip", False),
        ("#[test] #[cfg_attr(all(), ignore)]", "skip", False),
        ('#[test] #[cfg_attr(test, ignore = "later")]', "skip", False),
        ("#[test] #[cfg_attr(windows, ignore)]", "skip", True),
        ("#[test] #[cfg_attr(miri, ignore)]", "skip", True),
        ("#[cfg(any())] #[test]", "excluded", False),
        ("#[cfg(FALSE)] #[test]", "excluded", False),
        ('#[cfg(feature = "never")] #[test]', "excluded", False),
        ('#[cfg(feature = "serde")] #[test]', "excluded", True),
        ("#[cfg(not(test))] #[test]", "excluded", False),
        ("#[cfg(all(test, not(all())))] #[test]", "excluded", False),
        ("#[cfg(unix)] #[test]", "excluded", True),
        ('#[cfg(target_os = "linux")] #[test]', "excluded", True),
        ("#[test_case(1 => ignore)]", "skip", False),
    ],
)
def test_what_skips_a_test(attributes: str, kind: str, conditional: bool) -> None:
    (skip,) = only(f"{attributes}\nfn a() {{ }}").skips
    assert (skip.kind, skip.conditional) == (kind, conditional)


@pytest.mark.parametrize(
    "items",
    [
        "#[test] #[cfg(test)] fn a() { }",
        "#[test] #[cfg_attr(any(), ignore)] fn a() { }",
        "#[test] #[cfg(not(any()))] fn a() { }",
        '/// #[ignore]\n// ignore\n#[test] fn a() { let ignore = "#[ignore]"; }',
        "#[ignore] struct X;\n#[test] fn a() { }",
        '#[test] #[doc = "ignore"] fn a() { }',
        "#[cfg(windows)] use foo::bar;\n#[test] fn a() { }",
    ],
)
def test_what_skips_nothing(items: str) -> None:
    assert only(items).skips == ()


@pytest.mark.parametrize(
    ("before", "kinds"),
    [
        ("#[cfg(test)]", []),
        ("", []),
        ("#[cfg(any())]", ["excluded"]),
        ("#[cfg(all(test, FALSE))]", ["excluded"]),
        ("#![cfg(any())]", ["excluded"]),
        ("#![cfg(any())] #[cfg(FALSE)]", ["excluded", "excluded"]),
    ],
)
def test_modules_and_files_skip_what_is_in_them(before: str, kinds: list[str]) -> None:
    test = only("#[test] fn a() { }", before)
    assert [skip.kind for skip in test.skips] == kinds
    assert test.identity == "tests > a"


def test_a_skip_of_the_whole_file_stands_on_the_file_too() -> None:
    assert [skip.kind for skip in read_rust("#![cfg(any())]\n#[test] fn a() { }").skips] == ["excluded"]


def test_a_return_under_a_condition_is_a_conditional_skip() -> None:
    (skip,) = body('if std::env::var("CI").is_err() { return; } assert_eq!(x, 3);').skips
    assert (skip.kind, skip.conditional) == ("skip", True)


@pytest.mark.parametrize(
    ("item", "collected"),
    [
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
    ],
)
def test_whether_the_harness_collects_it(item: str, collected: bool) -> None:
    assert only(item).collected is collected


@pytest.mark.parametrize(
    "item",
    [
        "fn check(x: u8) { assert_eq!(x, 3); }",
        "fn make() -> Foo { Foo::new() }",
        "impl Foo { fn a(&self) { assert_eq!(self.x, 3); } }",
        "const X: u8 = 3;",
        "fn test_options() -> Options { Options::new() }",
    ],
)
def test_what_is_no_test(item: str) -> None:
    assert read_rust(f"#[cfg(test)]\nmod tests {{ {item} }}").tests == ()


def test_production_code_lends_nothing_to_tests() -> None:
    code = read_rust(
        "pub fn run() { if early() { return; } assert!(ready()); }\n"
        "#[cfg(test)] mod tests { use super::*; #[test] fn a() { run(); assert_eq!(x, 3); } }"
    )
    assert [(len(test.assertions), test.skips) for test in code.tests] == [(1, ())]


def test_every_function_of_a_quickcheck_macro_is_a_test() -> None:
    test = only("quickcheck::quickcheck! { fn a(x: u8) -> bool { let y = x; y == x } }")
    assert (test.identity, test.collected) == ("tests > a", True)


def test_production_code_beside_tests_is_no_test() -> None:
    code = read_rust("pub fn run() { assert!(ready()); }\n#[cfg(test)] mod tests { #[test] fn a() { } }")
    assert [test.identity for test in code.tests] == ["tests > a"]


@pytest.mark.parametrize(
    ("item", "cases"),
    [
        ("#[test] fn a() { }", 1),
        ("#[rstest] #[case(1)] #[case(2)] #[case::third(3)] fn a(#[case] x: u8) { }", 3),
        ("#[rstest] #[case(1)] #[case(2)] fn a(#[case] x: u8, #[values(1, 2, 3)] y: u8) { }", 6),
        ('#[test_case(1, 2)] #[test_case(3, 4 ; "named")] fn a(x: u8, y: u8) { }', 2),
        ("#[apply(template)] #[rstest] fn a(x: u8) { }", None),
    ],
)
def test_how_often_parameters_make_it_run(item: str, cases: int | None) -> None:
    assert only(item).cases == cases


@pytest.mark.parametrize(
    ("attribute", "strength", "swallowed"),
    [
        ("#[should_panic]", SHAPE, [True, True]),
        ('#[should_panic(expected = "overflow")]', EXACT, [False, True]),
        ('#[should_panic(expected = "assertion")]', EXACT, [True, True]),
        ('#[should_panic(expected = "")]', SHAPE, [True, True]),
    ],
)
def test_a_panic_that_must_come_turns_assertions_around(
    attribute: str, strength: Strength, swallowed: list[bool]
) -> None:
    test = only(f"#[test]\n{attribute}\nfn a() {{\n    assert_eq!(x, 3);\n    assert_eq!(y, 3);\n}}")
    demanded, *others = test.assertions
    assert demanded.strength is strength
    assert [one.swallowed for one in others] == swallowed


def test_a_macro_that_only_looks_like_an_assertion() -> None:
    code = read_rust("macro_rules! assert_eq { ($($x:tt)*) => {}; }\n#[test] fn a() { assert_eq!(1, x); }")
    assert [one.strength for one in code.tests[0].assertions] == [VACUOUS]


def test_assertions_moved_into_a_function_of_the_file_still_count() -> None:
    test = only("#[test] fn a() { check(1); }\nfn check(x: u8) { assert_eq!(x, 3); }")
    assert [one.text for one in test.assertions] == ["assert_eq!(x, 3)"]


def test_of_two_twins_the_one_that_is_built_counts() -> None:
    test = only("#[cfg(any())] #[test] fn a() { }\n#[cfg(all())] #[test] fn a() { assert_eq!(x, 3); }")
    assert (len(test.assertions), test.skips) == (1, ())


def test_lines_and_the_languages_name() -> None:
    code = read_rust("mod tests {\n  #[test]\n  fn a() {\n    assert_eq!(x, 3);\n  }\n}\n")
    assert code.language == "rust"
    assert [(test.line, test.end_line, test.assertions[0].line) for test in code.tests] == [(2, 5, 4)]


def test_what_is_no_rust_is_a_problem() -> None:
    assert read_rust("#[test] fn a( { assert_eq!(3; ]] fn }").problems


_PIECES = st.sampled_from(
    [
        "mod tests {", "#[test] ", "fn a() {", "}", "(", ")", "assert_eq!(3, x);", "assert!(", "#[cfg(",
        "any())]", "proptest! {", "if ", "catch_unwind(|| ", "return;", "#[ignore", "]", '"', "'", "/*",
        "//", "\n", "|", "<", 'r#"', "!", "\x00", "\ud800", "é", "\\",
    ]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), st.lists(_PIECES).map("".join)))
def test_no_text_raises(text: str) -> None:
    assert read_rust(text).language == "rust"


@pytest.mark.parametrize(
    "piece", ["{", "(", "assert!(", "a(", "!", "if true {", "mod a {", "#[cfg(not(", "proptest! {", "&"]
)
def test_nesting_without_end_raises_nothing(piece: str) -> None:
    assert read_rust("#[test] fn a() { " + piece * 3_000).language == "rust"
    assert read_rust(piece * 3_000).language == "rust"


@pytest.mark.parametrize(
    ("item", "texts"),
    [
        (
            "#[rstest] #[case(1, 3)] #[case(2, 4)] fn a(#[case] x: u8, #[case] y: u8) { assert_eq!(f(x), y); }",
            ["assert_eq!(f(1), 3)", "assert_eq!(f(2), 4)"],
        ),
        (
            "#[rstest] #[case(1, 3)] fn a(db: Db, #[case] x: u8, #[case] y: u8) { assert_eq!(db.f(x), y); }",
            ["assert_eq!(db.f(1), 3)"],
        ),
        ('#[test_case(1, 3 ; "one")] fn a(x: u8, y: u8) { assert_eq!(f(x), y); }', ["assert_eq!(f(1), 3)"]),
    ],
)
def test_rows_of_literals_are_written_out(item: str, texts: list[str]) -> None:
    assert [one.text for one in only(item).assertions] == texts
