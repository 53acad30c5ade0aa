"""What a name stands for: a variable that is set once, to something that is written out."""

import re
from bisect import bisect_left
from collections import Counter

from assay.detectors.test_code.curly.constants import is_literal
from assay.detectors.test_code.curly.tokens import Tokens, tokens, uniform
from assay.detectors.test_code.tree import Node, Tree

_DECLARED = re.compile(
    r"(?:let\s+|(?:pub(?:\([^)]*\))?\s+)?(?:const|static)\s+)?(\w+)\s*(?::(?!:)[^=;]{1,80})?=(?![=>])\s*"
)
_NAME = re.compile(r"[^\W\d]\w*")
_PRIMITIVES = frozenset(
    {"int", "long", "double", "float", "string", "byte", "char", "bool", "boolean", "short", "str"}
)
_AFTER_TYPE = ([","], ["."], ["("], ["<"], [">"], ["["], ["{"], ["::"])
_MAKERS = frozenset(
    {
        "of",
        "asList",
        "from",
        "to_string",
        "to_owned",
        "into",
        "vec",
        "Some",
        "Ok",
        "singletonList",
        "valueOf",
        "new",
    }
)
_SET = re.compile(
    r"\b([^\W\d]\w*)\s*(?::(?!:)[^=;(){}\n]{1,80})?(?:(?:[-+*/%|&^]|<<|>>)?=(?![=>])|\+\+|--)"
    r"|(?:\+\+|--|&mut\s|\bref\s|\bout\s)\s*([^\W\d]\w*)"
)
_LONGEST = 400


class Values:
    """The variables of one file, by name."""

    def __init__(self, tree: Tree, kinds: frozenset[str], functions: frozenset[str]) -> None:
        self._tree = tree
        self._functions = functions
        self._declared: dict[str, list[tuple[Node, int]]] = {}
        for node in tree.nodes:
            if node.kind in kinds:
                found = _DECLARED.match(tree.text, node.start, node.end)
                if found is not None:
                    self._declared.setdefault(found[1], []).append((node, found.end()))
        self._set: dict[tuple[int, int], Counter[str]] = {}
        self._known: dict[tuple[str, int], Tokens | None] = {}
        self._global: dict[str, list[tuple[Node, int]]] = {}

    def of(self, name: str, used: Node) -> Tokens | None:
        """What a name stands for where it is used; None where that is not written out."""
        if name not in self._declared or not _NAME.fullmatch(name):
            return None
        function = self._around(used)
        key = (name, function.start if function else -1)
        if key not in self._known:
            self._known[key] = self._value(name, function)
        return self._known[key]

    def _around(self, node: Node) -> Node | None:
        return next((one for one in node.ancestors() if one.kind in self._functions), None)

    def _times_set(self, function: Node | None) -> Counter[str]:
        """How often each name is given a value in a function, or in the whole file."""
        start, end = (function.start, function.end) if function else (0, len(self._tree.text))
        if (start, end) not in self._set:
            self._set[start, end] = Counter(
                found[1] or found[2] for found in _SET.finditer(self._tree.text, start, end)
            )
        return self._set[start, end]

    def _inside(self, name: str, function: Node) -> list[tuple[Node, int]]:
        """Found by halving: every test may have a variable of this name."""
        declared = self._declared[name]
        first = bisect_left(declared, function.start, key=_start)
        return declared[first : bisect_left(declared, function.end, lo=first, key=_start)]

    def _outside(self, name: str) -> list[tuple[Node, int]]:
        """The declarations outside of all functions; none where another function has one of the same name."""
        if name not in self._global:
            declared = self._declared[name]
            outside = [one for one in declared if self._around(one[0]) is None]
            self._global[name] = outside if len(outside) == len(declared) else []
        return self._global[name]

    def _value(self, name: str, function: Node | None) -> Tokens | None:
        inside = self._inside(name, function) if function else []
        found = inside or self._outside(name)
        if len(found) != 1 or self._times_set(function if inside else None)[name] != 1:
            return None
        return self._written_out(*found[0])

    def _written_out(self, node: Node, start: int) -> Tokens | None:
        """The value that begins there in a declaration, if it consists of literals."""
        value = tokens(self._tree.text[start : min(node.end, start + _LONGEST)].rstrip(";"))
        return value if node.end - start < _LONGEST and _is_written_out(value) else None


def _start(declared: tuple[Node, int]) -> int:
    return declared[0].start


def _is_written_out(value: Tokens) -> bool:
    """Are there only literals in it, and what makes values of them?"""
    if not any(is_literal([part]) for part in value):
        return False
    return all(
        not _NAME.match(part) or is_literal([part]) or part in _MAKERS or _is_type(part, value[at + 1 : at + 2])
        for at, part in enumerate(value)
    )


def _is_type(part: str, following: Tokens) -> bool:
    return (part[0].isupper() or part in _PRIMITIVES) and following in _AFTER_TYPE


def plain(value: Tokens | None) -> str | None:
    """The text of a single literal, which nothing can change behind its name."""
    return uniform(value) if value is not None and is_literal(value) else None
