"""The values of names: constants that are bound once, and values that are written out where a name is used."""

import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from assay.detectors.test_code.engine.expressions.literals import is_literal, number
from assay.detectors.test_code.engine.expressions.parts import Part
from assay.detectors.test_code.tree import Node
from assay.detectors.test_code.word_sets import word_set

if TYPE_CHECKING:
    from assay.detectors.test_code.engine.reading import Reading

BINDING = re.compile(
    r"\s*+(?:(?:let|var|val|const|static|final|lateinit|private|public|internal|protected|fileprivate|override|readonly"
    r"|pub(?:\([^)]*\))?|mut|ref)\s++)*+"
    r"(?:(?:this|self|globalThis|global|window)\.|\$this->)?([$@]{0,2}[^\W\d][\w$]*+)\s*+"
    r"(?::(?![:=])[^=;]{1,80}|[\w.\[\]*<>?]{1,80}\s)?\s*+:?=(?![=>~])\s*+"
)
_LEFT = re.compile(r"[$@]{0,2}[^\W\d][\w$]*")
_WORD = re.compile(r"[\w$]+")
_MODIFIERS = word_set("let var val const final auto mut async export private static")
_LONGEST_CONSTANT, _LONGEST_LEFT, _NEAR = 200, 200, 2


class Values:
    """The names of one file."""

    def __init__(self, reading: "Reading") -> None:
        self._reading = reading
        self._times: Counter[str] = Counter()
        self._mentioned: Counter[str] | None = None
        self.constants: dict[str, str] = dict(reading.language.known)
        """Names that are bound once in the file, to a literal."""
        self.lists: dict[str, tuple[int, int]] = {}
        """Where the value of a name is written that is bound once, to a list."""
        for node in reading.tree.nodes:
            if node.part is Part.BINDING:
                self._bind(node)
            elif node.part is Part.ASSIGNMENT:
                self._unsettle(node)
        for name in [name for name, times in self._times.items() if times > 1]:
            self.constants.pop(name, None)
            self.lists.pop(name, None)

    def _bind(self, node: Node) -> None:
        text, found = self._reading.tree.text, bound_in(self._reading, node)
        if found is None or _in_handler(node):
            self._unsettle(node)
            return
        name, start, end = found
        self._times[name] += 1
        if text[start : start + 1] in "[{" or text[start : start + 2] == "&[":
            self.lists[name] = (start, end)
        elif end - start < _LONGEST_CONSTANT:
            words = self._reading.words(start, end)
            if words and words[-1] == ";":
                words = words[:-1]
            if len(words) <= 2 and is_literal(words) and (number(words) is not None or len(words) == 1):
                self.constants[name] = "".join(words)
            elif words and words[-1] in ("]", "}", ")"):
                self.lists[name] = (start, end)

    def _unsettle(self, node: Node) -> None:
        """Several names at once, or a name that gets another value: none of them is a constant."""
        text = self._reading.tree.text
        left = re.split(
            r"[-+*/%&|^<>]?=(?!=)", text[node.start : min(node.end, node.start + _LONGEST_LEFT)], maxsplit=1
        )
        for name in _LEFT.findall(left[0]):
            self._times[name] += 2

    def mentions(self, name: str) -> int:
        """How often a name stands in the file."""
        if self._mentioned is None:
            self._mentioned = Counter(_LEFT.findall(self._reading.tree.text))
        return self._mentioned[name]


def _in_handler(node: Node) -> bool:
    """Whether a name gets this value only where something failed."""
    return any(each.part is Part.CATCH for each in islice(node.ancestors(), _NEAR))


def first_name(left: str) -> str:
    """The name that stands first in a binding, behind its modifiers."""
    words = _WORD.findall(left[:_LONGEST_LEFT].split("=", maxsplit=1)[0])
    return next((word for word in words if word not in _MODIFIERS), "")


def bound_in(reading: "Reading", node: Node) -> tuple[str, int, int] | None:
    """The name that a node binds, and where its value is written; None for several names at once."""
    text, end = reading.tree.text, node.end
    found = BINDING.match(text, node.start, end)
    if found is None:
        found = reading.language.heads.bound.match(text, node.start, end)
        end -= 0 if found is None else 1 if found["opened"] == "{" else len("end")
    return None if found is None else (found[1], found.end(), end)
