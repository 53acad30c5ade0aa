"""Parametrised tests written out: an assertion for each row of literals, as if there were a test for each."""

import re
from collections.abc import Sequence
from dataclasses import replace

from assay.detectors.test_code.model import Assertion

_MOST_ROWS = 100
_WORD = re.compile(r"[^\W\d]\w*|\"[^\"\\]*+(?:\\.[^\"\\]*+){0,400}+\"")


def written_out(
    found: Sequence[Assertion], names: Sequence[str], rows: Sequence[Sequence[str]]
) -> list[Assertion]:
    """The assertions with the values of each row for the names; those that mention none stay as they are."""
    if not rows or len(rows) > _MOST_ROWS or not all(len(row) == len(names) for row in rows):
        return list(found)
    tables = [dict(zip(names, row, strict=True)) for row in rows]
    out: list[Assertion] = []
    for one in found:
        mentioned = not set(names).isdisjoint(_WORD.findall(one.text))
        out += [_filled(one, table) for table in tables] if mentioned else [one]
    return out


def _filled(one: Assertion, table: dict[str, str]) -> Assertion:
    def put(text: str) -> str:
        return _WORD.sub(lambda found: table.get(found[0], found[0]), text)

    expected = put(one.expected) if one.expected else one.expected
    return replace(one, text=put(one.text), subject=put(one.subject), expected=expected)
