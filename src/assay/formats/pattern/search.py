"""A pattern that is ready to be searched for: by RE2 where that can, otherwise step by step."""

from collections.abc import Iterator
from typing import Final

import regex

from assay.formats.pattern.linear import Linear, is_linear
from assay.formats.pattern.steps import Found, Program, Search, StepsError
from assay.formats.pattern.syntax import Syntax, read

# RE2 looks at this many parts of a pattern, with a character for each, while one step is taken here.
_PARTS_A_STEP: Final = 200
_MOST_KNOWN: Final = 10_000


class Searched:
    """A pattern of an author. Every search takes a number of steps and gives what is left of them."""

    def __init__(self, pattern: str, flags: str = "") -> None:
        syntax = read(pattern, flags)
        self.pattern, self.names = pattern, syntax.names
        self.program = Program(syntax.tree, syntax.groups)
        self._like = _Likeness(syntax)
        self._linear = Linear(syntax.tree, self._like.word) if is_linear(syntax.tree) else None

    def occurs(self, text: str, steps: int, *, whole: bool = False) -> tuple[bool, int]:
        """Whether the pattern occurs, or is the ``whole`` text. Raises ``StepsError``."""
        like = self._like.of(text)
        if self._linear is not None:
            left = steps - 1 - len(text) * len(self.program.code) // _PARTS_A_STEP
            if left < 0:
                raise StepsError
            found = self._linear.search(text, like, whole=whole)
            if found is not None:
                return found, left
        search = self._search(text, like, steps)
        return search.first(whole=whole) is not None, search.steps

    def all(self, text: str, steps: int) -> Iterator[tuple[int, Found]]:
        """Every match, from left to right; an empty one only where none ends. Raises ``StepsError``."""
        search = self._search(text, self._like.of(text), steps)
        found = search.first()
        while found is not None:
            yield found
            begin, match = found
            found = search.first(match.end, empty=match.end > begin)

    def _search(self, text: str, like: "dict[str, int]", steps: int) -> Search:
        return Search(self.program, text, like, lambda one: bool(like[one] & self._like.word), steps)


class _Likeness:
    """Which atoms of a pattern a character is like, each as a bit. The last bit is for characters of words."""

    def __init__(self, syntax: Syntax) -> None:
        word = r"(?a)\w" if syntax.ascii else r"\w"
        self._atoms = [regex.compile(one) for one in (*syntax.atoms, word)]
        self.word = 1 << len(syntax.atoms)
        self._known: dict[str, int] = {}

    def of(self, text: str) -> dict[str, int]:
        """For each character of a text, and for the line break."""
        if len(self._known) > _MOST_KNOWN:
            self._known = {}
        known = self._known
        for one in {*text, "\n"} - known.keys():
            known[one] = sum(1 << bit for bit, atom in enumerate(self._atoms) if atom.fullmatch(one))
        return known
