"""Which tests of Rust reach a mutant, with a real cargo; and that only those are run."""

import os
import shutil
from pathlib import Path

import pytest

from assay.detectors.effects.choose import mutants_in
from assay.detectors.effects.mutants import Mutant, SourceText
from assay.detectors.effects.reach import Everything
from assay.detectors.effects.sides import THOSE_THAT_REACH_IT, EffectSide, Noticed
from assay.detectors.effects.suite import Suite
from assay.detectors.effects.watch.cargo import FunctionPlace, bodies_of, read_threads
from assay.detectors.effects.watch.find import watch_for
from assay.evidence.workspace import AS_LEFT
from assay.formats.test_reports.rule import ReportRule
from tests.checks.small_project import project

LIB = """pub const fn limit() -> u32 { 7 }

pub fn label(count: u32) -> String {
    if count == 1 {
        return "one".to_string();
    }
    (0..count).map(|number| (number + 5).to_string()).collect()
}

pub fn apart(number: u32) -> u32 {
    std::thread::spawn(move || helper(number)).join().unwrap()
}

fn helper(number: u32) -> u32 {
    number * 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one() {
        assert_eq!(label(1), "one");
    }

    #[test]
    fn in_a_thread() {
        assert_eq!(apart(2), 6);
        assert_eq!(limit(), 7);
    }
}
"""
FILES = {
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n\n[lib]\ndoctest = false\n',
    "Cargo.lock": 'version = 3\n\n[[package]]\nname = "shop"\nversion = "0.1.0"\n',
    "src/lib.rs": LIB,
    "tests/outside.rs": '#[test]\nfn two() {\n    assert_eq!(shop::label(2), "56");\n}\n',
}
REPORT = ReportRule("report.json", "cargo")
# Commands see none of our environment.
AROUND = "".join(f"export {name}='{os.environ.get(name, '')}'; " for name in ("HOME", "PATH"))
COMMAND = f"{AROUND}RUSTC_BOOTSTRAP=1 cargo test --offline -- -Z unstable-options --format json > report.json"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> EffectSide:
    if shutil.which("cargo") is None:
        pytest.skip("cargo isn't installed")
    evidence, suite = project(tmp_path_factory.mktemp("shop"), {}, FILES), Suite(COMMAND, 200, REPORT)
    return EffectSide(suite, watch_for(suite, evidence, "abcdefgh"), AS_LEFT, evidence)


def mutant_of(found: EffectSide, old: str, line: int) -> Mutant:
    return next(one for one, _ in mutants_in(found.evidence, ["src/lib.rs"]) if (one.old, one.line) == (old, line))


@pytest.mark.parametrize(
    ("old", "line", "tests"),
    [
        ("==", 4, ["tests::one", "two"]),
        # A closure belongs to the function around it.
        ("5", 7, ["tests::one", "two"]),
        # Whose thread it is isn't known, and a constant function notes nothing.
        ("3", 15, None),
        ("7", 1, None),
    ],
)
def test_the_tests_that_run_a_function(old: str, line: int, tests: list[str] | None, found: EffectSide) -> None:
    assert found.base.passed == {"tests.one", "tests.in_a_thread", "two"}
    mutant = mutant_of(found, old, line)
    assert found.chooses_for(mutant) is (tests is not None)
    assert found.reach is not None
    assert found.reach.has(mutant)
    assert tests is None or found.reach.reaching(mutant, found.base.passed) == tests


def test_only_chosen_tests_are_run(found: EffectSide) -> None:
    assert found.selects
    told = found.noticed(mutant_of(found, "5", 7), LIB, 200, THOSE_THAT_REACH_IT)
    assert isinstance(told, Noticed)
    assert told.tests == {"two"}


@pytest.mark.parametrize("setting", ['[target.x86_64-unknown-linux-gnu]\nrunner = "true"\n'])
def test_somebody_else_decides_what_tests_are_started_with(setting: str, tmp_path: Path) -> None:
    evidence = project(tmp_path, {}, {**FILES, ".cargo/config.toml": setting})
    assert watch_for(Suite(COMMAND, 60, REPORT), evidence, "abcdefgh") is None


def test_a_note_goes_into_every_body_that_can_hold_it() -> None:
    text = "const fn a() { 1 }\nfn b() { fn c() {} }\nfn d() {\n    #![allow(dead_code)]\n}\ntrait T { fn e(); }\n"
    found = bodies_of(SourceText("a.rs", "rust", text))
    assert [(one.first, text[: one.at].rsplit(" ", 2)[-2]) for one in found] == [(2, "b()"), (2, "c()")]


PLACES = (FunctionPlace("a.rs", 1, 3), FunctionPlace("a.rs", 5, 9), FunctionPlace("a.rs", 6, 7))


def test_notes_are_told_apart_by_thread() -> None:
    reach = read_threads(b"0 t::a\n1 t::a\n2 t::b\n1 \n", frozenset({"t.a", "t.b", "t.c"}), PLACES)
    assert reach is not None
    mutants = {line: Mutant("a.rs", line, 0, 1, "x", "y", "constant", line) for line in (2, 4, 6, 9)}
    passed = frozenset({"t.a", "t.b", "t.c"})
    assert isinstance(reach.tests["t::c"], Everything)
    assert {line: reach.known.mutant(one) for line, one in mutants.items()} == {
        2: True,
        4: False,
        6: True,
        9: False,
    }
    assert reach.reaching(mutants[2], passed) == ["t::a", "t::c"]
    assert reach.reaching(mutants[6], passed) == ["t::b", "t::c"]


@pytest.mark.parametrize("data", [None, b"", b"x\n", b"7 a\n", b"-1 a\n"])
def test_notes_that_are_something_else(data: bytes | None) -> None:
    assert read_threads(data, frozenset({"a"}), PLACES) is None
