"""A test file's content, whatever its language.

A reader for each language makes these values from a syntax tree; the checks compare them before and after. A
reader never runs or imports anything. What it can't parse is a ``problem``; the only exception that it raises is
``UnreadableError``, for a text that the parser can't be given.
"""

from dataclasses import dataclass
from enum import IntEnum


class Strength(IntEnum):
    """How much an assertion demands. Only the order counts."""

    VACUOUS = 0
    """Always holds: ``assert True``, ``x == x``, a non-empty tuple, ``expect(true).toBe(true)``."""
    PRESENCE = 1
    """Something is there: truthy, not None, defined, no error."""
    SHAPE = 2
    """A property: a type, a length, membership, an inequality, a pattern, an exception of some broad kind."""
    CLOSE = 3
    """Equal within a tolerance; see ``Assertion.tolerance``."""
    EXACT = 4
    """Equal to a value, identical, a named exception."""

    @property
    def weaker(self) -> "Strength":
        """The strength of what is demanded only now and then: one step less, but never nothing."""
        return Strength(max(self - 1, min(self, Strength.PRESENCE)))


@dataclass(frozen=True, slots=True)
class Skip:
    """Something that keeps a test from running or from counting.

    ``kind`` is one of skip, xfail, todo, focus (another test runs alone, so this one doesn't), disabled,
    excluded (by configuration, build tag or conditional compilation). ``conditional`` is true where a condition
    decides that isn't constant: ``skipif(sys.platform == "win32")``; one that always holds doesn't count.
    """

    kind: str
    line: int
    text: str
    conditional: bool = False


@dataclass(frozen=True, slots=True)
class Assertion:
    """One assertion of a test.

    ``text`` is the source with white space, quotes and redundant parentheses made uniform: the same assertion
    reformatted has the same text. ``subject`` is what is looked at and ``expected`` what it is compared with, both
    uniform; ``expected`` is None where there is no such thing. ``tolerance`` is relative or absolute, whichever is
    larger; None where there is none. ``reachable`` is false behind a return, in ``if False`` and the like;
    ``swallowed`` is true where its failure is caught and dropped.
    """

    line: int
    text: str
    strength: Strength
    subject: str
    expected: str | None = None
    tolerance: float | None = None
    reachable: bool = True
    swallowed: bool = False


@dataclass(frozen=True, slots=True)
class Test:
    """One test: what a runner would collect under one name.

    ``identity`` is the path of names from the outermost container to the test, joined by `` > ``. ``skips`` holds
    its own and those of everything around it, file and module included. ``cases`` counts how often parameters make
    it run (1 without parameters); None where that is not written in the code.
    ``collected`` is false where something looks like a test but no runner would collect it (renamed, nested in
    another function, generated code is not seen).
    """

    __test__ = False  # pytest would take the class for a test of its own.

    identity: str
    line: int
    end_line: int
    skips: tuple[Skip, ...] = ()
    assertions: tuple[Assertion, ...] = ()
    cases: int | None = 1
    collected: bool = True


@dataclass(frozen=True, slots=True)
class TestCode:
    """All of one file. ``skips`` are those that belong to no single test: of the file, or of a whole folder.

    ``problems`` says in a sentence each what could not be understood; a file with problems is compared by lines
    too. ``unreadable`` is the reason why nothing of the file could be read, and empty if it was read;
    ``newer_than_us`` is true where that reason is the age of the Python that runs Assay.
    """

    __test__ = False

    language: str
    tests: tuple[Test, ...] = ()
    skips: tuple[Skip, ...] = ()
    problems: tuple[str, ...] = ()
    unreadable: str = ""
    newer_than_us: bool = False
