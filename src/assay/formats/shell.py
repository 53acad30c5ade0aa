"""Shell scripts, as far as a reader can tell without running them: lines, conditions and early ends.

A heuristic for linting: it knows if, elif, else, fi, for, while, case, && and ||, comments and here-documents, and
takes everything else as plain commands.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_OPENS = re.compile(r"^(if|for|while|until|case)\b")
_HERE = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?")


@dataclass(frozen=True, slots=True)
class Line:
    """One command line with its number; continuation lines are joined, comments and here-documents left out."""

    text: str
    number: int


def command_lines(script: str) -> list[Line]:
    """The command lines of a script."""
    return list(_lines(script))


def always(script: str, happens: Callable[[str], bool]) -> bool:
    """Whether something happens on every path through a script that no command cuts short."""
    block, _ = _block(_statements(script), 0)
    return _in_block(block, happens)


def _lines(script: str) -> Iterator[Line]:
    pending, start = "", 0
    here: str | None = None
    for number, raw in enumerate(script.splitlines(), start=1):
        if here is not None:
            here = None if raw.strip() == here else here
            continue
        text = raw.strip()
        if not text or text.startswith("#"):
            continue
        start = start or number
        if text.endswith("\\"):
            pending += text[:-1] + " "
            continue
        found = _HERE.search(text)
        here = found[1] if found else None
        yield Line(pending + text, start)
        pending, start = "", 0


def _statements(script: str) -> list[str]:
    """Statements, one each: a line may hold several."""
    parts: list[str] = []
    for line in command_lines(script):
        for part in re.split(r";(?!;)|\bthen\b|\bdo\b(?!\w)", line.text):
            text = part.strip()
            if text.startswith("else "):
                parts += ["else", text[5:].strip()]
            elif text:
                parts.append(text)
    return parts


@dataclass(frozen=True, slots=True)
class _Choice:
    """A compound statement: its branches, and whether one of them is taken for certain."""

    branches: tuple[tuple["str | _Choice", ...], ...]
    exhaustive: bool


def _block(statements: list[str], at: int) -> tuple[tuple["str | _Choice", ...], int]:
    found: list[str | _Choice] = []
    while at < len(statements):
        text = statements[at]
        if re.match(r"^(fi|done|esac|else|elif)\b", text):
            break
        if _OPENS.match(text):
            choice, at = _choice(statements, at)
            # What stands behind the closing word, a redirection for instance, holds for every branch.
            closing = statements[at - 1].partition(" ")[2] if at <= len(statements) else ""
            found += [choice, closing] if closing else [choice]
            continue
        found.append(text)
        at += 1
    return tuple(found), at


def _choice(statements: list[str], at: int) -> tuple[_Choice, int]:
    exhaustive = False
    branches: list[tuple[str | _Choice, ...]] = []
    at += 1
    while at < len(statements):
        branch, at = _block(statements, at)
        branches.append(branch)
        if at >= len(statements) or not re.match(r"^(else|elif)\b", statements[at]):
            break
        exhaustive = exhaustive or statements[at].startswith("else")
        at += 1
    return _Choice(tuple(branches), exhaustive), at + 1


def _in_block(block: tuple["str | _Choice", ...], happens: Callable[[str], bool]) -> bool:
    for statement in block:
        if isinstance(statement, str):
            if _certain(statement, happens):
                return True
            if re.match(r"^exit\b", statement):
                return False
        elif statement.exhaustive and all(_in_block(branch, happens) for branch in statement.branches):
            return True
    return False


def _certain(statement: str, happens: Callable[[str], bool]) -> bool:
    """Whether it happens in a line of && and ||: before every condition, or on both sides of an ||."""
    if happens(re.split(r"&&|\|\|", statement, maxsplit=1)[0]):
        return True
    alternatives = statement.split("||")
    return len(alternatives) > 1 and all(happens(alternative) for alternative in alternatives)
