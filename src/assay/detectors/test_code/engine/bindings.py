"""Bindings of names in test code, and the values that stand for them."""

import re
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from assay.detectors.test_code.engine.expressions.brackets import closing
from assay.detectors.test_code.engine.expressions.parts import BRANCHING, FUNCTIONS, LOOPS, Part
from assay.detectors.test_code.engine.expressions.words import simplified, split
from assay.detectors.test_code.tree import Node

_FAR = 200

_CHOOSING = BRANCHING | LOOPS | {Part.CASE, Part.CATCH, Part.TRY, Part.CLOSURE, Part.FUNCTION}


_RELATIONS = re.compile(r"(?:not |[<>]=? |len |in |not in )*")


@dataclass(frozen=True, slots=True)
class Binding:
    node: Node
    start: int
    """Where its value begins; nothing is known of it where that is its end."""
    end: int
    function: Node | None


class Followed(NamedTuple):
    """The value of a name, and where it was written: its own names mean what they meant there."""

    words: list[str]
    node: Node


@dataclass(frozen=True, slots=True)
class Returned:
    """A function that does nothing but return one expression."""

    parameters: tuple[str, ...]
    words: list[str]


def is_same_value(words: list[str], before: list[str]) -> bool:
    """Whether words are what they were before names were followed, brackets that change nothing apart."""
    return words == before or words == simplified(before)


def count_relations(text: str) -> int:
    """How many words tell the relation to what is expected: ``not``, ``>``, ``len``."""
    found = _RELATIONS.match(text)
    return len(found[0].split()) if found is not None else 0


def is_container(words: list[str]) -> bool:
    return words[0] in ("[", "{") and closing(words, 0) == len(words) - 1


def is_chained_call(words: list[str]) -> bool:
    """``a = b = 3``."""
    return len(split(words, "=")) > 1


def function_around(node: Node) -> Node | None:
    return next((each for each in islice(node.ancestors(), _FAR) if each.part in FUNCTIONS), None)


def binds_in_function(binding: Binding, function: Node | None) -> bool:
    """Whether a function inside of another, or of the file, sets a name of that one."""
    if binding.node.part is not Part.ASSIGNMENT:
        return False
    return function is None or any(each is function for each in islice(binding.node.ancestors(), _FAR))


def choices_around(node: Node, function: Node | None) -> list[Node]:
    """The choices that decide on a node, inside of its function."""
    found = []
    for each in islice(node.ancestors(), _FAR):
        if each is function:
            break
        if each.part in _CHOOSING:
            found.append(each)
    return found


def is_within(node: Node, around: Node | None) -> bool:
    return around is not None and around.start <= node.start < around.end
