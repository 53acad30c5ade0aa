"""The result of comparing settings."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Weakening:
    """One setting that now lets less run or more pass."""

    rule: str
    line: int
    before: str | None
    after: str | None

    def row(self, path: str) -> dict[str, object]:
        """The weakening as evidence has it."""
        return {"rule": self.rule, "path": path, "line": self.line, "before": self.before, "after": self.after}


def weakening(rule: str, text: str, mark: str, before: object, after: object) -> Weakening:
    """A weakening on the first line of ``text`` that has ``mark``."""
    return Weakening(rule, line_of(text, mark), shown(before), shown(after))


def weakenings(
    parts: Iterable[tuple[str, str]], text: str, before: object = None, mark: str | None = None
) -> Iterator[Weakening]:
    """The weakenings of parts with their rules, each on its own line unless there is one mark for all."""
    for rule, part in parts:
        yield weakening(rule, text, part if mark is None else mark, before, part)


def fresh(before: Iterable[tuple[str, str]], after: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The parts that were not there before."""
    known = set(before)
    return (one for one in after if one not in known)


def line_of(text: str, mark: str) -> int:
    """The first line that has a text; 1 where none has."""
    at = text.find(mark) if mark else -1
    return text.count("\n", 0, at) + 1 if at >= 0 else 1


def shown(value: object) -> str | None:
    """A value as evidence shows it."""
    if value in (None, "", []):
        return None
    text = " ".join(str(item) for item in value) if isinstance(value, list | tuple) else str(value)
    even = " ".join(text.split())
    return even if len(even) <= _LONGEST else even[: _LONGEST - 1] + "…"
