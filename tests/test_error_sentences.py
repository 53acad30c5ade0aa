"""Every error sentence is on one page, and reads as a colleague would say it."""

import functools
import re

import pytest

from docs.error_sentences import Sentence, error_sentences, sentences_of
from tests.builders import REPO

PAGE = REPO / "docs" / "evidence" / "error-sentences.md"

# Turns of phrase that nobody uses at the next desk. The right column says what to write instead.
ODD = {
    r"(?<!there )\bis no\b(?! longer)": "isn't, or: must be … got …",
    r"(?<!there )\bare no\b(?! longer)": "aren't, or: there are no",
    r"\bis none\b": "there is no …",
    r"\bit is that\b": "name the thing",
    r"\bsay with\b": "pass --option",
    r"\bfor want of\b": "since there is no",
    r"\btaken up\b": "resumed",
    r"\bstands\b": "is",
    r"\bto be worth\b": "to score",
    r"\bis held against\b": "is compared with",
}


@functools.cache
def sentences() -> list[Sentence]:
    return error_sentences()


def test_no_sentence_is_missing_from_the_page() -> None:
    page = PAGE.read_text().splitlines()
    missing = [one for one in sentences() for line in one.text.splitlines() if line.rstrip() not in page]
    assert missing == []


@pytest.mark.parametrize("odd", ODD)
def test_errors_are_in_plain_words(odd: str) -> None:
    found = [f"{one.module}:{one.line}: {one.text}" for one in sentences() if re.search(odd, one.text)]
    assert found == [], f"instead of {odd!r}, write {ODD[odd]!r}"


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ("raise InputError('one sentence')", ["one sentence"]),
        ("raise InputError(f'there is no {path!r} in {self._folder}')", ["there is no {path} in {folder}"]),
        ("def f():\n    why = 'it is late'\n    raise InputError(f'no: {why}')", ["no: it is late"]),
        ("raise InputError('a b' if x else f'c d {e}')", ["a b", "c d {e}"]),
        ("raise InputError('two ' + 'parts')", ["two parts"]),
        ("def why():\n    return 'it rains'\nraise ValueError(f'{x}: {why()}')", ["{x}: it rains"]),
        ("raise InputError(f\"must be one of {', '.join(sorted(KINDS))}\")", ["must be one of {KINDS, …}"]),
        ("raise EOFError('not shown to anybody')", []),
        ("raise\nraise error from other", []),
    ],
)
def test_a_sentence_is_read_from_the_code(source: str, texts: list[str]) -> None:
    assert [text for _, text in sentences_of(source)] == texts
