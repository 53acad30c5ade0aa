"""The one spelling of an expression: brackets exactly where its tree needs them, in any language."""

from collections.abc import Sequence

from assay.code.expressions import Expr, parse
from assay.code.operators import ASSOCIATIVE, COMPARISONS, KEYWORD, NEUTRAL, PRIMARY, RIGHT, Operators

_ARROWS = frozenset(("=>", "->"))


def canonical(words: Sequence[str], operators: Operators = NEUTRAL) -> list[str]:
    """Words of a language in the neutral spelling, without commas, semicolons and brackets that change nothing."""
    words = _joined_texts(words) if "+" in words else words
    pieces, idle = parse(words, operators)
    marks = _Marks(dict.fromkeys(idle, 0), {}, {})
    if len(pieces) == 1:
        marks.set_brackets(pieces[0], needed=False)
    waiting = pieces
    while waiting:
        each = waiting.pop()
        if each.kind != "other":
            for place, part in enumerate(each.parts):
                needed = _needs_brackets(each, place, part, operators)
                if needed is not None:
                    marks.set_brackets(part, needed=needed)
        waiting += each.parts
    return marks.applied(words)


class _Marks:
    """Where brackets come in and go."""

    def __init__(self, dropped: dict[int, int], opened: dict[int, int], closed: dict[int, int]) -> None:
        self._dropped, self._opened, self._closed = dropped, opened, closed

    def set_brackets(self, part: Expr, *, needed: bool) -> None:
        """Leave one pair of brackets around a part, or none."""
        for outer in range(1 if needed and part.brackets else 0, part.brackets):
            self._dropped[part.start + outer] = self._dropped[part.end - 1 - outer] = 0
        if needed and not part.brackets:
            self._opened[part.start] = self._opened.get(part.start, 0) + 1
            self._closed[part.end - 1] = self._closed.get(part.end - 1, 0) + 1

    def applied(self, words: Sequence[str]) -> list[str]:
        if not self._dropped and not self._opened:
            return list(words)
        out: list[str] = []
        for at, word in enumerate(words):
            out += ["("] * self._opened.get(at, 0)
            if at not in self._dropped:
                out.append(word)
            out += [")"] * self._closed.get(at, 0)
        return out


def _needs_brackets(around: Expr, place: int, part: Expr, operators: Operators) -> bool | None:
    """Whether a part must be in brackets; None where it stays as it is written."""
    if part.strength == PRIMARY:
        return None if around.text in _ARROWS and part.kind == "map" else False
    match around.kind:
        case "call" | "index" | "member":
            return place == 0
        case "list" | "map":
            return False
        case "choice":
            first = place < 2 if around.text == "if" else place == 0
            return _unless_loose(
                part, part.strength <= around.strength if first else part.strength < around.strength
            )
        case "unary" | "closure" if len(around.parts) == 1:
            if part.strength == around.strength and part.brackets:
                return None
            return around.strength != KEYWORD and part.strength < around.strength
        case _:
            return _unless_loose(part, _is_taken_apart(around, place, part, operators))


def _unless_loose(part: Expr, needed: bool) -> bool | None:
    """An expression that binds loosely, such as an assignment, gets no brackets that nobody wrote."""
    loose = part.kind in ("assign", "closure") or part.strength == KEYWORD
    return None if needed and loose and not part.brackets else needed


def _is_taken_apart(around: Expr, place: int, part: Expr, operators: Operators) -> bool:
    """Whether a part of an operation would be read as something else without brackets."""
    if around.text in COMPARISONS and part.text in COMPARISONS and part.kind == "binary":
        return bool(part.brackets) or place > 0 or not operators.chained
    if part.strength != around.strength:
        return part.strength < around.strength
    if around.text in ASSOCIATIVE:
        return False
    return (place == 0) if around.text in RIGHT else (place > 0)


def _joined_texts(words: Sequence[str]) -> list[str]:
    """A text that is added to a text is put into that one."""
    out: list[str] = []
    for word in words:
        if (
            word[0] == '"'
            and len(word) > 1
            and len(out) > 1
            and out[-1] == "+"
            and out[-2][0] == '"'
            and len(out[-2]) > 1
        ):
            out.pop()
            out[-1] = out[-1][:-1] + word[1:]
        else:
            out.append(word)
    return out
