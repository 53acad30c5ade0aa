"""One sign, and which signs are new."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

_LONGEST = 160


@dataclass(frozen=True, slots=True)
class Sign:
    """Something in a file that a reader should look at. ``text`` is the source it is about, on one line."""

    rule: str
    line: int
    text: str

    def row(self, path: str) -> dict[str, object]:
        """The sign as evidence has it."""
        return {"rule": self.rule, "path": path, "line": self.line, "before": None, "after": self.text}


def sign(rule: str, line: int, text: str) -> Sign:
    """A sign with its text made short and even, so that reformatting does not make a new one."""
    even = " ".join(text[:2000].split())
    return Sign(rule, line, even if len(even) <= _LONGEST else even[: _LONGEST - 1] + "…")


def new_signs(before: Iterable[Sign], after: Iterable[Sign]) -> list[Sign]:
    """Those of ``after`` that ``before`` does not have, wherever in the file they stand."""
    known = Counter(_identity(old) for old in before)
    found = []
    for new in dict.fromkeys(after):
        if known[_identity(new)]:
            known[_identity(new)] -= 1
        else:
            found.append(new)
    return found


def _identity(of: Sign) -> tuple[str, str]:
    return of.rule, "".join(of.text.split())
