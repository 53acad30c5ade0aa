"""The values at a path, and patterns that an author wrote for them.

Values are a sequence: None in it is an explicit null, and an empty one is nothing; these are different. A pattern
is searched within a number of steps, so that a bad one can't hold a grading up. Steps, and no time: a pattern gets
as far beside other gradings as it gets alone.
"""

import functools
import re
from collections.abc import Callable, Iterable
from decimal import Decimal, InvalidOperation
from typing import Final, Union

import regex
from typing_extensions import TypeAliasType

from assay.core.errors import UnmeasuredError
from assay.formats.pattern.search import Searched
from assay.formats.pattern.steps import StepsError

# Named, so that validators can follow a type that contains itself.
Plain = TypeAliasType("Plain", Union[str, int, float, bool, "list[Plain]", "dict[str, Plain]", None])

SHORT = 64
# Python also takes 1_000 and the like for numbers, which nobody else does.
_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")


def number(value: Plain) -> Decimal | None:
    """A value as a number: a number, or a text that is only a number. A boolean isn't one."""
    if isinstance(value, str):
        return _exact(value) if len(value) <= SHORT else _exact.__wrapped__(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return _exact(repr(value))


@functools.lru_cache(maxsize=4096)
def _exact(text: str) -> Decimal | None:
    """Remembered, since what a rule expects is compared with many values; a long text is not kept."""
    try:
        return Decimal(text) if _NUMBER.fullmatch(text) else None
    except InvalidOperation:
        # Its exponent is longer than any number needs.
        return None


def same(left: Plain, right: Plain) -> bool:
    """Whether two values are equal: 1 and 1.0 are, 1 and true are not, nor are 1 and "1"."""
    if type(left) is str:
        # Most values are texts, and the questions below take their time.
        return type(right) is str and left == right
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list | dict):
        return _same_parts(left, right)
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right
    return type(left) is type(right) and left == right


def _same_parts(left: Plain, right: Plain) -> bool:
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    return False


def text(value: Plain) -> str | None:
    """A value as the text that comparisons of texts look at; None for what has no text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None


MOST_STEPS: Final = 1_000_000
MOST_STEPS_OF_ALL: Final = 10_000_000
LONGEST: Final = 10_000
MOST_PARTS: Final = 100_000
_PARTS: Final = re.compile(
    r"\\.|\[[^\]\\]{0,400}+(?:\\.[^\]\\]{0,400}+){0,100}+\]|\{([0-9]{0,9})(?:,([0-9]{0,9}))?\}|.", re.DOTALL
)


class SlowPatternError(UnmeasuredError):
    """A pattern takes too many steps, so it is unknown whether the value matches."""


@functools.lru_cache(maxsize=1024)
def _compiled(pattern: str, flags: str) -> Searched:
    if len(pattern) > LONGEST or expanded_size(pattern) > MOST_PARTS:
        # To compile it would take longer than any search, and can't be ended.
        raise ValueError(
            f"a pattern must have at most {LONGEST} characters, and {MOST_PARTS} parts with its repetitions"
        )
    try:
        regex.compile(pattern)
        return Searched(pattern, flags)
    except (regex.error, RecursionError) as error:
        raise ValueError(f"the pattern {pattern!r} is not a regular expression: {error}") from error


def compile_pattern(pattern: Plain, *, dot_is_all: bool = False) -> Searched:
    """A pattern, compiled once. With ``dot_is_all``, a dot also stands for a line break. Raises ``ValueError``."""
    if not isinstance(pattern, str):
        raise ValueError(f"matches needs a regular expression as a text, got {pattern!r}")
    return _compiled(pattern, "s" if dot_is_all else "")


def search(pattern: Searched, text: str) -> bool:
    """Whether the pattern occurs. Raises ``SlowPatternError``."""
    return search_each(pattern, [text])[0]


def full_match(pattern: Searched, text: str) -> bool:
    """Whether the pattern matches the whole text, under the same limit."""
    return search_each(pattern, [text], whole=True)[0]


def search_each(pattern: Searched, texts: Iterable[str | None], *, whole: bool = False) -> list[bool]:
    """Whether the pattern occurs in each of the texts; in None it never does. Raises ``SlowPatternError``.

    There is a limit for each of them, and one for all together.
    """
    found, left = [], MOST_STEPS_OF_ALL
    for text in texts:
        if text is None:
            found.append(False)
            continue
        allowed = min(left, MOST_STEPS)
        try:
            occurs, rest = pattern.occurs(text, allowed, whole=whole)
        except StepsError as error:
            raise _slow(pattern) from error
        found.append(occurs)
        left -= allowed - rest
    return found


def replace_each(pattern: Searched, text: str, written: Callable[[Callable[[int | str], str]], str]) -> str:
    """The text with every match replaced by what is written for it, given what its groups have found."""
    parts, behind = [], 0
    try:
        for begin, (end, groups) in pattern.all(text, MOST_STEPS):
            spans = [(begin, end), *zip(groups[::2], groups[1::2], strict=True)]

            def group(name: int | str, spans: list[tuple[int, int]] = spans) -> str:
                first, last = spans[name if isinstance(name, int) else pattern.names[name]]
                return text[first:last] if first >= 0 else ""

            parts += [text[behind:begin], written(group)]
            behind = end
    except StepsError as error:
        raise _slow(pattern) from error
    return "".join((*parts, text[behind:]))


def _slow(pattern: Searched) -> SlowPatternError:
    limits = f"{MOST_STEPS} steps for a value, or {MOST_STEPS_OF_ALL} for all"
    return SlowPatternError(f"the pattern {pattern.pattern!r} needs more than {limits}")


def expanded_size(pattern: str) -> int:
    """About how many parts there are, so that ``(ab){3}`` has six. An invalid pattern has some size, too."""
    # One total for each group that is open.
    totals, last = [0], 0
    for part in _PARTS.finditer(pattern):
        if part[0] == "(":
            totals.append(0)
            last = 0
        elif part[0] == ")" and len(totals) > 1:
            last = totals.pop()
            totals[-1] += last
        elif part[0] == "+":
            # The library writes what is repeated twice: once, and any number of times.
            totals[-1] += last
            last *= 2
        elif part[1] is not None:
            times = max(int(count or 0) for count in part.groups()) + (part[2] == "")
            totals[-1] += last * max(times - 1, 0)
            last *= max(times, 1)
        else:
            totals[-1] += 1
            last = 1
    return sum(totals)
