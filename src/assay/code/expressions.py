"""Expressions as trees, made of words in linear time and without recursion.

Words that are no expression are read as far as they go: statements, types and blocks are pieces beside each other,
of which nothing is claimed.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from assay.code.operators import (
    BESIDE,
    KEYWORD,
    NEUTRAL,
    PREFIX,
    PRIMARY,
    RIGHT,
    Operators,
    type_end,
)

_MOST_KEPT = 60
_OPENERS = {"(": ")", "[": "]", "{": "}"}
_CLOSERS = frozenset(_OPENERS.values())
_MEMBER = frozenset((".", "?.", "::", "&."))
KEYWORDS = frozenset("return throw yield case when unless elsif until then do else if while lambda".split())  # noqa: SIM905
PREFIX_WORDS = frozenset("await typeof new delete void async defined? move ref".split())  # noqa: SIM905
_CALLABLE = frozenset(("if", "while", "lambda", "move", "ref"))
"""Those of them that are taken for a function where a parenthesis follows."""
_BETWEEN = frozenset(("is", "in", "as", "instanceof", "of", "and", "or", "for"))
"""Words that are operators between two operands, and names anywhere else."""
_NAMED_LIKE = frozenset((":", "=", ",", ")", "]", "}", ";", "."))


class Expr(NamedTuple):
    """An expression, or a piece of code that is none.

    ``kind`` is one of call, member, index, binary, unary, choice, closure, list, map, literal, name, assign and
    other. ``start`` and ``end`` are indexes of words, with the ``brackets`` around it. ``strength`` is how tightly
    its operator binds in the neutral spelling.
    """

    kind: str
    text: str
    parts: tuple["Expr", ...]
    start: int
    end: int
    strength: float = PRIMARY
    brackets: int = 0


class _Sign(NamedTuple):
    """An operator that waits for its right side."""

    text: str
    own: float
    """How tightly it binds in the language."""
    neutral: float
    start: int
    sides: int


class _Frame:
    """Whatever is between two brackets, as far as it is read."""

    __slots__ = ("commas", "expecting", "head", "items", "opened", "operands", "pieces", "signs", "trailing")

    def __init__(self, opened: int, head: Expr | None) -> None:
        self.opened, self.head = opened, head
        self.operands: list[Expr] = []
        self.signs: list[_Sign] = []
        self.pieces: list[Expr] = []
        self.items: list[Expr] = []
        self.expecting = True
        self.commas = 0
        self.trailing = -1
        """Where the comma is behind which nothing has come yet."""


class Parsed(NamedTuple):
    """The pieces of some words, and the places of commas and semicolons that change nothing."""

    pieces: list[Expr]
    idle: list[int]


def parse(words: Sequence[str], operators: Operators = NEUTRAL) -> Parsed:
    """Read words by the operators of their language."""
    return _Reader(words, operators).read()


def expression(words: Sequence[str]) -> Expr | None:
    """The one expression that words in the neutral spelling are; None for anything else."""
    return _kept(tuple(words)) if len(words) < _MOST_KEPT else _only(words)


@lru_cache(maxsize=8192)
def _kept(words: tuple[str, ...]) -> Expr | None:
    """The same expression is asked for what it compares, whether it always holds and what it demands."""
    return _only(words)


def _only(words: Sequence[str]) -> Expr | None:
    pieces = parse(words).pieces
    return pieces[0] if len(pieces) == 1 else None


def _begins_operand(word: str) -> bool:
    first = word[0]
    return first.isalpha() or first in "_$@\"'`#\\" or first.isdigit() or (first == ":" and len(word) > 1)


class _Reader:
    def __init__(self, words: Sequence[str], operators: Operators) -> None:
        self._words = words
        self._operators = operators
        self._strengths = operators.strengths
        self._frame = _Frame(-1, None)
        self._frames = [self._frame]
        self._idle: list[int] = []

    def read(self) -> Parsed:
        at, count = 0, len(self._words)
        while at < count:
            word = self._words[at]
            if word in _OPENERS:
                at = self._open(at, word)
            elif word in _CLOSERS:
                at = self._close(at)
            elif word == ",":
                at = self._separate(at)
            elif word == ";":
                self._idle.append(at)
                self._finish_piece()
                at += 1
            else:
                at = self._operand(at, word) if self._frame.expecting else self._following(at, word)
        while len(self._frames) > 1:
            self._abandon()
        self._end_item()
        if self._frame.trailing >= 0:
            self._idle.append(self._frame.trailing)
        return Parsed(self._frame.items if self._frame.commas else self._unpacked(), self._idle)

    def _unpacked(self) -> list[Expr]:
        """The pieces of the only item."""
        items = self._frame.items
        beside = len(items) == 1 and items[0].kind == "other" and items[0].text == "" and not items[0].brackets
        return list(items[0].parts) if beside else items

    # What begins an operand.

    def _operand(self, at: int, word: str) -> int:
        following = self._words[at + 1] if at + 1 < len(self._words) else ""
        if word[0] == "/" or _begins_operand(word):
            return self._word(at, word, following)
        if word in _MEMBER and following and (following[0].isalpha() or following[0] == "_"):
            self._put(Expr("name", word + following, (), at, at + 2))
            return at + 2
        if word == "|":
            end = next((i for i in range(at + 1, min(len(self._words), at + 60)) if self._words[i] == "|"), at)
            self._sign("|", 1.0, 1.0, at, 1)
            return end + 1
        loose = word in ("||", ":")
        self._sign(word, 1.0 if loose else PREFIX, 1.0 if loose else PREFIX, at, 1)
        return at + 1

    def _word(self, at: int, word: str, following: str) -> int:
        if following not in _NAMED_LIKE and word not in self._operators.functions:
            if word == "not":
                self._sign(word, self._operators.negation, NEUTRAL.negation, at, 1)
                return at + 1
            if (word in KEYWORDS or word in PREFIX_WORDS) and (word not in _CALLABLE or following != "("):
                strength = KEYWORD if word in KEYWORDS else PREFIX
                self._sign(word, strength, strength, at, 1)
                return at + 1
        literal = word[0] in "\"'`/" or word[-1] in "\"'`" or word[0].isdigit()
        self._put(Expr("literal" if literal else "name", word, (), at, at + 1))
        return at + 1

    def _put(self, operand: Expr) -> None:
        frame = self._frame
        frame.operands.append(operand)
        frame.expecting = False
        frame.trailing = -1

    def _sign(self, text: str, own: float, neutral: float, start: int, sides: int) -> None:
        self._frame.signs.append(_Sign(text, own, neutral, start, sides))
        self._frame.expecting = True
        self._frame.trailing = -1

    # What follows an operand.

    def _following(self, at: int, word: str) -> int:
        words, frame = self._words, self._frame
        following = words[at + 1] if at + 1 < len(words) else ""
        if word in _MEMBER and following != "<":
            return self._member(at, following)
        end = self._end_of_types(at, word)
        if end is not None:
            frame.operands[-1] = frame.operands[-1]._replace(end=end + 1)
            return end + 1
        if word in (":", "else") and self._choose(at):
            return at + 1
        if word == "?" and following == ":" and "?:" in self._strengths and "?" not in words[at + 1 : at + 2]:
            self._infix("?:", at)
            return at + 2
        if word in self._strengths and (word != "?" or following != "."):
            self._infix(word, at)
            return at + 1
        if _begins_operand(word):
            if self._operators.named is not None and word[0].isalpha() and self._takes_operand(following):
                self._infix(word, at)
                return at + 1
            self._finish_piece()
            return at
        head = frame.operands.pop()
        frame.operands.append(Expr("unary", word, (head,), head.start, at + 1))
        return at + 1

    def _end_of_types(self, at: int, word: str) -> int | None:
        """The end of the types in angle brackets that an operand is given; None if there are none."""
        if word in _MEMBER or (word == "<" and self._frame.operands[-1].kind in ("name", "member")):
            return type_end(self._words, at + (word != "<"))
        return None

    def _member(self, at: int, name: str) -> int:
        if not name or name in _OPENERS or name in _CLOSERS:
            return at + 1
        head = self._frame.operands.pop()
        self._frame.operands.append(Expr("member", name, (head,), head.start, at + 2))
        return at + 2

    def _takes_operand(self, following: str) -> bool:
        return (
            bool(following) and (following[0].isalnum() or following[0] in "_\"'`") and following not in _BETWEEN
        )

    def _infix(self, word: str, at: int) -> None:
        own = self._strengths.get(word, self._operators.named or 0.0)
        self._reduce(own, right=word in RIGHT)
        self._sign(word, own, NEUTRAL.strengths.get(word, own), at, 2)

    def _choose(self, at: int) -> bool:
        """Take the second sign of a choice; false if none is open."""
        signs = self._frame.signs
        wanted = "?" if self._words[at] == ":" else "if"
        place = len(signs) - 1
        while place >= 0 and (signs[place].text != wanted or signs[place].sides != 2):
            place -= 1
        if place < 0 or any(sign.text == ":" for sign in signs[place:]):
            return False
        while len(signs) > place + 1:
            self._apply()
        signs[place] = signs[place]._replace(sides=3)
        self._frame.expecting = True
        return True

    # Operators are applied to what is on both sides as soon as a looser one comes.

    def _reduce(self, strength: float, right: bool) -> None:
        signs = self._frame.signs
        while signs and (signs[-1].own > strength or (signs[-1].own == strength and not right)):
            self._apply()

    def _apply(self) -> None:
        frame = self._frame
        sign = frame.signs.pop()
        if frame.expecting:
            end = frame.operands[-1].end if frame.operands else sign.start + 1
            frame.operands.append(Expr("other", "", (), max(end, sign.start + 1), max(end, sign.start + 1)))
            frame.expecting = False
        taken = frame.operands[-sign.sides :]
        del frame.operands[-sign.sides :]
        start = taken[0].start if sign.sides > 1 and len(taken) == sign.sides else min(sign.start, taken[0].start)
        if sign.text == "if" and len(taken) == 3:
            taken[0], taken[1] = taken[1], taken[0]
        frame.operands.append(
            Expr(_kind(sign), sign.text, tuple(taken), start, max(each.end for each in taken), sign.neutral)
        )

    def _finish_piece(self) -> None:
        frame = self._frame
        while frame.signs:
            self._apply()
        frame.pieces += frame.operands
        frame.operands = []
        frame.expecting = True

    def _end_item(self) -> None:
        frame = self._frame
        self._finish_piece()
        pieces = frame.pieces
        if len(pieces) == 1:
            frame.items.append(pieces[0])
        elif pieces:
            frame.items.append(Expr("other", "", tuple(pieces), pieces[0].start, pieces[-1].end))
        frame.pieces = []

    # Brackets.

    def _open(self, at: int, word: str) -> int:
        frame = self._frame
        head: Expr | None = None
        if not frame.expecting:
            if word == "{" and any(sign.own == KEYWORD for sign in frame.signs):
                self._finish_piece()
            else:
                head = frame.operands.pop()
        self._frame = _Frame(at, head)
        self._frames.append(self._frame)
        return at + 1

    def _separate(self, at: int) -> int:
        self._end_item()
        self._frame.commas += 1
        self._frame.trailing = at
        return at + 1

    def _close(self, at: int) -> int:
        if len(self._frames) == 1:
            self._finish_piece()
            self._frame.pieces.append(Expr("other", self._words[at], (), at, at + 1))
            return at + 1
        self._end_item()
        frame = self._frames.pop()
        self._frame = self._frames[-1]
        opener, items = self._words[frame.opened], frame.items
        alone = opener == "(" and frame.head is None and len(items) == 1
        of_one = alone and self._operators.tuples and frame.commas == 1
        if frame.trailing >= 0 and not of_one:
            self._idle.append(frame.trailing)
        if alone and not of_one:
            inner = items[0]
            strength = BESIDE if inner.kind == "other" else inner.strength
            made = inner._replace(start=frame.opened, end=at + 1, strength=strength, brackets=inner.brackets + 1)
        elif frame.head is not None:
            kind = "index" if opener == "[" else "call"
            made = Expr(kind, opener, (frame.head, *items), frame.head.start, at + 1)
        else:
            made = Expr("map" if opener == "{" else "list", opener, tuple(items), frame.opened, at + 1)
        self._put(made)
        return at + 1

    def _abandon(self) -> None:
        """Leave a bracket that is never closed: what is in it are pieces of what is around."""
        self._end_item()
        frame = self._frames.pop()
        self._frame = self._frames[-1]
        if frame.head is not None:
            self._frame.operands.append(frame.head)
        self._finish_piece()
        self._frame.pieces += frame.items
        self._frame.trailing = frame.trailing


def _kind(sign: _Sign) -> str:
    if sign.sides == 1:
        return "closure" if sign.text in ("|", "||", "lambda") else "unary"
    if sign.sides == 3:
        return "choice"
    if sign.text in ("=>", "->"):
        return "closure"
    return "assign" if sign.neutral == 1.0 else "binary"
