"""Paths into plain data: dotted with indexes (``participant.0.actor``), or JSONPath as RFC 9535 has it
(``$.a[?@.b]``).
"""

import functools
from typing import Any

from assay.formats.field_rules.values import Found, Plain


def find(path: str, data: Any) -> list[Found]:
    """What is at a path. Raises ``ValueError`` for a path that is none."""
    if path.startswith("$"):
        return [Found(node.value, node.path()) for node in _compiled(path).find(data)]
    return _dotted(path, data)


def check_path(path: str) -> None:
    """Refuse a path that is none. Raises ``ValueError``."""
    if path.startswith("$"):
        _compiled(path)
    elif not path or any(not part for part in path.split(".")):
        raise ValueError(f"the path {path!r} has an empty part")


def _dotted(path: str, data: Plain) -> list[Found]:
    """One value at most. A number is an index into a list, or the name of a member."""
    here: Plain = data
    for part in path.split("."):
        if isinstance(here, dict):
            if part not in here:
                return []
            here = here[part]
        elif isinstance(here, list) and part.isdecimal() and int(part) < len(here):
            here = here[int(part)]
        else:
            return []
    return [Found(here, path)]


@functools.lru_cache(maxsize=1024)
def _compiled(path: str) -> Any:
    import jsonpath_rfc9535  # noqa: PLC0415 - only who writes JSONPath pays for it

    try:
        return jsonpath_rfc9535.compile(path)
    except jsonpath_rfc9535.JSONPathError as error:
        raise ValueError(f"the path {path!r} is no JSONPath: {error}") from error
