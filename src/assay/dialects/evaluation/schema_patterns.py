"""Patterns of a schema, searched in an agent's keys and texts within a number of steps."""

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from assay.dialects.evaluation.bounded_values import SlowSchemaError
from assay.formats.field_rules.values import SlowPatternError, compile_pattern, search, search_each


def is_pattern(text: object) -> bool:
    """Whether a text can be searched for. Raises ``ValueError`` with the reason."""
    return not isinstance(text, str) or compile_pattern(text) is not None


def occurs(pattern: str, text: str) -> bool:
    """Whether a pattern occurs in a text. Raises ``SlowSchemaError``."""
    with _as_slow_schema():
        return search(compile_pattern(pattern), text)


def keys_like(pattern: str, keys: Iterable[Any]) -> list[Any]:
    """The keys in which a pattern occurs. Raises ``SlowSchemaError``."""
    known = list(keys)
    with _as_slow_schema():
        found = search_each(compile_pattern(pattern), known)
    return [key for key, hit in zip(known, found, strict=True) if hit]


@contextlib.contextmanager
def _as_slow_schema() -> Iterator[None]:
    try:
        yield
    except SlowPatternError as error:
        raise SlowSchemaError(str(error)) from error
