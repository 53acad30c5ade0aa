"""Patterns that an author wrote, searched under a time limit: a bad one must not hold a grading up."""

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

import regex

from assay.core.errors import BoundsError
from assay.formats.field_rules.pattern_size import expanded_size
from assay.formats.field_rules.values import Plain

LIMIT_SEC: Final = 1.0
LIMIT_OF_ALL_SEC: Final = 10.0
STEP: Final = 4
LONGEST: Final = 10_000
MOST_PARTS: Final = 100_000


class SlowPatternError(BoundsError):
    """A pattern took too long, so it is unknown whether the value matches. It doesn't count as a match."""


@functools.lru_cache(maxsize=1024)
def _compiled(pattern: str, flags: int) -> "regex.Pattern[str]":
    if len(pattern) > LONGEST or expanded_size(pattern) > MOST_PARTS:
        # To compile it would take longer than any search, and can't be ended.
        raise ValueError(
            f"a pattern must have at most {LONGEST} characters, and {MOST_PARTS} parts with its repetitions"
        )
    try:
        return regex.compile(pattern, flags)
    except (regex.error, RecursionError) as error:
        raise ValueError(f"the pattern {pattern!r} is not a regular expression: {error}") from error


def compile_pattern(pattern: Plain, *, dot_is_all: bool = False) -> "regex.Pattern[str]":
    """A pattern, compiled once. With ``dot_is_all``, a dot also stands for a line break. Raises ``ValueError``."""
    if not isinstance(pattern, str):
        raise ValueError(f"matches needs a regular expression as a text, got {pattern!r}")
    return _compiled(pattern, regex.DOTALL if dot_is_all else 0)


def search(pattern: "regex.Pattern[str]", text: str) -> bool:
    """Whether the pattern occurs. Raises ``SlowPatternError``."""
    return _in_time(pattern, pattern.search, text)


def full_match(pattern: "regex.Pattern[str]", text: str) -> bool:
    """Whether the pattern matches the whole text, under the same limit."""
    return _in_time(pattern, pattern.fullmatch, text)


def search_each(pattern: "regex.Pattern[str]", texts: Iterable[str | None]) -> list[bool]:
    """Whether the pattern occurs in each of the texts; in None it never does. Raises ``SlowPatternError``.

    The time for all of them is bounded without a clock of ours: a few may take all of ``LIMIT_SEC``, four times as
    many a fourth of that, and so on. Texts that take ``LIMIT_OF_ALL_SEC`` or less together always fit in.
    """
    known = list(texts)
    allowances = _allowances(len(known))
    return [text is not None and _within(allowances, pattern, text) for text in known]


@dataclass(slots=True)
class _Allowance:
    """How many more searches may take up to ``limit_sec``."""

    limit_sec: float
    left: int


def _allowances(count: int) -> list[_Allowance]:
    """From the shortest, which there is for every text, to the longest."""
    found = [_Allowance(LIMIT_SEC, max(1, int(LIMIT_OF_ALL_SEC * STEP / LIMIT_SEC)))]
    while found[-1].left < count:
        found.append(_Allowance(found[-1].limit_sec / STEP, found[-1].left * STEP))
    return found[::-1]


def _within(allowances: Iterable[_Allowance], pattern: "regex.Pattern[str]", text: str) -> bool:
    for one in allowances:
        if not one.left:
            break
        one.left -= 1
        try:
            return pattern.search(text, timeout=one.limit_sec) is not None
        except TimeoutError:
            continue
    raise _slow(pattern)


def _in_time(pattern: "regex.Pattern[str]", look: Callable[..., Any], text: str) -> bool:
    try:
        return look(text, timeout=LIMIT_SEC) is not None
    except TimeoutError as error:
        raise _slow(pattern) from error


def _slow(pattern: "regex.Pattern[str]") -> SlowPatternError:
    limits = f"{LIMIT_SEC:g} s for a value, or {LIMIT_OF_ALL_SEC:g} s for all"
    return SlowPatternError(f"the pattern {pattern.pattern!r} took longer than {limits}")
