"""Plain tables: for a terminal, or as Markdown."""

import math
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any
from unicodedata import east_asian_width


def render_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, right: bool = False, markdown: bool = False
) -> str:
    """A table. The first column is aligned to the left; ``right`` aligns the others to the right, for numbers.

    A title may have several lines. In Markdown they are joined into one.
    """
    body = [[clean(cell) for cell in row] for row in rows]
    titles = [[clean(" ".join(title.splitlines())) for title in header]] if markdown else _stack_titles(header)
    if markdown:
        titles, body = ([[cell.replace("|", "\\|") for cell in line] for line in part] for part in (titles, body))
    widths = [max(_width(line[i]) for line in titles + body) for i in range(len(header))]
    if not (right or markdown):
        # Nothing stands behind the last column.
        widths[-1] = 0
    texts = [
        [_pad(cell, widths[i], left=i == 0 or not right) for i, cell in enumerate(line)] for line in titles + body
    ]
    if not markdown:
        return "\n".join("  ".join(text).rstrip() for text in texts)
    rule = _markdown_rule(widths, right)
    return "\n".join(f"| {' | '.join(text)} |" for text in (texts[0], rule, *texts[1:]))


def _markdown_rule(widths: Sequence[int], right: bool) -> list[str]:
    """The line below the titles, with a colon where numbers are aligned to the right."""
    first = "-" * max(widths[0], 3)
    return [first, *("-" * max(width - 1, 2) + ":" if right else "-" * max(width, 3) for width in widths[1:])]


def clean(text: str) -> str:
    """A text that can't move the cursor, change colours or break a line: names may come from an agent."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "replace").decode() for c in text)


def show(text: str) -> None:
    """Print a text for people. On a terminal, the words that say how something ended have a colour."""
    if os.environ.get("FORCE_COLOR") or (sys.stdout is not None and sys.stdout.isatty()):
        from assay.cli.output.colour import with_colour  # noqa: PLC0415 - pipes need none

        text = with_colour(text)
    print(text)


def some_of(names: Sequence[str], shown: int = 3) -> str:
    """The first few names, and how many more there are."""
    more = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {more} more" if more > 0 else "")


def _stack_titles(header: Sequence[str]) -> list[list[str]]:
    """Titles of several lines, aligned at the bottom."""
    split = [title.splitlines() or [""] for title in header]
    height = max(map(len, split))
    return [
        [clean(line) for line in lines]
        for lines in zip(*([""] * (height - len(s)) + s for s in split), strict=True)
    ]


def _width(text: str) -> int:
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in text)


def _pad(text: str, width: int, *, left: bool) -> str:
    space = " " * (width - _width(text))
    return text + space if left else space + text


def without_nan(value: Any) -> Any:
    """The same value with null in place of every NaN and infinity, which JSON can't hold."""
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
