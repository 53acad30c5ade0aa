"""A row of a table of cases as an assertion: the input, and the output that is expected.

The assertion in the loop is the same whatever the rows say, so a changed expectation would not be seen in it. A
row that is gone is no lost assertion: the number of cases tells that, and tables get columns and names for honest
reasons.
"""

import re
from collections.abc import Sequence

from assay.detectors.test_code.engine.words import joined, split
from assay.detectors.test_code.model import Assertion, Strength

_MARK = "case "
_WANTED = re.compile(r"(?:want|expect|exp(?![a-z])|result|output|out(?![a-z])|answer)", re.IGNORECASE)
_TITLE = re.compile(r"(?:test|case)?_?(?:name|desc|description|title|label|comment|scenario)\Z", re.IGNORECASE)
_NOTHING = frozenset(("false", "nil", "null", "undefined"))
_MOST_ROWS = 500
_LONGEST_ROW = 120


def is_row(assertion: Assertion) -> bool:
    return assertion.text.startswith(_MARK)


def rows_of(line: int, rows: Sequence[list[str]], fields: Sequence[str] = ()) -> list[Assertion]:
    """The rows of a table, each as its words. ``fields`` are the names of the columns, where they are known."""
    if len(rows) > _MOST_ROWS:
        return []
    return [found for row in rows if (found := _row(line, row, fields)) is not None]


def _row(line: int, row: list[str], fields: Sequence[str]) -> Assertion | None:
    inside = _inside(row)
    if len(inside) > _LONGEST_ROW:
        return None
    named = [_named(part, number, fields) for number, part in enumerate(split(inside))]
    wanted = _wanted(named)
    given = [each for each in named if each not in wanted and not _TITLE.match(each[0])]
    telling = [value for _, value in wanted if value not in _NOTHING or len(wanted) == 1]
    if not given or not telling:
        return None
    subject = _MARK + ", ".join(value for _, value in given)
    expected = ", ".join(telling)
    return Assertion(line, f"{subject}: {expected}", Strength.PRESENCE, subject, expected)


def _wanted(named: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The columns that say what is wanted; without any names, that comes last by custom."""
    wanted = [each for each in named if _WANTED.match(each[0])]
    if wanted or any(name for name, _ in named):
        return wanted
    return named[-1:] if len(named) > 1 else []


def _inside(row: list[str]) -> list[str]:
    """What stands between the brackets of a row; a key before it is its name. A plain pair is a row itself."""
    if len(row) > 2 and row[1] == ":" and row[2] not in ("{", "["):
        return [row[0], ",", *row[2:]]
    opening = next((at for at, word in enumerate(row) if word in ("{", "[")), None)
    return row[opening + 1 : -1] if opening is not None and row[-1] in ("}", "]") else []


def _named(part: list[str], number: int, fields: Sequence[str]) -> tuple[str, str]:
    if len(part) > 2 and part[1] == ":":
        return part[0], joined(part[2:])
    return (fields[number] if number < len(fields) else ""), joined(part)
