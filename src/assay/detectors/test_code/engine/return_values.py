"""Functions of a file that do nothing but return one expression, and what a call of them comes to."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.detectors.test_code.engine.bindings import DOTS, is_name, put_in
from assay.detectors.test_code.engine.expressions.syntax_parts import Part
from assay.detectors.test_code.engine.expressions.uniform_words import closing, split
from assay.detectors.test_code.tree import Node

if TYPE_CHECKING:
    from assay.detectors.test_code.engine.source_file import Reading


@dataclass(frozen=True, slots=True)
class Returned:
    """A function that does nothing but return one expression."""

    parameters: tuple[str, ...]
    words: list[str]


class ReturnValues:
    """Such functions of one file, by their names."""

    def __init__(self, reading: "Reading") -> None:
        self._reading = reading
        self._found: dict[str, Returned | None] = {}

    @property
    def names(self) -> list[str]:
        return [name for name, found in self._found.items() if found is not None]

    def get(self, name: str) -> Returned | None:
        return self._found.get(name)

    def add(self, node: Node) -> None:
        """Remember a function that only returns something."""
        body = node.part_child(Part.BLOCK)
        read = self._reading.language.heads.function.match(self._reading.tree.text, node.start)
        if body is None or read is None:
            return
        name = read["name"]
        if name in self._found or len(body.children) != 1 or body.children[0].part is not Part.RETURN:
            self._found[name] = None
            return
        only = body.children[0]
        words = self._reading.words(only.start, only.end)[1:]
        takes = read["takes"] or ""
        self._found[name] = Returned(self._reading.parameters(takes), words) if words else None

    def of_call(self, words: list[str]) -> list[str]:
        """What a call of a function of this file comes to that does nothing but return it: ``is_fine(x)``."""
        if len(words) < 3 or words[-1] != ")" or not is_name(words[0]):
            return words
        opened = 3 if words[1] in DOTS and words[0] in self._reading.language.heads.receivers else 1
        found = self._found.get(words[opened - 1])
        if found is None or words[opened] != "(" or closing(words, opened) != len(words) - 1:
            return words
        given = split(words[opened + 1 : -1])
        return put_in(found.words, dict(zip(found.parameters, given, strict=False)))

    def without_parameters(self, name: str) -> list[str] | None:
        """What a function without parameters returns, if that is all that it does."""
        found = self._found.get(name)
        return found.words if found is not None and not found.parameters else None
