"""The PyPI package ``hl7`` as an oracle, with its differences from the standard named where they matter."""

from typing import Any

import hl7  # type: ignore[import-untyped]

Field = list[list[list[str]]]
"""Repetitions of components of sub-components."""


def oracle_message(text: str) -> Any:
    """The oracle ends segments with CR only, so it is given that. It also drops white space around the message."""
    lines = [line for line in text.removeprefix("\ufeff").splitlines() if line.strip()]
    return hl7.parse("\r".join(lines))


def oracle_segments(text: str) -> list[tuple[str, list[Field]]]:
    """Each segment's name and fields, sub-components unescaped."""
    message = oracle_message(text)
    return [(str(segment[0]), _fields(message, segment)) for segment in message]


def _fields(message: Any, segment: Any) -> list[Field]:
    """The oracle would unescape MSH-2 as if it were data, and lose its escape character."""
    header = str(segment[0]) == "MSH"
    declared: list[Field] = [[[[str(field)]]] for field in segment[1:3]] if header else []
    return declared + [_field(message, field) for field in segment[3 if header else 1 :]]


def _field(message: Any, field: Any) -> Field:
    return [[_leaves(message, component) for component in _parts(repetition)] for repetition in _parts(field)]


def _leaves(message: Any, component: Any) -> list[str]:
    return [message.unescape(str(part)) for part in _parts(component)]


def _parts(value: Any) -> list[Any]:
    """The oracle leaves out levels that have one part only."""
    return [value] if isinstance(value, str) else list(value)
