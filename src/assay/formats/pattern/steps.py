"""Search by trying, with every step counted. For what a linear engine can't do: looking around, and groups again.

A place of the program at a place of the text that led nowhere is not tried again, so that only what a group has
found can make the number of steps more than a power of the text's length.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import regex

from assay.formats.pattern.syntax import (
    Atom,
    Atomic,
    Back,
    CaptureGroup,
    Either,
    Look,
    Node,
    Place,
    Repeat,
    Sequenced,
    longest,
)

ATOM, SPLIT, JUMP, SAVE, PLACE, LOOK, ATOMIC, BACK, DONE, FAIL = range(10)
# The first instruction is where nothing goes on; a program begins behind it.
NOWHERE, START = 0, 1
MOST_PARTS: Final = 200_000
_Groups = tuple[int, ...]


class StepsError(Exception):
    """There were more steps than allowed."""


class PatternMatch(NamedTuple):
    """Where a match ends, and where its groups begin and end (-1 for those that found nothing)."""

    end: int
    groups: _Groups


class PatternProgram:
    """Instructions for a tree. Each is a tuple that begins with what to do."""

    def __init__(self, tree: Node, groups: int) -> None:
        self.code: list[tuple[Any, ...]] = [(FAIL,)]
        self.groups = groups
        self.goes_back = False
        self._add(tree)
        self.code.append((DONE,))

    def _add(self, node: Node) -> None:
        code = self.code
        if len(code) > MOST_PARTS:
            raise ValueError(f"a pattern must have at most {MOST_PARTS} parts with its repetitions")
        if isinstance(node, Sequenced):
            for part in node.parts:
                self._add(part)
        elif isinstance(node, Atom):
            code.append((ATOM, 1 << node.number))
        elif isinstance(node, Place):
            code.append((PLACE, node.kind))
        elif isinstance(node, Either):
            self._either(node.parts)
        elif isinstance(node, Repeat):
            self._repeat(node)
        elif isinstance(node, CaptureGroup):
            code.append((SAVE, 2 * node.number - 2))
            self._add(node.part)
            code.append((SAVE, 2 * node.number - 1))
        elif isinstance(node, Back):
            self.goes_back = True
            code.append((BACK, 2 * node.number - 2, node.ignore_case))
        else:
            self._apart(node)

    def _apart(self, node: Look | Atomic) -> None:
        """A program of its own inside this one, which goes on behind it."""
        here = len(self.code)
        self.code.append(())
        self._add(node.part)
        self.code.append((DONE,))
        behind = len(self.code)
        if isinstance(node, Atomic):
            self.code[here] = (ATOMIC, behind)
        else:
            self.code[here] = (LOOK, behind, node.behind, node.negative, longest(node.part))

    def _either(self, parts: Sequence[Node]) -> None:
        jumps = []
        for part in parts[:-1]:
            split = len(self.code)
            self.code.append(())
            self._add(part)
            jumps.append(len(self.code))
            self.code.append(())
            self.code[split] = (SPLIT, split + 1, len(self.code), NOWHERE)
        self._add(parts[-1])
        for jump in jumps:
            self.code[jump] = (JUMP, len(self.code))

    def _repeat(self, node: Repeat) -> None:
        """A last part that may be repeated for ever is written once, or parts within each other would double."""
        for _ in range(node.least if node.most is not None else node.least - 1):
            self._add(node.part)
        if node.most is not None:
            splits = [self._optional(node) for _ in range(node.most - node.least)]
            for split in splits:
                self._close(split, node.greedy)
            return
        skip = None if node.least else self._optional(None)
        begin = len(self.code)
        self._add(node.part)
        behind = len(self.code) + 1
        self.code.append((SPLIT, *((begin, behind) if node.greedy else (behind, begin)), behind))
        if skip is not None:
            self._close(skip, node.greedy)

    def _optional(self, node: Repeat | None) -> int:
        split = len(self.code)
        self.code.append(())
        if node is not None:
            self._add(node.part)
        return split

    def _close(self, split: int, greedy: bool) -> None:
        inner, behind = split + 1, len(self.code)
        self.code[split] = (SPLIT, *((inner, behind) if greedy else (behind, inner)), NOWHERE)


@dataclass(slots=True)
class Search:
    """One text that a program is looked for in. ``like`` has a bit for each atom that a character is like."""

    program: PatternProgram
    text: str
    like: dict[str, int]
    is_word: Callable[[str], bool]
    steps: int
    # Of each program inside: what led nowhere, from wherever it was begun.
    nowhere: dict[int, set[Any]] = field(default_factory=dict)

    def first(self, begin: int = 0, *, whole: bool = False, empty: bool = True) -> tuple[int, PatternMatch] | None:
        """The first match from a place on: where it begins, and what it is. A ``whole`` one is all of the text.

        Without ``empty``, it is not an empty one at that place.
        """
        none = (-1,) * (2 * self.program.groups)
        if not empty:
            found = self._run(START, begin, none, not_at=begin)
            self.nowhere.pop(START, None)
            if found is not None:
                return begin, found
            begin += 1
        end = len(self.text) if whole else None
        for at in range(begin, 1 if whole else len(self.text) + 1):
            found = self._run(START, at, none, must_end=end)
            if found is not None:
                return at, found
        return None

    def _run(
        self, start: int, begin: int, groups: _Groups, must_end: int | None = None, not_at: int | None = None
    ) -> PatternMatch | None:
        code, text, like, goes_back = self.program.code, self.text, self.like, self.program.goes_back
        seen = self.nowhere.setdefault(start, set())
        waiting = [(start, begin, groups)]
        length = len(text)
        wide = length + 1
        while waiting:
            at, here, groups = waiting.pop()
            while True:
                self.steps -= 1
                if self.steps < 0:
                    raise StepsError
                one = code[at]
                what = one[0]
                if what == ATOM:
                    if here == length or not like[text[here]] & one[1]:
                        break
                    at, here = at + 1, here + 1
                elif what == SPLIT:
                    known = (at, here, groups) if goes_back else at * wide + here
                    if known in seen:
                        # A repetition that has taken nothing is the last one.
                        at = one[3]
                        continue
                    seen.add(known)
                    waiting.append((one[2], here, groups))
                    at = one[1]
                elif what == DONE:
                    if here == not_at or (must_end is not None and here != must_end):
                        break
                    # Some of what was seen has led here.
                    del self.nowhere[start]
                    return PatternMatch(here, groups)
                else:
                    following = self._following(one, at, here, groups)
                    if following is None:
                        break
                    at, (here, groups) = following
        return None

    def _following(
        self, one: tuple[Any, ...], at: int, here: int, groups: _Groups
    ) -> tuple[int, PatternMatch] | None:
        """Where it goes on after one of the other instructions; None if it fails."""
        if one[0] == FAIL:
            return None
        if one[0] == JUMP:
            return one[1], PatternMatch(here, groups)
        if one[0] == SAVE:
            return at + 1, PatternMatch(here, (*groups[: one[1]], here, *groups[one[1] + 1 :]))
        if one[0] == PLACE:
            return (at + 1, PatternMatch(here, groups)) if _HOLDS[one[1]](self, here) else None
        if one[0] == BACK:
            found = self._back(one, here, groups)
            return None if found is None else (at + 1, found)
        found = self._apart(one, at + 1, here, groups)
        return None if found is None else (one[1], found)

    def _apart(self, one: tuple[Any, ...], start: int, here: int, groups: _Groups) -> PatternMatch | None:
        """The result of the program inside that begins here; None if it fails."""
        if one[0] == ATOMIC:
            return self._run(start, here, groups)
        _, _, behind, negative, most = one
        found = self._behind(start, here, groups, most) if behind else self._run(start, here, groups)
        if negative:
            return PatternMatch(here, groups) if found is None else None
        return None if found is None else PatternMatch(here, found.groups)

    def _behind(self, start: int, here: int, groups: _Groups, most: int | None) -> PatternMatch | None:
        """A dead end only led to no end here; elsewhere it may."""
        self.nowhere.pop(start, None)
        begins = range(here, -1 if most is None else max(-1, here - most - 1), -1)
        ends = (self._run(start, begin, groups, must_end=here) for begin in begins)
        return next((one for one in ends if one is not None), None)

    def _back(self, one: tuple[Any, ...], here: int, groups: _Groups) -> PatternMatch | None:
        begin, end = groups[one[1] : one[1] + 2]
        if begin < 0 or end < begin:
            return None
        self.steps -= end - begin
        said, now = self.text[begin:end], self.text[here : here + end - begin]
        same = said == now or (one[2] and regex.fullmatch(regex.escape(said), now, regex.IGNORECASE) is not None)
        return PatternMatch(here + end - begin, groups) if same else None

    def at_word(self, here: int) -> bool:
        """Whether a word begins or ends here."""
        before = here > 0 and self.is_word(self.text[here - 1])
        return before != (here < len(self.text) and self.is_word(self.text[here]))


_HOLDS: Final[dict[str, Callable[[Search, int], bool]]] = {
    "start": lambda _, here: here == 0,
    "end": lambda search, here: here == len(search.text),
    "last": lambda search, here: here + 1 >= len(search.text) and search.text[here:] in ("", "\n"),
    "line_start": lambda search, here: here == 0 or search.text[here - 1] == "\n",
    "line_end": lambda search, here: search.text[here : here + 1] in ("", "\n"),
    "word": lambda search, here: search.at_word(here),
    "not_word": lambda search, here: not search.at_word(here),
}
