"""Which assertions of a test run, and whose failure counts, in every language."""

import pytest

from assay.detectors.test_code.model import Strength
from tests.detectors.test_code.languages import CSHARP, GO, JAVA, JAVASCRIPT, RUBY, RUST, Language, rows
from tests.detectors.test_code.tables.csharp import flow as csharp
from tests.detectors.test_code.tables.go import flow as go
from tests.detectors.test_code.tables.java import flow as java
from tests.detectors.test_code.tables.javascript import flow as javascript
from tests.detectors.test_code.tables.ruby import flow as ruby
from tests.detectors.test_code.tables.rust import flow as rust

ALL = {CSHARP: csharp, GO: go, JAVA: java, JAVASCRIPT: javascript, RUBY: ruby, RUST: rust}


@pytest.mark.parametrize(("language", "statements"), rows(ALL, "NEVER_RUNS"))
def test_code_that_never_runs_asserts_nothing(language: Language, statements: str) -> None:
    assert [found.reachable for found in language.asserted(statements)] == [False]


@pytest.mark.parametrize(("language", "statements"), rows(ALL, "SWALLOWED"))
def test_a_failure_that_is_caught_and_dropped(language: Language, statements: str) -> None:
    demanding = [found for found in language.asserted(statements) if found.strength is not Strength.VACUOUS]
    assert [found.swallowed for found in demanding] == [True]


@pytest.mark.parametrize(("language", "statements"), rows(ALL, "COUNTS"))
def test_what_runs_and_counts(language: Language, statements: str) -> None:
    found = language.asserted(statements)
    assert found
    assert all(one.reachable and not one.swallowed for one in found)
