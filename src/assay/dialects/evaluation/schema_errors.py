"""Violations of a schema, in the words of the library."""

from collections.abc import Iterable
from typing import Any


def violation(message: str) -> Any:
    from jsonschema import ValidationError  # noqa: PLC0415 - slow to import, and few tasks have a schema

    return ValidationError(message)


def unexpected(what: str, found: Iterable[Any]) -> Any:
    """The violation of a schema that allows none of these at all."""
    named = [repr(one) for one in found]
    return violation(
        f"{what} are not allowed ({', '.join(named)} {'was' if len(named) == 1 else 'were'} unexpected)"
    )
