"""Whether two expressions are one tree, in which names were given other names and subjects were moved.

A name stands for one other name everywhere. What a call or a member is taken from may have been set up elsewhere,
and a literal may have become a name. Functions, members, operators and their order stay.
"""

import re
from functools import lru_cache

from assay.code.expressions import Expr, expression

_TOKEN = re.compile(
    r"[fFrRbBuU]{0,2}\"(?:[^\"\\]|\\.)*+\"|`(?:[^`\\]|\\.)*+`|/(?![\s*])(?:[^/\\\n]|\\.)++/[a-z]*|is not\b"
    r"|not in\b"
    r"|[$@#]*\w+(?:\.\d+)?[?!]?(?!=)|[$@#]*\w+|===|!==|<=>|\.\.\.|=>|->|:=|==|!=|<=|>=|&&|\|\||\?\?|\?\.|::|=~|!~|\*\*"
    r"|<<|>>|\.\.|\S"
)
_WAITING = re.compile(r"\.await\b(?:\(\))?|\bawait\b")
_AROUND = frozenset((("map", "{"), ("unary", "&"), ("unary", "*")))
"""What may stand around an expression to hand it over: a block, a reference."""
_DEEPEST = 40
_LONGEST = 2000
_PLACES = frozenset(("name", "member"))
_VALUES = frozenset(("name", "member", "call", "index"))


def is_renamed(before: str, after: str, gone: frozenset[str] = frozenset()) -> bool:
    """Whether an expression differs from another one by nothing but other names for the same things.

    A function or a member is only taken for another one if the change took its name out of the code: ``gone``.
    """
    one, other = _tree(before), _tree(after)
    return one is not None and other is not None and _Renaming(gone).is_same(one, other)


@lru_cache(maxsize=4096)
def _tree(text: str) -> Expr | None:
    if not 0 < len(text) <= _LONGEST:
        return None
    found = expression([each for each in _TOKEN.findall(_WAITING.sub("", text)) if each != "new"])
    while found is not None and found.parts and (found.kind == "closure" or (found.kind, found.text) in _AROUND):
        found = found.parts[-1]
    return found


class _Renaming:
    def __init__(self, gone: frozenset[str]) -> None:
        self._gone = gone
        self._names: dict[str, str] = {}
        self._taken: dict[str, str] = {}

    def is_same(self, one: Expr, other: Expr, depth: int = 0) -> bool:
        if depth > _DEEPEST:
            return False
        if one.kind == "name" and other.kind == "name":
            return self._names.setdefault(one.text, other.text) == other.text and (
                self._taken.setdefault(other.text, one.text) == one.text
            )
        if one.kind in ("literal", "name") and other.kind in _PLACES:
            return True
        if depth == 0 and "name" in (one.kind, other.kind) and _is_moved(one, other):
            return True
        if depth and other.kind == "call" and _is_made(one) and _words(other, "literal") <= _words(one, "literal"):
            return True
        if one.kind != other.kind or (one.text != other.text and one.text not in self._gone):
            return False
        match one.kind:
            case "call":
                return self._is_same_call(one, other, depth)
            case "member":
                return self._is_same_place(one.parts[0], other.parts[0], depth)
            case _:
                return len(one.parts) == len(other.parts) and all(
                    self.is_same(mine, its, depth + 1) for mine, its in zip(one.parts, other.parts, strict=True)
                )

    def _is_same_call(self, one: Expr, other: Expr, depth: int) -> bool:
        """Whether a function of this name is given as much as before, or more."""
        (function, *given), (now, *more) = one.parts, other.parts
        if function.kind in _PLACES and now.kind in _PLACES:
            called = function.text == now.text or function.text in self._gone
            if called and function.kind == now.kind == "member":
                called = self._is_same_place(function.parts[0], now.parts[0], depth)
            elif called and len(given) == len(more) + 1 and now.kind == "member":
                more = [*now.parts, *more]
        else:
            called = self.is_same(function, now, depth + 1)
        if not called or len(given) > len(more):
            return False
        return all(self.is_same(mine, its, depth + 1) for mine, its in zip(given, more, strict=False))

    def _is_same_place(self, one: Expr, other: Expr, depth: int) -> bool:
        """Whether members are taken from the same thing, or from one that was set up elsewhere."""
        return _is_moved(one, other) or self.is_same(one, other, depth + 1)


def _is_moved(one: Expr, other: Expr) -> bool:
    """Whether one of two expressions is only the name of what may be the other, with literals in one at most."""
    for place, value in ((one, other), (other, one)):
        if place.kind in _PLACES and value.kind in _VALUES and not _words(place, "name") & _words(value, "name"):
            return not (_words(one, "literal") and _words(other, "literal"))
    return False


def _is_made(value: Expr) -> bool:
    """Whether a value is made by a class: ``Money(5)``."""
    return value.kind == "call" and value.parts[0].kind == "name" and value.parts[0].text[0].isupper()


def _words(whole: Expr, kind: str) -> set[str]:
    """The names or the literals in an expression."""
    waiting, found = [whole], set[str]()
    while waiting:
        each = waiting.pop()
        if each.kind == kind:
            found.add(each.text)
        waiting += each.parts
    return found
