"""Patterns that an author wrote, searched under a time limit: a bad one must not hold a grading up."""

import functools

import regex

from assay.core.errors import AssayError
from assay.formats.field_rules.values import Plain

LIMIT_SEC = 1.0


class SlowPatternError(AssayError):
    """A pattern took too long. Its check is broken, and only that: a long text must not stop a whole grading."""


@functools.lru_cache(maxsize=1024)
def _compiled(pattern: str) -> "regex.Pattern[str]":
    try:
        return regex.compile(pattern)
    except regex.error as error:
        raise ValueError(f"the pattern {pattern!r} is no regular expression: {error}") from error


def compile_pattern(pattern: Plain) -> "regex.Pattern[str]":
    """A pattern, compiled once. Raises ``ValueError``."""
    if not isinstance(pattern, str):
        raise ValueError("matches needs a regular expression as a text")
    return _compiled(pattern)


def search(pattern: "regex.Pattern[str]", text: str) -> bool:
    """Whether the pattern occurs.

    One that takes too long breaks the measurement, it says nothing about the data.
    """
    try:
        return pattern.search(text, timeout=LIMIT_SEC) is not None
    except TimeoutError as error:
        raise SlowPatternError(f"the pattern {pattern.pattern!r} took longer than {LIMIT_SEC:g} s") from error
