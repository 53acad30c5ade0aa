"""What skips a test, in every language."""

import pytest

from tests.detectors.test_code.languages import CSHARP, GO, JAVA, JAVASCRIPT, RUBY, RUST, Language, rows
from tests.detectors.test_code.tables.csharp import skips as csharp
from tests.detectors.test_code.tables.go import skips as go
from tests.detectors.test_code.tables.java import skips as java
from tests.detectors.test_code.tables.javascript import skips as javascript
from tests.detectors.test_code.tables.ruby import skips as ruby
from tests.detectors.test_code.tables.rust import skips as rust

ALL = {CSHARP: csharp, GO: go, JAVA: java, JAVASCRIPT: javascript, RUBY: ruby, RUST: rust}
WITH_GROUPS = {GO: go, JAVASCRIPT: javascript, RUBY: ruby}


@pytest.mark.parametrize(("language", "items", "kind", "conditional"), rows(ALL, "SKIPS"))
def test_what_skips_a_test(language: Language, items: str, kind: str, conditional: bool) -> None:
    (skip,) = language.only(items).skips
    assert (skip.kind, skip.conditional) == (kind, conditional)


@pytest.mark.parametrize(("language", "items"), rows(ALL, "NO_SKIPS"))
def test_what_skips_nothing(language: Language, items: str) -> None:
    assert language.only(items).skips == ()


@pytest.mark.parametrize(("language", "items", "kinds"), rows(WITH_GROUPS, "SKIPS_OF_EACH"))
def test_what_skips_each_test_of_a_file(language: Language, items: str, kinds: dict[str, list[str]]) -> None:
    tests = language.code(items).tests
    assert {test.identity: [skip.kind for skip in test.skips] for test in tests} == kinds
    assert not any(skip.conditional for test in tests for skip in test.skips)
