"""What a condition says without running it."""

import pytest

from assay.detectors.test_code.engine.expressions.conditions import condition_demand
from assay.detectors.test_code.engine.expressions.truth import Logic, truth
from assay.detectors.test_code.engine.expressions.words import words_in
from assay.detectors.test_code.languages.javascript import LANGUAGE
from assay.detectors.test_code.model import Strength

VACUOUS, PRESENCE, SHAPE, CLOSE, EXACT = Strength


def words_of(condition: str) -> list[str]:
    return words_in(LANGUAGE.lexicon, condition)


TRUTHS = [
    ("true", True),
    ("0", False),
    ("''", False),
    ("'x'", True),
    ("null", False),
    ("!true", False),
    ("!!x", None),
    ("x", None),
    ("f()", None),
    ("x || true", True),
    ("x && false", False),
    ("x || false", None),
    ("1 === 2", False),
    ("1 < 2", True),
    ("2 !== 2", False),
    ("'a' === 'a'", True),
    ("x === x", True),
    ("f() === f()", None),
    ("(true)", True),
    ("!(x || true)", False),
    ("-1 > 0", False),
    ("[]", True),
    ("a ? b : c", None),
]


@pytest.mark.parametrize(("condition", "expected"), TRUTHS)
def test_truth(condition: str, expected: bool | None) -> None:
    assert truth(words_of(condition)) is expected


def test_names_with_one_value_are_looked_up() -> None:
    assert truth(words_of("ON && x"), {"ON": "false"}) is False


def test_zero_is_true_in_ruby() -> None:
    assert truth(["0"], falsy=frozenset(("false", "nil"))) is True


DEMANDS = [
    ("got === 3", True, EXACT, "got", "3"),
    ("3 == got", True, EXACT, "got", "3"),
    ("got !== 3", False, EXACT, "got", "3"),
    ("got === 3", False, SHAPE, "got", "not 3"),
    ("got !== null", True, PRESENCE, "got", "not null"),
    ("got > 3", True, SHAPE, "got", "> 3"),
    ("!got", False, PRESENCE, "got", None),
    ("a && b === 1", True, EXACT, "b", "1"),
    ("a || b === 1", True, PRESENCE, "a || b === 1", None),
    ("typeof got === 'x'", True, SHAPE, "got", 'instanceof("x")'),
    ("true", True, VACUOUS, "true", "true"),
    ("got.length >= 0", True, VACUOUS, "got.length >= 0", "true"),
]


@pytest.mark.parametrize(("condition", "holds", "strength", "subject", "expected"), DEMANDS)
def test_demands(condition: str, holds: bool, strength: Strength, subject: str, expected: str | None) -> None:
    found = condition_demand(words_of(condition), holds, {}, Logic())
    assert (found.strength, found.subject, found.expected) == (strength, subject, expected)
