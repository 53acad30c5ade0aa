"""JSON, with dotted paths or JSONPath. A member that occurs twice makes it unreadable: readers disagree on it."""

import json
from typing import Any, Final

from assay.formats import json_paths
from assay.formats.field_rules.values import Plain
from assay.formats.file_content.errors import UnreadableError
from assay.formats.file_content.model import MAX_VALUES, Finder

# A path of JSONPath that descends goes no deeper than this either.
MAX_DEPTH: Final = 90


def check_path(path: str) -> None:
    """Refuse an invalid path. Raises ``ValueError``."""
    json_paths.check_path(path)
    if not path.startswith("$") and '"' in path:
        raise ValueError(f"a dotted path can't have quotes, got {path!r}; JSONPath begins with $")


def opened(data: bytes) -> Finder:
    """How to find values in it. Raises ``UnreadableError``."""
    if sum(map(data.count, (b",", b"[", b"{"))) > MAX_VALUES:
        raise UnreadableError(f"the file has more than {MAX_VALUES} values")
    try:
        value = json.loads(data, object_pairs_hook=_once, parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        raise UnreadableError("the file is not JSON") from error
    if _deeper_than(value, MAX_DEPTH):
        raise UnreadableError(f"the JSON has more than {MAX_DEPTH} levels")

    def find(path: str) -> list[Plain]:
        return json_paths.find(path, value)

    return find


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise UnreadableError("the JSON has the same member twice")
    return members


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _deeper_than(value: object, levels: int) -> bool:
    """Level by level, so that depth costs no recursion."""
    here = [value]
    for _ in range(levels):
        if not here:
            return False
        here = [inner for one in here for inner in _members(one) if isinstance(inner, dict | list)]
    return bool(here)


def _members(value: object) -> Any:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
