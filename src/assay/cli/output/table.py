"""Plain tables: for a terminal, or as Markdown. And colour for the words that say how something ended.

NO_COLOR switches colour off, FORCE_COLOR on, and TERM=dumb has none. Only words in a column of their own are
coloured, not what an agent wrote.
"""

import math
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
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


def finding_words(finding: Mapping[str, Any]) -> list[str]:
    """What a scorer found, in a few words."""
    step = [f"step {finding['step']}"] if "step" in finding else []
    return step + [str(finding[key]) for key in ("rule", "test", "detail", "pattern", "mask") if finding.get(key)]


def without_nan(value: Any) -> Any:
    """The same value with null in place of every NaN and infinity, which JSON can't hold."""
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


GREEN, RED, YELLOW = "32", "31", "33"
_COLOURS = {
    **dict.fromkeys(("PASS", "passed"), GREEN),
    **dict.fromkeys(("FAIL", "failed"), RED),
    **dict.fromkeys(("ERROR", "broken", "unusable", "partial", "UNPARSEABLE"), YELLOW),
}
_WORD = re.compile(rf"(?<=  )(?:{'|'.join(_COLOURS)})(?=,|  |$)", re.MULTILINE)


def with_colour(text: str, environment: Mapping[str, str] = os.environ) -> str:
    """The text for a terminal, or for whoever sets FORCE_COLOR."""
    return _WORD.sub(_coloured, text) if _wanted(environment) else text


def _coloured(word: re.Match[str]) -> str:
    return f"\x1b[{_COLOURS[word[0]]}m{word[0]}\x1b[0m"


def _wanted(environment: Mapping[str, str]) -> bool:
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return environment["FORCE_COLOR"] != "0"
    return environment.get("TERM") != "dumb"
