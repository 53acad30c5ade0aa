"""Patterns that an author wrote, searched under a time limit: a bad one must not hold a grading up."""

import functools
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

import regex

from assay.core.errors import AssayError
from assay.formats.field_rules.pattern_size import expanded_size
from assay.formats.field_rules.values import Plain

LIMIT_SEC: Final = 1.0
LIMIT_OF_ALL_SEC: Final = 10.0
LONGEST: Final = 10_000
MOST_PARTS: Final = 100_000


class SlowPatternError(AssayError):
    """A pattern took too long, so nobody knows whether it occurs. A value is not fit by that."""


@functools.lru_cache(maxsize=1024)
def _compiled(pattern: str) -> "regex.Pattern[str]":
    if len(pattern) > LONGEST or expanded_size(pattern) > MOST_PARTS:
        # To compile it would take longer than any search, and can't be ended.
        raise ValueError(
            f"a pattern has at most {LONGEST} characters, and {MOST_PARTS} parts with its repetitions"
        )
    try:
        return regex.compile(pattern)
    except (regex.error, RecursionError) as error:
        raise ValueError(f"the pattern {pattern!r} is no regular expression: {error}") from error


def compile_pattern(pattern: Plain) -> "regex.Pattern[str]":
    """A pattern, compiled once. Raises ``ValueError``."""
    if not isinstance(pattern, str):
        raise ValueError("matches needs a regular expression as a text")
    return _compiled(pattern)


def search(pattern: "regex.Pattern[str]", text: str) -> bool:
    """Whether the pattern occurs. Raises ``SlowPatternError``."""
    return _in_time(pattern, pattern.search, text, LIMIT_SEC)


def full_match(pattern: "regex.Pattern[str]", text: str) -> bool:
    """Whether the whole text is as the pattern says, under the same limit."""
    return _in_time(pattern, pattern.fullmatch, text, LIMIT_SEC)


def search_each(pattern: "regex.Pattern[str]", texts: Iterable[str | None]) -> list[bool]:
    """Whether the pattern occurs in each of the texts, which have a limit together; in None it never does."""
    end = time.monotonic() + LIMIT_OF_ALL_SEC
    return [text is not None and _in_time(pattern, pattern.search, text, _left(end)) for text in texts]


def _left(end: float) -> float:
    # A limit of 0 would be none at all.
    return max(min(end - time.monotonic(), LIMIT_SEC), 1e-6)


def _in_time(pattern: "regex.Pattern[str]", look: Callable[..., Any], text: str, limit_sec: float) -> bool:
    try:
        return look(text, timeout=limit_sec) is not None
    except TimeoutError as error:
        limits = f"{LIMIT_SEC:g} s for a value, or {LIMIT_OF_ALL_SEC:g} s for all"
        raise SlowPatternError(f"the pattern {pattern.pattern!r} took longer than {limits}") from error
