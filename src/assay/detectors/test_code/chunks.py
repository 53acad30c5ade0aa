"""Tests as runs of lines, and two versions of a file without the tests that they have in common.

Most tests of a changed file are the same before and after. Where the file around its tests is the same too, they
say the same, and reading them twice would be most of the work. Their names stay, and so do all line numbers.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chunk:
    """A test by its lines, from its first mark to its end. ``body`` is None where it must stay as it is."""

    first: int
    body: int | None
    end: int
    text: str
    name: str


def without_common(
    before: str,
    after: str,
    chunks: Callable[[list[str]], list[Chunk]],
    emptied: Callable[[list[str]], list[str]],
) -> tuple[str, str]:
    """Both versions with the bodies of their common tests emptied; as they are where more than tests changed.

    ``chunks`` finds the tests in lines, and ``emptied`` makes of a body and its end as many lines without it.
    """
    old, new = before.split("\n"), after.split("\n")
    tests, now = chunks(old), chunks(new)
    if _around(old, tests) != _around(new, now):
        return before, after
    common = _named_once(tests) & _named_once(now)
    return _without(old, tests, common, emptied), _without(new, now, common, emptied)


def _named_once(chunks: list[Chunk]) -> set[str]:
    """Of two tests with one name, the second may take the place of the first."""
    names = Counter(each.name for each in chunks)
    return {each.text for each in chunks if names[each.name] == 1 and each.body is not None}


def _around(lines: list[str], chunks: list[Chunk]) -> list[str]:
    """The lines of no test, empty ones apart."""
    kept: list[str] = []
    last = 0
    for chunk in chunks:
        kept += lines[last : chunk.first]
        last = chunk.end
    return [line for line in (*kept, *lines[last:]) if line.strip()]


def _without(
    lines: list[str], chunks: list[Chunk], common: set[str], emptied: Callable[[list[str]], list[str]]
) -> str:
    lines = list(lines)
    for chunk in chunks:
        if chunk.body is not None and chunk.text in common:
            lines[chunk.body : chunk.end] = emptied(lines[chunk.body : chunk.end])
    return "\n".join(lines)
