"""The value of a name that is expected, if it is written out in the same function or around it.

``want := []string{"x", "y"}`` and the list itself are the same expectation. A name that is bound twice, or to
something that is called, stands for itself.
"""

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from itertools import islice

from assay.detectors.test_code.demand import Demand
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.tree import Node
from assay.detectors.test_code.uniform import joined

_NAME = re.compile(r"@{0,2}[A-Za-z_$][\w$]*\Z")
_LITERAL = re.compile(r"[\"'`\d:]|\b(?:true|false|nil|null|undefined)\b|\[\s*\]|\{\s*\}")
_FAR, _LONGEST = 200, 2000

Read = Callable[[int, int], list[str]]
"""Makes words of a piece of the file."""


class NamedValues:
    """The names of one file. ``functions`` are the kinds of nodes that names are bound within."""

    def __init__(self, functions: frozenset[str], read: Read) -> None:
        self._functions = functions
        self._read = read
        self._bound: dict[str, dict[Node | None, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))

    def bind(self, name: str, node: Node, start: int, end: int) -> None:
        """A name is bound by a node to what stands between two places."""
        self._bound[name][next(self._around(node), None)].append((start, end))

    def _around(self, node: Node) -> "islice[Node]":
        return islice((each for each in islice(node.ancestors(), _FAR) if each.kind in self._functions), _FAR)

    def settled(self, demand: Demand, used: Node) -> Demand:
        """What is demanded, with the value in place of its name."""
        name = demand.expected
        if name is None or name not in self._bound or demand.strength < Strength.CLOSE or not _NAME.match(name):
            return demand
        value = self._value(name, used)
        return demand if value is None else replace(demand, expected=value)

    def _value(self, name: str, used: Node) -> str | None:
        bound = self._bound[name]
        for function in (*self._around(used), None):
            if function in bound:
                places = bound[function]
                return self._spelled(*places[0]) if len(places) == 1 else None
        return None

    def _spelled(self, start: int, end: int) -> str | None:
        if not 0 < end - start < _LONGEST:
            return None
        words = self._read(start, end)
        text = joined(words)
        return text if "(" not in words and _LITERAL.search(text) else None
