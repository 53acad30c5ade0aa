r"""A pattern that is ready to be searched for: by RE2 where that can, otherwise step by step.

Search by RE2, in a time that is linear in the text.

RE2 sees neither the pattern nor the text, because it has other characters in mind than ``regex`` where these say
``\d`` or ignore case. Characters that are alike for all atoms of a pattern become one byte; an atom is the bytes
that are like it. Bytes of words are RE2's own, so that both find words begin and end at the same places.
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import regex

from assay.formats.pattern.steps import PatternMatch, PatternProgram, Search, StepsError
from assay.formats.pattern.syntax import (
    Atom,
    CaptureGroup,
    Either,
    Node,
    Place,
    Repeat,
    Sequenced,
    Syntax,
    inside,
    read,
)

# RE2 looks at this many parts of a pattern, with a character for each, while one step is taken here.
_PARTS_A_STEP: Final = 200
_MOST_KNOWN: Final = 10_000
_WORD_BYTES: Final = bytes(one for one in range(256) if one < 128 and (chr(one).isalnum() or chr(one) == "_"))
_OTHER_BYTES: Final = bytes(one for one in range(256) if one not in _WORD_BYTES and one != 10)
_MOST_TIMES: Final = 1000
_MEMORY: Final = 64 * 1024 * 1024
_LINE_BREAK: Final = 10
_NOTHING: Final = r"[^\x00-\xff]"
_PLACES: Final = {
    "start": r"\A",
    "end": r"\z",
    # There is only one line break then that RE2 can see: that at the end.
    "last": "(?m:$)",
    "line_start": "(?m:^)",
    "line_end": "(?m:$)",
    "word": r"\b",
    "not_word": r"\B",
}
_LINES: Final = {"line_start", "line_end"}


class Searched:
    """A pattern of an author. Every search takes a number of steps and gives what is left of them."""

    def __init__(self, pattern: str, flags: str = "") -> None:
        syntax = read(pattern, flags)
        self.pattern, self.names = pattern, syntax.names
        self.program = PatternProgram(syntax.tree, syntax.groups)
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

    def all(self, text: str, steps: int) -> Iterator[tuple[int, PatternMatch]]:
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
    """The atoms of a pattern a character is like, each as a bit. The last bit is for characters of words."""

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


def is_linear(tree: Node) -> bool:
    """Whether RE2 can search for a tree, and no place in it has to see other line breaks than the rest."""
    places, left = set(), [tree]
    while left:
        one = left.pop()
        if not isinstance(one, Atom | Place | Sequenced | Either | Repeat | CaptureGroup):
            return False
        if isinstance(one, Repeat) and max(one.least, one.most or 0) > _MOST_TIMES:
            return False
        if isinstance(one, Place):
            places.add(one.kind)
        left += inside(one)
    return not (places & _LINES and "last" in places)


class Linear:
    """A tree for RE2. ``word`` is the bit that characters of words have."""

    def __init__(self, tree: Node, word: int) -> None:
        self._tree, self._word = tree, word
        self._sees_lines = _sees_lines(tree)
        self._engine = functools.lru_cache(maxsize=64)(self._compile_re2)

    def search(self, text: str, like: Mapping[str, int], *, whole: bool) -> bool | None:
        """Whether the tree is found; None if RE2 can't be asked, because there is too much to tell apart."""
        characters = set(text)
        symbols = _symbols(sorted({like[one] for one in characters}), self._word)
        engine = None if symbols is None else self._engine(tuple(symbols.items()), like["\n"])
        if symbols is None or engine is None:
            return None
        table = {ord(one): symbols[like[one]] for one in characters}
        if self._sees_lines:
            table[_LINE_BREAK] = _LINE_BREAK
        seen = text.translate(table).encode("latin-1")
        if text.endswith("\n"):
            seen = seen[:-1] + bytes([_LINE_BREAK])
        return (engine.fullmatch(seen) if whole else engine.search(seen)) is not None

    def _compile_re2(self, symbols: tuple[tuple[int, int], ...], line_break: int) -> Any:
        import re2  # type: ignore[import-untyped]  # noqa: PLC0415 - only who has a pattern pays for it

        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1
        options.log_errors, options.never_capture, options.max_mem = False, True, _MEMORY
        try:
            return re2.compile(_write_node(self._tree, (*symbols, (line_break, _LINE_BREAK))).encode(), options)
        except re2.error:
            return None


def _symbols(kinds: Sequence[int], word: int) -> dict[int, int] | None:
    """A byte for each kind of character; None if there are too few bytes."""
    words, others = iter(_WORD_BYTES), iter(_OTHER_BYTES)
    found = {kind: next(words if kind & word else others, None) for kind in kinds}
    known = {kind: byte for kind, byte in found.items() if byte is not None}
    return known if len(known) == len(found) else None


def _write_node(node: Node, symbols: tuple[tuple[int, int], ...]) -> str:
    if isinstance(node, Atom):
        alike = "".join(f"\\x{byte:02x}" for kind, byte in symbols if kind & 1 << node.number)
        return f"[{alike}]" if alike else _NOTHING
    if isinstance(node, Place):
        return _PLACES[node.kind]
    parts = [_write_node(one, symbols) for one in inside(node)]
    if isinstance(node, Repeat):
        return f"(?:{parts[0]}){{{node.least},{'' if node.most is None else node.most}}}"
    return f"(?:{'|'.join(parts)})" if isinstance(node, Either) else "".join(parts)


def _sees_lines(tree: Node) -> bool:
    return (isinstance(tree, Place) and tree.kind in _LINES) or any(map(_sees_lines, inside(tree)))
