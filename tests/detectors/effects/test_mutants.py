"""Mutants by the shape of the tree: the same faults in every language, and each is another program."""

import pytest
from ast_grep_py import SgRoot

from assay.detectors.effects.mutants import Mutant, SourceText, mutants_of

SOURCES = {
    "python": """
import math


def total(items, tax):
    \"\"\"The sum.\"\"\"
    result = 0
    for price, count in items:
        if count < 7:
            raise ValueError("count")
        result += price * count
    log("total")
    return result == 1 and True
""",
    "kotlin": """
package shop

import kotlin.math.abs

class Cart {
    fun total(items: List<Pair<Int, Int>>): Boolean {
        var result = 0
        for ((price, count) in items) {
            if (count < 7) {
                throw IllegalArgumentException("count")
            }
            result += price * count
        }
        log("total")
        return result == 1 && true
    }
}
""",
    "php": """<?php
namespace Shop;

use Shop\\Log;

class Cart {
    public function total(array $items): bool {
        $result = 0;
        foreach ($items as [$price, $count]) {
            if ($count < 7) {
                throw new InvalidArgumentException("count");
            }
            $result += $price * $count;
        }
        log_it("total");
        return $result == 1 && true;
    }
}
""",
    "swift": """
import Foundation

struct Cart {
    func total(_ items: [(Int, Int)]) throws -> Bool {
        var result = 0
        for (price, count) in items {
            if count < 7 {
                throw CartError.invalid("count")
            }
            result += price * count
        }
        log("total")
        return result == 1 && true
    }
}
""",
}
# What every language has: the rule, the old text and the new one.
EVERYWHERE = {
    ("operator", "<", "<="),
    ("operator", "+=", "-="),
    ("operator", "*", "+"),
    ("operator", "==", "!="),
    ("constant", "0", "1"),
    ("constant", "7", "8"),
    ("constant", "count", "countx"),
    ("constant", "total", "totalx"),
}


def mutants(language: str, text: str | None = None) -> list[Mutant]:
    return mutants_of(SourceText("a", language, SOURCES[language] if text is None else text))


@pytest.mark.parametrize("language", SOURCES)
def test_every_language_has_the_same_faults(language: str) -> None:
    found = {(one.rule, one.old, one.new) for one in mutants(language)}
    assert found >= EVERYWHERE, EVERYWHERE - found
    assert {"condition", "call left out"} <= {rule for rule, _, _ in found}
    assert {old for _, old, _ in found} & {"and", "&&"}
    assert {old for _, old, _ in found} & {"true", "True"}


@pytest.mark.parametrize("language", SOURCES)
def test_a_mutant_is_another_program_that_can_be_parsed(language: str) -> None:
    text = SOURCES[language]
    for one in mutants(language):
        after = one.applied(text)
        assert after != text
        assert text[one.start : one.end] == one.old
        assert SgRoot(after, language).root().find(kind="ERROR") is None, one


@pytest.mark.parametrize("language", SOURCES)
def test_a_mutant_knows_its_function_and_its_statement(language: str) -> None:
    lines = SOURCES[language].splitlines()
    (function,) = {one.function for one in mutants(language)}
    assert "total(" in lines[function - 1]
    for one in mutants(language):
        assert one.first <= one.line <= one.last
    (turned,) = [one for one in mutants(language) if one.old == "7"]
    assert turned.first >= turned.line - 1 - (language == "kotlin")


@pytest.mark.parametrize(
    ("language", "text", "left_out"),
    [
        ("kotlin", "fun f() {\n    save(1)\n}\n", ["save(1)"]),
        ("kotlin", "fun f() = list.map {\n    log()\n    g(it)\n}\n", ["log()"]),
        ("swift", "func f() -> Int {\n    g()\n}\n", []),
        ("swift", "func f() {\n    g()\n    h()\n}\n", ["g()"]),
        ("rust", "fn f() -> i32 {\n    g();\n    h()\n}\n", ["g()"]),
    ],
)
def test_a_call_is_left_out_where_nobody_uses_its_value(language: str, text: str, left_out: list[str]) -> None:
    assert [one.old for one in mutants(language, text) if one.rule == "call left out"] == left_out


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("swift", "func f(_ a: Int?) {\n    if let b = a { g(b) }\n}\n"),
        ("swift", "func f(_ a: Int?) {\n    if case .some = a { g() }\n}\n"),
    ],
)
def test_a_condition_that_binds_a_name_is_left_alone(language: str, text: str) -> None:
    assert "condition" not in {one.rule for one in mutants(language, text)}


def test_a_called_method_is_no_function_around_its_arguments() -> None:
    text = "class A {\n  int f() {\n    return g(\n      3);\n  }\n}\n"
    assert {one.function for one in mutants("java", text)} == {2}


def test_what_has_an_attribute_in_python_is_behaviour_and_an_attribute_in_swift_is_not() -> None:
    assert "," in {one.old for one in mutants("python", 'def f(a):\n    return ",".join(a)\n')}
    assert not mutants("swift", '@available(iOS, deprecated: 13, message: "x")\nfunc f() {}\n')
