"""The page that shows, for every statement of the four documents, the tests that hold it.

The statements are in docs/statements, a file for each document; the tests name them in their marks.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from docs.markdown import from_docstring, table
from tests.statement_marks import marked_tests

FOLDER = Path(__file__).with_name("statements")
DOCUMENTS = ("evaluation", "harbor", "scorers", "criteria")
NO_TEST = "**missing**"


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that a document says, in our words."""

    document: str
    section: str
    key: str
    text: str

    @property
    def id(self) -> str:
        return f"{self.document}.{self.key}"


def statements() -> list[Statement]:
    """All of them, in the order of the documents."""
    return [one for document in DOCUMENTS for one in _of(document)]


def _of(document: str) -> Iterator[Statement]:
    sections = yaml.safe_load((FOLDER / f"{document}.yaml").read_text(encoding="utf-8"))
    for section, said in sections.items():
        yield from (Statement(document, section, key, text) for key, text in said.items())


def statements_page() -> Iterator[str]:
    """The page: a table for each section of each document."""
    tests = marked_tests()
    said = statements()
    yield "# Statements and their tests"
    yield from_docstring(_ABOUT)
    for document in DOCUMENTS:
        yield f"## {document}"
        of_document = [one for one in said if one.document == document]
        for section in dict.fromkeys(one.section for one in of_document):
            yield f"### {document}: {section}"
            rows = [_row(one, tests.get(one.id, [])) for one in of_document if one.section == section]
            yield table(("statement", "says", "tests"), rows)


def _row(statement: Statement, tests: list[str]) -> tuple[str, str, str]:
    return f"`{statement.id}`", statement.text, "<br>".join(f"`{test}`" for test in tests) or NO_TEST


_ABOUT = """
Assay follows four documents, and decides a few things that they leave open. Each statement of theirs is listed
here in our words, with the tests that hold it; paths are those below ``tests``. A test says what it shows in a
mark: ``@pytest.mark.statement("harbor.json-wins")``. A statement without a test is marked as missing.
"""
