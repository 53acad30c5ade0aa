"""Texts that make a regular expression work as hard as it can, made from the expression itself.

Each loop of a pattern is repeated many times behind what leads to it and before what can't follow, alone, and
together with what leads to it, so that each place of the text is another beginning.
"""

import re
import re._constants as op  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

LOOPS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
_LONG = 16
_MOST_WAYS = 5


@dataclass(frozen=True, slots=True)
class Attack:
    """What comes first, what is repeated, and what comes last."""

    before: str
    repeated: str
    after: str

    def text(self, times: int) -> str:
        return self.before + self.repeated * times + self.after


def attacks(pattern: re.Pattern[Any], *, searched: bool) -> list[Attack]:
    """Attacks on each loop of a pattern, for several ways to go through it, and on each beginning of a search."""
    tree = parser.parse(pattern.pattern, pattern.flags)
    letters = _letters(tree)
    loops = dict.fromkeys(
        (before, repeated) for before, ways in _loops(list(tree), "", letters) for repeated in ways if repeated
    )
    return list(
        dict.fromkeys(attack for before, repeated in loops for attack in _around(before, repeated, searched))
    )


def _around(before: str, repeated: str, searched: bool) -> Iterator[Attack]:
    yield Attack(before, repeated, "")
    yield Attack(before, repeated, "\n\x00")
    if searched:
        yield Attack("", repeated, "\x00")
        yield Attack("", before + repeated, "\x00")
        yield Attack("", "\n" + before + repeated, "\x00")


def _letters(tree: Any) -> list[str]:
    """Letters that the pattern tells apart."""
    letters = dict.fromkeys("a0 \n")
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple) and len(node) == 2 and node[0] in (op.LITERAL, op.NOT_LITERAL):
            letters[chr(node[1])] = None
        elif isinstance(node, tuple) and len(node) == 2 and node[0] is op.RANGE:
            letters[chr(node[1][0])] = None
        elif isinstance(node, (tuple, list, parser.SubPattern)):
            stack.extend(node)
    return list(letters)


def _loops(items: Sequence[Any], before: str, letters: list[str]) -> Iterator[tuple[str, list[str]]]:
    for kind, value in items:
        if kind in LOOPS:
            _, high, body = value
            if high > _LONG:
                yield before, list(islice(dict.fromkeys(_ways(list(body), letters)), _MOST_WAYS))
        for inner in _inside(kind, value):
            yield from _loops(inner, before, letters)
        before += _shortest([(kind, value)], letters)


def _inside(kind: Any, value: Any) -> list[list[Any]]:
    if kind in LOOPS:
        return [list(value[2])]
    if kind is op.SUBPATTERN:
        return [list(value[3])]
    if kind is op.ATOMIC_GROUP:
        return [list(value)]
    if kind is op.BRANCH:
        return [list(branch) for branch in value[1]]
    if kind in (op.ASSERT, op.ASSERT_NOT):
        return [list(value[1])]
    if kind is op.GROUPREF_EXISTS:
        return [list(part) for part in value[1:] if part]
    return []


def _ways(items: list[Any], letters: list[str]) -> Iterator[str]:
    """The body of a loop in several forms: each letter that a single place takes, each branch."""
    if len(items) == 1:
        kind, value = items[0]
        if kind in (op.IN, op.ANY, op.NOT_LITERAL, op.LITERAL):
            yield from (letter for letter in letters if takes(kind, value, letter))
            return
        if inner := _inside(kind, value):
            for branch in inner:
                yield from _ways(branch, letters)
            return
    yield _shortest(items, letters)
    yield _shortest(items, letters, optional=True)
    for place, item in enumerate(items):
        rest = _shortest(items[place + 1 :], letters)
        front = _shortest(items[:place], letters)
        yield from (front + way + rest for way in islice(_ways([item], letters), 4))


def takes(kind: Any, value: Any, letter: str) -> bool:
    if kind is op.ANY:
        return letter != "\n"
    if kind is op.LITERAL:
        return bool(ord(letter) == value)
    if kind is op.NOT_LITERAL:
        return bool(ord(letter) != value)
    wanted = True
    for inner, what in value:
        if inner is op.NEGATE:
            wanted = False
        elif _is_one_of(inner, what, letter):
            return wanted
    return not wanted


def _is_one_of(kind: Any, value: Any, letter: str) -> bool:
    if kind is op.LITERAL:
        return bool(ord(letter) == value)
    if kind is op.RANGE:
        return bool(value[0] <= ord(letter) <= value[1])
    name = str(value).removeprefix("CATEGORY_").removeprefix("UNI_")
    kinds = {"DIGIT": letter.isdigit(), "SPACE": letter.isspace(), "WORD": letter.isalnum() or letter == "_"}
    return kinds[name.removeprefix("NOT_")] != name.startswith("NOT_")


def _shortest(items: Sequence[Any], letters: list[str], *, optional: bool = False) -> str:
    """A short text that the items match, as far as it can be told without looking around."""
    return "".join(_one(kind, value, letters, optional) for kind, value in items)


def _one(kind: Any, value: Any, letters: list[str], optional: bool) -> str:
    if kind is op.LITERAL:
        return chr(value)
    if kind in (op.IN, op.ANY, op.NOT_LITERAL):
        return next((letter for letter in _candidates(kind, value, letters) if takes(kind, value, letter)), "")
    if kind in LOOPS:
        low, _, body = value
        return _shortest(list(body), letters, optional=optional) * max(int(low), 1 if optional else 0)
    if kind is op.BRANCH:
        return _shortest(list(value[1][0]), letters, optional=optional)
    if kind in (op.SUBPATTERN, op.ATOMIC_GROUP):
        return _shortest(_inside(kind, value)[0], letters, optional=optional)
    return ""


def _candidates(kind: Any, value: Any, letters: list[str]) -> list[str]:
    if kind is op.IN:
        first = [
            chr(what) if inner is op.LITERAL else chr(what[0])
            for inner, what in value
            if inner in (op.LITERAL, op.RANGE)
        ]
        return ["a", *first, *letters, "!", "~"]
    return ["a", *letters, "!", "~"]
