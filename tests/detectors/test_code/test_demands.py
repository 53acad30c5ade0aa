"""What an assertion demands, in every language."""

import pytest

from assay.detectors.test_code.model import Strength
from tests.detectors.test_code.languages import CSHARP, GO, JAVA, JAVASCRIPT, RUBY, RUST, Language, rows
from tests.detectors.test_code.tables.csharp import demands as csharp
from tests.detectors.test_code.tables.go import demands as go
from tests.detectors.test_code.tables.java import demands as java
from tests.detectors.test_code.tables.javascript import demands as javascript
from tests.detectors.test_code.tables.ruby import demands as ruby
from tests.detectors.test_code.tables.rust import demands as rust

CURLY = {CSHARP: csharp, JAVA: java, RUST: rust}
ALL = {**CURLY, GO: go, JAVASCRIPT: javascript, RUBY: ruby}
CONSTANTS = {language: tables.CONSTANT for language, tables in CURLY.items()}


@pytest.mark.parametrize(("language", "statement", "strength", "subject", "expected"), rows(ALL, "DEMANDS"))
def test_what_an_assertion_demands(
    language: Language, statement: str, strength: Strength, subject: str, expected: str | None
) -> None:
    found = language.assertion(statement)
    assert (found.strength, found.subject, found.expected) == (strength, subject, expected)
    assert found.reachable
    assert not found.swallowed


@pytest.mark.parametrize(("language", "statement"), rows(CURLY, "ALWAYS_HOLDS"))
def test_an_assertion_that_always_holds(language: Language, statement: str) -> None:
    assert language.assertion(statement).strength is Strength.VACUOUS


@pytest.mark.parametrize(("language", "statement", "tolerance"), rows(ALL, "TOLERANCES"))
def test_the_tolerance_of_a_close_assertion(language: Language, statement: str, tolerance: float | None) -> None:
    found = language.assertion(statement)
    assert found.strength is Strength.CLOSE
    assert found.tolerance == (None if tolerance is None else pytest.approx(tolerance))


@pytest.mark.parametrize(("language", "one", "other"), rows(ALL, "SAME_TEXT"))
def test_the_same_assertion_laid_out_otherwise_is_the_same(language: Language, one: str, other: str) -> None:
    first, second = language.assertion(one), language.assertion(other)
    assert first.text == second.text
    assert (first.strength, first.subject, first.expected) == (second.strength, second.subject, second.expected)


@pytest.mark.parametrize(("language", "one", "other"), rows(CURLY, "SAME_DEMAND"))
def test_the_same_demand_in_other_words(language: Language, one: str, other: str) -> None:
    first, second = language.assertion(one), language.assertion(other)
    assert (first.strength, first.subject, first.expected) == (second.strength, second.subject, second.expected)


@pytest.mark.parametrize(("language", "statements", "expected"), rows(CURLY, "NAMES"))
def test_what_a_name_stands_for(language: Language, statements: str, expected: str) -> None:
    test = language.only(f"{CONSTANTS[language]}\n{language.test_of(statements)}")
    assert [one.expected for one in test.assertions] == [expected]


@pytest.mark.parametrize(("language", "statements", "strength"), rows(CURLY, "NOW_AND_THEN"))
def test_what_is_only_asked_now_and_then_demands_less(
    language: Language, statements: str, strength: Strength
) -> None:
    assert language.asserted(statements)[0].strength is strength
