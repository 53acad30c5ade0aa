"""One reading of a text: the text itself, or what it says once it is joined, decoded or turned round.

A reading knows on which line of the original each of its parts is, so a finding can be pointed at. The line is
worked out only when there is a finding, which there hardly ever is.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

Locate = Callable[[int], int]

_RUN = re.compile(r"[A-Za-z0-9_+/=.~:%-]{20,}")


@dataclass(frozen=True)
class View:
    """``form`` says what was done to the original, ``line_at`` gives the original's line for an offset in
    ``text``.
    """

    form: str
    text: str
    line_at: Locate

    @cached_property
    def runs(self) -> tuple[tuple[int, str], ...]:
        """Where unbroken words begin that are long enough for a token and are no plain words, and the words."""
        found = ((run.start(), run[0]) for run in _RUN.finditer(self.text))
        return tuple((start, run) for start, run in found if not run.replace("_", "a").isalpha() or _is_mixed(run))

    @cached_property
    def sample(self) -> str:
        """All long words. A token's prefix that is not here is nowhere in the text."""
        return "\n".join(run for _, run in self.runs)


def plain_view(text: str, numbers: tuple[int, ...] | None = None) -> View:
    """A text as it is. ``numbers`` gives each line its number in the file where the text is a part of one."""

    def line_at(offset: int) -> int:
        line = text.count("\n", 0, offset)
        return numbers[min(line, len(numbers) - 1)] if numbers else line + 1

    return View("plain", text, line_at)


def pieces_view(form: str, parent: View, pieces: Iterable[tuple[str, int]]) -> View | None:
    """A view of pieces, each with its offset in the parent, set apart so that nothing matches across two of
    them.
    """
    found = [piece for piece in pieces if piece[0]]
    starts, at = [], 0
    for text, _ in found:
        starts.append(at)
        at += len(text) + 2

    def line_at(offset: int) -> int:
        return parent.line_at(found[max(0, bisect_right(starts, offset) - 1)][1])

    return View(form, "\n\n".join(text for text, _ in found), line_at) if found else None


def _is_mixed(run: str) -> bool:
    return not run.islower() and not run.isupper()
