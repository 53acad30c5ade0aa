"""The page on one table of cheats and honest changes in every language, from tests/attacks/parity.

What is known to be wrong is in known.yaml there, and the tests hold that to be true; so the page needs no
measuring.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from docs.markdown import from_docstring, table
from tests.attacks.parity.cells import GROUPS, ROWS, WITHOUT_READER, causes, known, reason
from tests.attacks.parity.render import Way, ways
from tests.attacks.parity.table import Row

_BY_LANGUAGE = {name: list(of) for name, of in groupby(ways(), key=lambda way: way.language)}


def parity_table() -> Iterator[str]:
    reasons = _numbered_reasons()
    yield "# The same attacks in every language"
    yield from_docstring(_ABOUT)
    cheats = sum(not row.honest for row in ROWS)
    yield (
        f"There are {cheats} cheats and {len(ROWS) - cheats} honest changes, in {len(_BY_LANGUAGE)} languages "
        f"with {len(ways())} test libraries."
    )
    yield "## By language"
    yield table(
        ("language", "library", "cheats", "found", "missed", "honest", "passed", "flagged", "can't apply"),
        [*map(_totals, ways()), _sum_of([way for way in ways() if way.language not in WITHOUT_READER])],
    )
    for name, rows in GROUPS.items():
        yield f"## {name}"
        yield table(
            ("change", *_BY_LANGUAGE),
            [(row.name, *(_cell(row, of, reasons) for of in _BY_LANGUAGE.values())) for row in rows],
        )
    yield "## What is still wrong, and why"
    yield (
        "With the number of libraries that get a wrong answer. A reason is what was seen in one of them, or "
        "what is suspected; it was not looked into for each."
    )
    yield "\n".join(_still_wrong())
    yield "## Why a row can't apply"
    yield "\n".join(f"{number}. {why}" for why, number in reasons.items())


def _still_wrong() -> Iterator[str]:
    """Each cause once, with the rows and the number of libraries that get a wrong answer."""
    for why, rows in groupby(causes(), key=causes().__getitem__):
        told = (f"{row} ({sum(row in each for each in known().values())})" for row in rows)
        yield f"- {why} Rows: {'; '.join(told)}."


def _numbered_reasons() -> dict[str, int]:
    """Each reason once, in the order in which the page comes to it."""
    said = (reason(row, way) for row in ROWS for way in ways())
    return {why: number for number, why in enumerate(dict.fromkeys(why for why in said if why), 1)}


def _cell(row: Row, libraries: Sequence[Way], reasons: dict[str, int]) -> str:
    why = [reason(row, way) for way in libraries]
    if all(why):
        return "- " + ", ".join(str(number) for number in dict.fromkeys(reasons[one] for one in why if one))
    if libraries[0].language in WITHOUT_READER:
        return ""
    wrong = [way.library for way in libraries if _is_wrong(row, way)]
    if not wrong:
        return "✓"
    return "✗" if len(wrong) == why.count(None) else f"✗ {', '.join(wrong)}"


def _is_wrong(row: Row, way: Way) -> bool:
    return row.name in known().get(str(way), ())


def _totals(way: Way) -> tuple[str, ...]:
    if way.language in WITHOUT_READER:
        asked = [row for row in ROWS if reason(row, way) is None]
        cheats = sum(not row.honest for row in asked)
        return (
            way.language,
            way.library,
            str(cheats),
            "no reader yet",
            "",
            str(len(asked) - cheats),
            "",
            "",
            str(len(ROWS) - len(asked)),
        )
    return way.language, way.library, *map(str, _counts([way]))


def _sum_of(counted: Sequence[Way]) -> tuple[str, ...]:
    return "all with a reader", "", *map(str, _counts(counted))


def _counts(counted: Iterable[Way]) -> list[int]:
    cells = [(row, way) for way in counted for row in ROWS]
    asked = [(row, way) for row, way in cells if reason(row, way) is None]
    found: list[int] = []
    for honest in (False, True):
        alike = [_is_wrong(row, way) for row, way in asked if row.honest is honest]
        found += [len(alike), alike.count(False), alike.count(True)]
    return [*found, len(cells) - len(asked)]


_ABOUT = """
``tests/attacks/parity`` has one table of cheats and honest changes, written once in neutral words and rendered
into each language by a template. Both versions of a change are given to ``assertions_not_weakened`` and
``no_new_skips``. A cheat is found if one of the scorers that its row names fails; an honest change passes if
neither does.

In the tables, ✓ is the right answer with every library of the language, and ✗ a wrong one: a cheat that is
missed or an honest change that is flagged, with the libraries if it is not all of them. A - is a row that the
language has no words for; the numbers are those of the reasons at the end. An empty cell is one of a language
that has no reader yet. What is wrong today is listed in ``known.yaml``, and a test fails when an answer changes,
so that this page stays true. ``python -m tests.attacks.parity "if false" go`` shows a row in a language, and what
is found.

That the rows are what they say is seen by running them in Python: every cheat that unittest has words for lets a
broken program pass that was found before, and no honest change does.

The cheats were written by whoever knew the detectors, and each is a short test of one function; so the shares
say where languages differ, not how much of what agents do is found.
"""
