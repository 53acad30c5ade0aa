"""A syntax tree of the few kinds of nodes that a reader of test code cares about.

ast-grep parses; one query brings over every node of the wanted kinds, and the nesting among them is worked out
here from their offsets. Crossing into the native library node by node would cost more than the parsing itself.
All offsets are in characters of ``Tree.text``. Nothing here recurses, so nesting of any depth is only a matter
of memory.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.detectors.test_code.engine.expressions.parts import Grammar, Part
from assay.evidence.workspace import UnreadableError

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_SURROGATE = re.compile("[\ud800-\udfff]")
_FIRST = re.compile(r"&?\w+")
_NEWLINE = re.compile("\n")
_BRACKET = re.compile(r"[(\[{}\])]")
_MOST_PROBLEMS = 20
_PIECE = 2048
_UNPROBED = 4096
# Of 700 pieces of real JavaScript and TypeScript, the worst has 56 errors; of Markdown read as Java, Rust or C#,
# 155. Every text that makes the parser slow has more than 500.
_MOST_ERRORS = 256
# Four dense pieces with more than half as many are too many, as well.
_MANY_ERRORS, _MOST_BROKEN = 128, 4
_DENSE, _SAMPLE, _FEW_ERRORS = 800, 256, 16
_MOST_AROUND, _LONGEST_AROUND = 20, 200
_CLASSES = bytes(
    b"w"[0] if chr(code).isalnum() or code == b"_"[0] else b" "[0] if chr(code).isspace() else b"."[0]
    for code in range(128)
) + bytes(128)
"""What each character is: part of a word, white space, or a sign."""


class Node:
    """One node. ``parent`` and ``children`` are the nearest ones among the wanted kinds, in the order of the text.

    ``dead`` and ``swallowed`` belong to the reader: code that can't run, and code whose failure is dropped. So do
    ``ended``, a list of statements whose rest can't be reached, and ``conditional``, code that may or may not run.
    """

    __slots__ = (
        "children", "conditional", "dead", "end", "ended", "kind", "parent", "part", "start", "swallowed"
    )  # fmt: skip

    def __init__(self, kind: str, start: int, end: int, parent: "Node | None", part: Part = Part.OTHER) -> None:
        self.kind = kind
        self.part = part
        self.start = start
        self.end = end
        self.parent = parent
        self.children: list[Node] = []
        self.dead = False
        self.swallowed = False
        self.ended = False
        self.conditional = False

    def child(self, *kinds: str) -> "Node | None":
        """The first child of one of these kinds."""
        for child in self.children:
            if child.kind in kinds:
                return child
        return None

    def part_child(self, *parts: Part) -> "Node | None":
        """The first child that is one of these parts."""
        for child in self.children:
            if child.part in parts:
                return child
        return None

    def ancestors(self) -> "Iterator[Node]":
        """The nodes around this one, from the inside out."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent


@dataclass(slots=True, eq=False)
class ParsedText:
    """A parsed text. ``nodes`` are in the order of their beginnings; the first is all of the text, of kind ""."""

    text: str
    nodes: list[Node]
    problems: tuple[str, ...]
    _lines: list[int]
    _kinds: frozenset[str]

    def line(self, offset: int) -> int:
        """The number of the line an offset is on, from 1."""
        return bisect_left(self._lines, offset) + 1

    def has(self, kinds: frozenset[str]) -> bool:
        """Whether there is any node of these kinds."""
        return not self._kinds.isdisjoint(kinds)

    def has_part(self, *parts: Part) -> bool:
        """Whether there is any node that is one of these parts."""
        return any(node.part in parts for node in self.nodes)

    def source(self, node: Node) -> str:
        return self.text[node.start : node.end]

    def within(self, start: int, end: int) -> list[Node]:
        """The nodes that begin between two offsets, whatever their depth."""
        first = bisect_left(self.nodes, start, key=_start)
        return self.nodes[first : bisect_left(self.nodes, end, lo=first, key=_start)]


def parse(
    text: str,
    language: str,
    kinds: frozenset[str],
    named: tuple[str, str] | None = None,
    parsed: str | None = None,
) -> ParsedText:
    """Read a text. A kind that the language's grammar does not have is a mistake of the caller and raises.

    Raises ``UnreadableError`` for a long text with a part that is nothing but errors.

    ``named`` adds one more kind, but only those nodes whose text matches a pattern. ``parsed`` is a text of the
    same length to hand to the parser instead.
    """
    from ast_grep_py import Rule, SgRoot  # noqa: PLC0415

    # A lone surrogate can't be handed over; a replacement of the same length keeps every offset.
    text = _SURROGATE.sub("\ufffd", text)
    parsed = text if parsed is None else _SURROGATE.sub("\ufffd", parsed)
    wanted: list[Rule] = [{"kind": kind} for kind in (*sorted(kinds), "ERROR")]
    if named is not None:
        wanted.append({"kind": named[0], "regex": named[1]})
    lines = [match.start() for match in _NEWLINE.finditer(text)]
    root = Node("", 0, len(text), None)
    if len(parsed) > _UNPROBED and _is_rubble(parsed, language, dense=True):
        raise UnreadableError(f"parts of it aren't {language} at all")
    nodes = _nested(root, SgRoot(parsed, language).root().find_all(any=wanted))
    found = frozenset([node.kind for node in nodes])
    problems = _problems(nodes, lines, language) if "ERROR" in found else ()
    if problems and len(parsed) > _UNPROBED and _is_rubble(parsed, language, dense=False):
        raise UnreadableError(f"parts of it aren't {language} at all")
    return ParsedText(text, nodes, problems, lines, found)


def parse_parts(text: str, grammar: Grammar, parsed: str | None = None) -> ParsedText:
    """Read a text by a grammar; every node knows what part it is."""
    tree = parse(text, grammar.parser, frozenset(grammar.parts), grammar.named, parsed)
    parts, by_word = grammar.parts, grammar.by_word
    for node in tree.nodes:
        node.part = parts.get(node.kind, Part.CALL if node.kind != "ERROR" else Part.OTHER)
        if node.kind in by_word:
            first = _FIRST.match(tree.text, node.start)
            node.part = by_word[node.kind].get(first[0] if first is not None else "", node.part)
    tree.nodes[0].part = Part.FILE
    return tree


def _is_rubble(text: str, language: str, *, dense: bool) -> bool:
    """Whether a text is no code, so that the parser may need very long for it.

    Recovering from errors takes time that grows with the square of the broken part: minutes for a few thousand
    characters made for it. So a long text is tried in pieces, each of which takes two seconds at worst, and
    refused if one of them has very many errors, or several dense ones have many. A piece of real code has few,
    even where it begins or ends in the middle of something. Rows of a long table are nothing but errors by
    themselves, so a piece with many is tried again behind the lines that opened the brackets around it. The end of
    deep nesting still has many, so brackets that are open before a piece excuse as many. Whoever opens brackets
    for that only reaches the limit on the parser's time.

    Before the text is parsed, only pieces that look like it are tried: ``dense`` ones, and those that begin with
    many errors. If the parser found any error then, the others are tried too.
    """
    still_open = broken = 0
    around = _Around(text)
    for start in range(0, len(text), _PIECE):
        piece = text[start : start + _PIECE]
        if _looks_slow(piece, language, still_open) is dense:
            errors = _errors(piece, language) - still_open
            if errors > _MANY_ERRORS:
                errors = min(errors, _errors(around.before(start) + piece, language) - still_open)
            broken += errors > _MANY_ERRORS and _size(piece) > _DENSE
            if errors > _MOST_ERRORS or broken == _MOST_BROKEN:
                return True
        still_open = max(still_open + sum(map(piece.count, "([{")) - sum(map(piece.count, ")]}")), 0)
    return False


class _Around:
    """The open brackets at a place in a text, worked out as far as was asked."""

    def __init__(self, text: str) -> None:
        self._text, self._done = text, 0
        self._open: list[int] = []

    def before(self, offset: int) -> str:
        """The last lines that opened a bracket that is still open, each up to its bracket."""
        for bracket in _BRACKET.finditer(self._text, self._done, offset):
            if bracket[0] in "([{":
                self._open.append(bracket.end())
            elif self._open:
                self._open.pop()
        self._done, last, lines = offset, 0, []
        for end in self._open[-_MOST_AROUND:]:
            begin = max(self._text.rfind("\n", 0, end) + 1, last, end - _LONGEST_AROUND)
            lines.append(self._text[begin:end])
            last = end
        return "\n".join(lines)


def _looks_slow(piece: str, language: str, still_open: int) -> bool:
    return _size(piece) > _DENSE or _errors(piece[:_SAMPLE], language) > _FEW_ERRORS + still_open


def _errors(piece: str, language: str) -> int:
    from ast_grep_py import SgRoot  # noqa: PLC0415

    return len(SgRoot(piece, language).root().find_all(kind="ERROR"))


def _size(piece: str) -> int:
    """How many words and signs there are in a piece; a character of another alphabet counts as a sign."""
    classes = piece.encode("ascii", "replace").translate(_CLASSES)
    return classes.count(b".") + classes.count(b" w") + classes.count(b".w") + classes.startswith(b"w")


def _nested(root: Node, found: "list[SgNode]") -> list[Node]:
    """The nodes in the order of the text, each hung into the one around it."""
    innermost = root
    nodes = [root]
    for native in found:
        # An edit knows the offsets; ``range()`` counts columns too, which is quadratic on one long line.
        reach = native.replace("")
        start = reach.start_pos
        while start >= innermost.end and innermost.parent is not None:
            innermost = innermost.parent
        node = Node(native.kind(), start, reach.end_pos, innermost)
        innermost.children.append(node)
        nodes.append(node)
        innermost = node
    return nodes


def _problems(nodes: list[Node], lines: list[int], language: str) -> tuple[str, ...]:
    """The lines that the parser could not read."""
    broken = [node for node in nodes if node.kind == "ERROR"][:_MOST_PROBLEMS]
    return tuple(f"Line {bisect_right(lines, node.start) + 1} is no valid {language}." for node in broken)


def _start(node: Node) -> int:
    return node.start
