"""Annotations, attributes and decorators: what stands before a declaration and changes what it is."""

from dataclasses import dataclass, field

from assay.detectors.test_code.engine.expressions.chains import Link
from assay.detectors.test_code.tree import Node


@dataclass(frozen=True, slots=True)
class Mark:
    """One of them. ``name`` is its last name, ``link`` has what it is given."""

    name: str
    link: Link
    text: str
    line: int
    unsure: bool = field(default=False, kw_only=True)
    """Whether it depends on the build if it is there."""

    @property
    def given(self) -> list[list[str]]:
        return self.link.arguments or []

    @property
    def values(self) -> list[list[str]]:
        """Its positional arguments."""
        return [each for each in self.given if not _is_named(each)]

    @property
    def named(self) -> dict[str, list[str]]:
        """Its arguments by name; the last of the others is called ``value``."""
        return {each[0] if _is_named(each) else "value": each[2 * _is_named(each) :] for each in self.given}


def _is_named(given: list[str]) -> bool:
    return len(given) > 2 and given[1] == "="


@dataclass(slots=True, eq=False)
class Class:
    """A class, a trait, a module: what holds methods. ``words`` are its modifiers, ``parents`` what it extends."""

    node: Node
    name: str
    outer: "Class | None"
    marks: list[Mark]
    words: frozenset[str]
    parents: tuple[str, ...]

    def has(self, *names: str) -> bool:
        return any(mark.name in names for mark in self.marks)


@dataclass(slots=True, eq=False)
class Function:
    """A function or a method. ``takes`` is the text of its parameters, ``words`` its modifiers and type."""

    node: Node
    name: str
    owner: Class | None
    marks: list[Mark]
    words: frozenset[str]
    takes: str

    def has(self, *names: str) -> bool:
        return any(mark.name in names for mark in self.marks)
