"""Every cheat and every honest change of one table gets the same answer in every language.

``python -m tests.attacks.parity`` writes known.yaml anew, and shows what a row is in a language.
"""

import ast
from collections import Counter

import pytest
from ast_grep_py import SgRoot

from tests.attacks.parity.cells import KNOWN, ROWS, WITHOUT_READER, asked, causes, known, reason, texts, wrong
from tests.attacks.parity.render import Way, missing, ways
from tests.attacks.parity.table import Row
from tests.sampling import SEARCHING

NO_READER = "no reader yet"


@pytest.mark.parametrize("way", ways(), ids=str)
def test_every_row_gets_its_answer(way: Way) -> None:
    """What is known to be wrong is in known.yaml, no more and no less."""
    if way.language in WITHOUT_READER:
        pytest.skip(NO_READER)
    rows = rows_to_ask(way)
    assert sorted(wrong(way, rows)) == sorted(known().get(str(way), frozenset()) & {row.name for row in rows})


def rows_to_ask(way: Way) -> list[Row]:
    """All while searching. Otherwise every way is asked every fourth row, each beginning with another one, so that
    a row is asked of about five ways.
    """
    first = list(ways()).index(way)
    return [row for at, row in enumerate(ROWS, first) if (SEARCHING or at % 4 == 0) and reason(row, way) is None]


def test_what_is_wrong_has_a_reason() -> None:
    """No hole without a reason, and no reason without a hole."""
    assert {row for rows in known().values() for row in rows} == causes().keys()


@pytest.mark.parametrize("way", ways(), ids=str)
def test_every_file_parses(way: Way) -> None:
    files = {text for row in asked(way) for side in texts(row, way) for text in side.values()}
    assert [text for text in files if not parses(way.language, text)] == []


def parses(language: str, text: str) -> bool:
    if language == "python":
        ast.parse(text)
        return True
    return SgRoot(text, language).root().find(kind="ERROR") is None


@pytest.mark.parametrize("way", ways(), ids=str)
def test_a_language_has_every_word_or_says_why_not(way: Way) -> None:
    assert missing(way) == []


def test_no_row_is_written_twice() -> None:
    assert [name for name, count in Counter(row.name for row in ROWS).items() if count > 1] == []


def test_every_row_applies_to_most_languages() -> None:
    """A row that few languages have is one of their own attacks, not one of this table."""
    languages = {way.language for way in ways()}
    found = {row.name: {way.language for way in ways() if reason(row, way) is None} for row in ROWS}
    assert [name for name, applies in found.items() if not applies] == []
    assert len(languages) == 11


def test_reasons_are_of_languages_that_there_are() -> None:
    names = {str(way) for way in ways()} | {way.language for way in ways()}
    assert [(row.name, name) for row in ROWS for name in row.never if name not in names] == []


def test_the_table_is_as_large_as_it_says() -> None:
    assert sum(not row.honest for row in ROWS) >= 150
    assert sum(row.honest for row in ROWS) >= 80


def test_what_is_known_is_of_rows_that_there_are() -> None:
    names = {row.name for row in ROWS}
    assert [name for rows in known().values() for name in rows if name not in names] == [], KNOWN.name
    assert known().keys() <= {str(way) for way in ways()}
