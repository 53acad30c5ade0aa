"""Texts of verifiers and agents, short enough for a record and in characters that can be written."""

import json

TEXT_LIMIT = 2000


def bounded(text: str, limit: int = TEXT_LIMIT) -> str:
    """The beginning of a text, in characters that can be written to a file."""
    cut = text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"
    return cut.encode(errors="backslashreplace").decode()


def named(value: object) -> str:
    """A value of JSON, for an error. A list may be too deep to be written as JSON again."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return bounded(json.dumps(value), 100)
