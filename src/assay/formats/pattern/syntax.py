"""Read a pattern into a tree. What a single character is like is left to the library ``regex``, atom by atom.

``regex`` has compiled the pattern before: only what it takes comes here. What means nothing here is refused.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

_QUANTIFIER: Final = re.compile(r"(?:([*+?])|\{(?=[0-9,])([0-9]*)(?:(,)([0-9]*))?\})([?+]?)")
_FUZZY: Final = re.compile(r"\{[0-9\s<=+eids,]+[}:]")
_CLASS: Final = re.compile(r"\[\^?\]?(?:[^\]\\\[]|\\[pPN]\{[^}]*\}|\\.|\[:\^?\w+:\]|\[)*+\]", re.DOTALL)
_ATOM: Final = re.compile(
    r"\\(?:[dDsSwW]|[pP](?:\{[^}]+\}|[A-Z])|N\{[^}]+\}|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}"
    r"|0[0-7]{0,2}|[0-3][0-7]{2}|[afnrtv]|[^A-Za-z0-9])",
    re.DOTALL,
)
_BACK: Final = re.compile(r"\\([1-9][0-9]?)|\\g<(\w+)>|\(\?P=(\w+)\)")
_GROUP: Final = re.compile(
    r"\((?:\?(?:(?P<look><?[=!])|(?P<atomic>>)|P?<(?P<name>[^\W\d]\w*)>"
    r"|(?P<on>[imsxau]*)(?:-(?P<off>[imsx]+))?(?P<end>[:)])))?(?![?*])"
)
_OTHER: Final = re.compile(r".", re.DOTALL)
_REMARK: Final = re.compile(r"\(\?#[^)]*\)")
_BLANK: Final = re.compile(r"(?:\s|#[^\n]*)+")
# Python's own limit depends on who calls.
DEEPEST: Final = 40
_OF_CHARACTERS: Final = frozenset("isa")
PLACES: Final = {"A": "start", "Z": "end", "b": "word", "B": "not_word"}


@dataclass(frozen=True, slots=True)
class Atom:
    """One character, by the number of what it must be like."""

    number: int


@dataclass(frozen=True, slots=True)
class Place:
    """A place between characters, such as the start of the text."""

    kind: str


@dataclass(frozen=True, slots=True)
class Sequenced:
    parts: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Either:
    parts: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Repeat:
    part: "Node"
    least: int
    most: int | None
    greedy: bool


@dataclass(frozen=True, slots=True)
class CaptureGroup:
    part: "Node"
    number: int


@dataclass(frozen=True, slots=True)
class Look:
    """A lookahead or, with ``behind``, a lookbehind."""

    part: "Node"
    behind: bool
    negative: bool


@dataclass(frozen=True, slots=True)
class Atomic:
    """Its match is not given back."""

    part: "Node"


@dataclass(frozen=True, slots=True)
class Back:
    """A backreference to a group."""

    number: int
    ignore_case: bool


Node: TypeAlias = Atom | Place | Sequenced | Either | Repeat | CaptureGroup | Look | Atomic | Back


@dataclass(slots=True)
class Syntax:
    """A tree, its atoms, each a pattern of one character with its number, and the groups that have names."""

    tree: Node = Sequenced(())
    atoms: dict[str, int] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    groups: int = 0
    ascii: bool = False


class _OnlyAsciiError(Exception):
    """Wherever this flag stands, it holds for all of a pattern, which is read again."""


def read(pattern: str, flags: str = "") -> Syntax:
    """The tree of a pattern. Raises ``ValueError`` that says what is not taken."""
    try:
        return _PatternReader(pattern, flags).syntax()
    except _OnlyAsciiError:
        return _PatternReader(pattern, flags + "a").syntax()


class _PatternReader:
    def __init__(self, pattern: str, flags: str) -> None:
        self._pattern, self._at = pattern, 0
        self._whole = self._flags = frozenset(flags)
        self._read = Syntax(ascii="a" in flags)
        self._depth = 0

    def syntax(self) -> Syntax:
        self._read.tree = self._either()
        if self._at < len(self._pattern):
            raise self._syntax_error()
        return self._read

    def _either(self) -> Node:
        parts = [self._sequence()]
        while self._pattern.startswith("|", self._at):
            self._at += 1
            parts.append(self._sequence())
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def _sequence(self) -> Node:
        parts: list[Node] = []
        while self._skip() and self._pattern[self._at] not in "|)":
            one = self._one()
            if one is not None:
                parts.append(self._read_repeat(one))
        return parts[0] if len(parts) == 1 else Sequenced(tuple(parts))

    def _skip(self) -> bool:
        """Goes on to what means something, if there is anything."""
        while self._take(_REMARK) or ("x" in self._flags and self._take(_BLANK)):
            pass
        return self._at < len(self._pattern)

    def _read_repeat(self, one: Node) -> Node:
        if self._skip() and (found := self._take(_QUANTIFIER)):
            least, most = _times(found)
            repeat = Repeat(one, least, most, found[5] != "?")
            return Atomic(repeat) if found[5] == "+" else repeat
        if _FUZZY.match(self._pattern, self._at):
            raise self._syntax_error()
        return one

    def _one(self) -> Node | None:
        here = self._pattern[self._at]
        if found := self._take(_BACK):
            return self._back(found)
        if here == "(":
            return self._group()
        if here in "^$":
            self._at += 1
            lines = "line_" if "m" in self._flags else ""
            return Place(lines + ("start" if here == "^" else "end" if lines else "last"))
        if here == "\\" and (kind := PLACES.get(self._pattern[self._at + 1 : self._at + 2])):
            self._at += 2
            return Place(kind)
        found = self._take(_CLASS if here == "[" else _ATOM if here == "\\" else _OTHER)
        if found is None or (here == "{" and _FUZZY.match(self._pattern, self._at - 1)):
            raise self._syntax_error()
        text = found[0] if here in "[\\." else re.escape(here)
        return self._atom(text)

    def _atom(self, text: str) -> Atom:
        whole, on, off = (
            "".join(sorted(flags & _OF_CHARACTERS))
            for flags in (self._whole, self._flags - self._whole, self._whole - self._flags)
        )
        around = f"(?{on}{'-' if off else ''}{off}:{text})" if on or off else text
        atom = f"(?{whole}){around}" if whole else around
        return Atom(self._read.atoms.setdefault(atom, len(self._read.atoms)))

    def _back(self, found: re.Match[str]) -> Back:
        name = found[1] or found[2] or found[3]
        number = int(name) if name.isdecimal() else self._read.names.get(name)
        if number is None:
            raise self._syntax_error(found.start())
        return Back(number, "i" in self._flags)

    def _group(self) -> Node | None:
        began, found = self._at, self._take(_GROUP)
        if found is None or found["name"] in self._read.names:
            raise self._syntax_error(began)
        outer = self._flags
        if found["end"] and not self._switch_flags(found, began):
            return None
        number = None
        if found["name"] or found[0] == "(":
            number = self._read.groups = self._read.groups + 1
            if found["name"]:
                self._read.names[found["name"]] = number
        self._depth += 1
        if self._depth > DEEPEST:
            raise ValueError(f"a pattern must have at most {DEEPEST} groups within each other")
        part = self._either()
        self._depth -= 1
        if not self._pattern.startswith(")", self._at):
            raise self._syntax_error()
        self._at, self._flags = self._at + 1, outer
        if found["look"]:
            # Backwards, what is not given back would be something else.
            if "<" in found["look"] and _gives_nothing_back(part):
                raise self._syntax_error(began)
            return Look(part, "<" in found["look"], "!" in found["look"])
        if found["atomic"]:
            return Atomic(part)
        return part if number is None else CaptureGroup(part, number)

    def _switch_flags(self, found: re.Match[str], began: int) -> bool:
        """Whether flags hold for a group of their own; otherwise for the rest of that which they stand in."""
        on, off = frozenset(found["on"]), frozenset(found["off"] or "")
        for_all = found["end"] == ")"
        if (off and for_all) or (on & {"a", "u"} and not for_all):
            raise self._syntax_error(began)
        if "a" in on - self._whole:
            raise _OnlyAsciiError
        self._flags = (self._flags | on) - off
        return not for_all

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self._pattern, self._at)
        if found:
            self._at = found.end()
        return found

    def _syntax_error(self, at: int | None = None) -> ValueError:
        place = self._at if at is None else at
        rest = self._pattern[place : place + 10]
        return ValueError(
            f"the pattern {self._pattern!r} has {rest!r} at character {place + 1}, which patterns here can't have"
        )


def _times(found: re.Match[str]) -> tuple[int, int | None]:
    if found[1]:
        return {"*": (0, None), "+": (1, None), "?": (0, 1)}[found[1]]
    least = int(found[2] or 0)
    return least, (int(found[4]) if found[4] else None) if found[3] else least


def inside(node: Node) -> Sequence[Node]:
    """The nodes that a node is made of."""
    if isinstance(node, Sequenced | Either):
        return node.parts
    return () if isinstance(node, Atom | Place | Back) else (node.part,)


def _gives_nothing_back(node: Node) -> bool:
    return isinstance(node, Atomic | Back) or any(map(_gives_nothing_back, inside(node)))


def longest(node: Node) -> int | None:
    """How many characters a node takes at most; None if there is no such number."""
    if isinstance(node, Atom):
        return 1
    if isinstance(node, Back):
        return None
    if isinstance(node, Place | Look):
        return 0
    parts = [longest(one) for one in inside(node)]
    known = [one for one in parts if one is not None]
    if len(known) < len(parts):
        return None
    if isinstance(node, Repeat):
        return 0 if not known[0] else None if node.most is None else known[0] * node.most
    return max(known) if isinstance(node, Either) else sum(known)
