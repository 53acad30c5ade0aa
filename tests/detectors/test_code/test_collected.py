"""What is a test, what it is called and how often it runs, in every language."""

import pytest

from tests.detectors.test_code.languages import (
    CSHARP,
    GO,
    JAVA,
    JAVASCRIPT,
    RUBY,
    RUST,
    TYPESCRIPT,
    Language,
    rows,
)
from tests.detectors.test_code.tables.csharp import collected as csharp
from tests.detectors.test_code.tables.go import collected as go
from tests.detectors.test_code.tables.java import collected as java
from tests.detectors.test_code.tables.javascript import collected as javascript
from tests.detectors.test_code.tables.ruby import collected as ruby
from tests.detectors.test_code.tables.rust import collected as rust

CURLY = {CSHARP: csharp, JAVA: java, RUST: rust}
ALL = {**CURLY, GO: go, JAVASCRIPT: javascript, RUBY: ruby}


# In JavaScript, a runner collects whatever is a test.
@pytest.mark.parametrize(("language", "items", "collected"), rows({**CURLY, GO: go, RUBY: ruby}, "COLLECTED"))
def test_whether_a_runner_collects_it(language: Language, items: str, collected: bool) -> None:
    assert language.only(items).collected is collected


@pytest.mark.parametrize(("language", "items"), rows(ALL, "NO_TESTS"))
def test_what_is_no_test(language: Language, items: str) -> None:
    """A function that asserts is kept for tests in other files that may call it, but no runner collects it."""
    assert [test for test in language.code(items).tests if test.collected or not test.assertions] == []


@pytest.mark.parametrize(("language", "items", "identities"), rows(ALL, "IDENTITIES"))
def test_identities_are_the_path_of_names(language: Language, items: str, identities: list[str]) -> None:
    assert [test.identity for test in language.code(items).tests] == identities


@pytest.mark.parametrize(
    ("language", "items", "cases"), rows({**CURLY, GO: go, RUBY: ruby, TYPESCRIPT: javascript}, "CASES")
)
def test_how_often_it_runs(language: Language, items: str, cases: int | None) -> None:
    assert language.only(items).cases == cases


@pytest.mark.parametrize(("language", "items", "texts"), rows(CURLY, "WRITTEN_OUT"))
def test_rows_of_literals_are_written_out(language: Language, items: str, texts: list[str]) -> None:
    assert [one.text for one in language.only(items).assertions] == texts


@pytest.mark.parametrize(("language", "items", "texts"), rows({**CURLY, RUBY: ruby}, "HELPERS"))
def test_assertions_in_a_function_of_the_file_count(language: Language, items: str, texts: list[str]) -> None:
    assert [one.text for one in language.only(items).assertions] == texts
