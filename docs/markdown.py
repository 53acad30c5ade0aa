"""Docstrings as Markdown, and Markdown tables."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence


def from_docstring(text: str) -> str:
    """A docstring's paragraphs. Indented ones and interpreter sessions become code blocks."""
    return "\n\n".join(_paragraphs(text.strip("\n")))


def first_sentence(text: str) -> str:
    """The first paragraph in one line."""
    return " ".join(text.strip().split("\n\n")[0].split()).replace("``", "`")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table. A bar in a cell is escaped."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def fence(text: str, language: str) -> str:
    """A block of code."""
    return f"```{language}\n{text}\n```"


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        lines = paragraph.splitlines()
        if paragraph.strip() == "::":
            continue
        if paragraph.startswith(">>>"):
            # Inside of a docstring, a text of several lines can't have the quotes that it has elsewhere.
            yield fence(paragraph.replace("'''", '"""'), "pycon")
        elif all(line.startswith("    ") for line in lines):
            yield fence(textwrap.dedent(paragraph), "text")
        else:
            yield paragraph.replace("``", "`")
