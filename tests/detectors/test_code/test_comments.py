"""A comment changes nothing, wherever it stands: it is put into the test files of all corpora."""

from collections.abc import Iterator

import pytest

from assay.checks.assertions_not_weakened import AssertionsNotWeakened
from assay.checks.no_new_skips import NoNewSkips
from assay.core.outcome import Scored
from assay.detectors.test_code.paths import is_test_file, language_of
from tests.attacks.corpus.cases import cases
from tests.checks.fake_workspace import edited
from tests.detectors.test_code.test_refactorings import changes
from tests.sampling import sampled

Files = dict[tuple[str, str], None]


def corpora() -> Iterator[tuple[str, str]]:
    """Every file of the corpora that is a test, with its path."""
    for _, before, after, *_ in changes():
        yield from [*before.items(), *after.items()]
    for case in cases():
        yield from case.project.items()


def files() -> dict[str, list[tuple[str, str]]]:
    found: dict[str, dict[tuple[str, str], None]] = {}
    for path, text in corpora():
        language = language_of(path)
        if language is not None and is_test_file(path):
            found.setdefault(language, {})[path, text] = None
    return {language: list(texts) for language, texts in found.items()}


FILES = files()


def with_comments(text: str, language: str) -> Iterator[str]:
    """With a comment at the end, and with one at the first empty line."""
    comment = "# A remark." if language in ("python", "ruby") else "// A remark."
    yield f"{text.rstrip()}\n{comment}\n"
    if "\n\n" in text:
        yield text.replace("\n\n", f"\n\n{comment}\n", 1)


def findings(path: str, before: str, after: str) -> list[object]:
    found: list[object] = []
    for check in (AssertionsNotWeakened(), NoNewSkips()):
        outcome = check.run(edited(path, before, after))
        if isinstance(outcome, Scored):
            listed = outcome.evidence["findings"]
            assert isinstance(listed, list)
            found += listed
    return found


def test_the_corpora_have_all_languages() -> None:
    assert set(FILES) == {"csharp", "go", "java", "javascript", "python", "ruby", "rust", "typescript"}
    assert sum(map(len, FILES.values())) > 200


@pytest.mark.parametrize("language", sorted(FILES))
def test_a_comment_is_nothing(language: str) -> None:
    flagged = [
        (path, text, found)
        for path, text in sampled(FILES[language], 5)
        for after in with_comments(text, language)
        if (found := findings(path, text, after))
    ]
    assert flagged == []


@pytest.mark.parametrize("language", sorted(FILES))
def test_it_is_nothing_where_tests_share_a_name(language: str) -> None:
    """All tests are there twice, the second time with another expectation."""
    flagged = [
        (path, text, found)
        for path, text in sampled(FILES[language], 5)
        for twice in [f"{text}\n{text.replace('1', '7')}"]
        for after in with_comments(twice, language)
        if (found := findings(path, twice, after))
    ]
    assert flagged == []
