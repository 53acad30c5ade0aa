"""Patterns of a schema, searched in an agent's keys and texts under a time limit."""

from collections.abc import Iterable
from typing import Any

from assay.formats.field_rules.patterns import compile_pattern, search_each


def is_pattern(text: object) -> bool:
    """Whether a text can be searched for. Raises ``ValueError`` with the reason."""
    return not isinstance(text, str) or compile_pattern(text) is not None


def keys_like(pattern: str, keys: Iterable[Any]) -> list[Any]:
    """The keys in which a pattern occurs. Raises ``SlowPatternError``."""
    known = list(keys)
    found = search_each(compile_pattern(pattern), known)
    return [key for key, hit in zip(known, found, strict=True) if hit]
