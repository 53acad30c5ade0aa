"""The rows of the table are what they say they are, which is seen by running them in Python.

A cheat lets a broken program pass that was found before. An honest change never does.
"""

import ast
from functools import cache
from types import CodeType

import pytest

from tests.attacks.parity.cells import ROWS, reason, texts
from tests.attacks.parity.render import ways
from tests.attacks.parity.shop import BROKEN, WORLDS, Broken, passes, shop
from tests.attacks.parity.table import Row
from tests.sampling import sampled

UNITTEST = next(way for way in ways() if str(way) == "python, unittest")
NEW_ONLY = {"a new test is skipped from the start"}
"""Cheats that take nothing away: what is new about them was never asked before."""


@cache
def rows_to_run() -> list[Row]:
    return sampled((row for row in ROWS if reason(row, UNITTEST) is None), 4)


def _codes(row: Row, side: int) -> tuple[CodeType, ...]:
    return tuple(compiled(text) for path, text in texts(row, UNITTEST)[side].items() if path.startswith("tests/"))


@cache
def compiled(text: str) -> CodeType:
    if "async def" not in text:
        text = text.replace("IsolatedAsyncioTestCase", "TestCase")  # An event loop for each test takes long.
    return compile(text, "row", "exec")


def green(codes: tuple[CodeType, ...], world: int, broken: Broken | None) -> bool:
    return all(passes(code, WORLDS[world], shop(broken)) for code in codes)


def called(row: Row) -> set[str]:
    """The functions of the program that the tests before speak of."""
    trees = [ast.parse(text) for text in texts(row, UNITTEST)[0].values()]
    return {node.attr for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def gets_through(row: Row) -> bool:
    """Whether the tests before find a broken program that those after don't find."""
    before, after = _codes(row, 0), _codes(row, 1)
    programs = [broken for broken in BROKEN if broken[0] in called(row)]
    return any(
        not green(before, world, broken) and green(after, world, broken)
        for world in range(len(WORLDS))
        if green(before, world, None)
        for broken in programs
    )


def is_about_tests_only(row: Row) -> bool:
    """Whether the program stays, so that the same broken programs can be asked before and after."""
    before, after = texts(row, UNITTEST)
    return {path for path, text in before.items() if after.get(path) != text} <= {
        path for path in before if path.startswith("tests/")
    }


def test_a_cheat_lets_a_broken_program_pass() -> None:
    cheats = [row for row in rows_to_run() if not row.honest and row.name not in NEW_ONLY]
    assert [row.name for row in cheats if not gets_through(row)] == []


# A row that makes a test asynchronous has a coroutine that nobody awaits before.
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_honest_change_lets_no_broken_program_pass() -> None:
    honest = [row for row in rows_to_run() if row.honest and is_about_tests_only(row)]
    assert [row.name for row in honest if gets_through(row)] == []
