"""What is particular to the reader of Rust test code."""

import pytest

from assay.detectors.test_code.model import Strength, Test
from tests.detectors.test_code.languages import RUST

VACUOUS, SHAPE, EXACT = Strength.VACUOUS, Strength.SHAPE, Strength.EXACT


def only(items: str, before: str = "#[cfg(test)]") -> Test:
    """The one test of a module with these items."""
    code = RUST.read(f"{before}\nmod tests {{\n{items}\n}}\n")
    assert code.problems == ()
    (test,) = code.tests
    return test


def test_an_unwrap_is_no_assertion_beside_others() -> None:
    assert RUST.assertion("let x = f().unwrap(); assert_eq!(x, 3);").text == "assert_eq!(x, 3)"


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
    assert [skip.kind for skip in RUST.read("#![cfg(any())]\n#[test] fn a() { }").skips] == ["excluded"]


def test_a_return_under_a_condition_is_a_conditional_skip() -> None:
    (skip,) = RUST.only(RUST.test_of('if std::env::var("CI").is_err() { return; } assert_eq!(x, 3);')).skips
    assert (skip.kind, skip.conditional) == ("skip", True)


def test_production_code_lends_nothing_to_tests() -> None:
    code = RUST.read(
        "pub fn run() { if early() { return; } assert!(ready()); }\n"
        "#[cfg(test)] mod tests { use super::*; #[test] fn a() { run(); assert_eq!(x, 3); } }"
    )
    assert [(len(test.assertions), test.skips) for test in code.tests] == [(1, ())]


def test_production_code_beside_tests_is_no_test() -> None:
    code = RUST.read("pub fn run() { assert!(ready()); }\n#[cfg(test)] mod tests { #[test] fn a() { } }")
    assert [test.identity for test in code.tests] == ["tests > a"]


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
    code = RUST.read("macro_rules! assert_eq { ($($x:tt)*) => {}; }\n#[test] fn a() { assert_eq!(1, x); }")
    assert [one.strength for one in code.tests[0].assertions] == [VACUOUS]


def test_of_two_twins_the_one_that_is_built_counts() -> None:
    test = only("#[cfg(any())] #[test] fn a() { }\n#[cfg(all())] #[test] fn a() { assert_eq!(x, 3); }")
    assert (len(test.assertions), test.skips) == (1, ())


def test_tests_in_macros_count_however_many_there_are() -> None:
    blocks = "".join(f"quickcheck! {{ fn t{number}(x: u8) -> bool {{ f(x) }} }}\n" for number in range(60))
    assert len(RUST.read(blocks).tests) == 60
