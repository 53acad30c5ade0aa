"""Tests as runs of lines, and two versions of a file without the tests that they have in common.

Most tests of a changed file are the same before and after. Where the file around its tests is the same too, they
say the same, and reading them twice would be most of the work. Their names stay, and so do all line numbers.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

_MOST_NAMES = 500


@dataclass(frozen=True, slots=True)
class Chunk:
    """A test by its lines, from its first mark to its end. ``body`` is None where it must stay as it is."""

    first: int
    body: int | None
    end: int
    text: str
    name: str
    owner: str = ""
    """The class that it is in, where that is known."""


Meanings = Callable[[list[str], list[str]], frozenset[str] | None]
"""The names that may mean something else, given the lines around the tests before and after; None for all."""


def same_or_all(before: list[str], after: list[str]) -> frozenset[str] | None:
    """What a change around the tests means is not known; without one, nothing means something else."""
    return frozenset() if before == after else None


def without_common(
    before: str,
    after: str,
    chunks: Callable[[list[str]], list[Chunk]],
    emptied: Callable[[list[str]], list[str]],
    meanings: Meanings = same_or_all,
) -> tuple[str, str]:
    """Both versions with the bodies of their common tests emptied; as they are where that isn't safe.

    ``chunks`` finds the tests in lines, and ``emptied`` makes of a body and its end as many lines without it. A
    test that uses a name of ``meanings`` stays as it is.
    """
    old, new = before.split("\n"), after.split("\n")
    tests, now = chunks(old), chunks(new)
    around, around_now = _around(old, tests), _around(new, now)
    affected = frozenset[str]() if around == around_now else meanings(around, around_now)
    if affected is None or len(affected) > _MOST_NAMES:
        return before, after
    common = _named_once(_untouched(tests, affected)) & _named_once(_untouched(now, affected))
    return _without(old, tests, common, emptied), _without(new, now, common, emptied)


def _untouched(chunks: list[Chunk], affected: frozenset[str]) -> list[Chunk]:
    """The tests with those that use one of these names marked as to stay."""
    if not affected:
        return chunks
    used = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(affected)))})(?!\w)")
    return [
        replace(each, body=None) if each.owner in affected or used.search(each.text) else each for each in chunks
    ]


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
