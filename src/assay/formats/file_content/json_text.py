"""JSON, with dotted paths or JSONPath. A member that occurs twice makes it unreadable: readers disagree on it."""

import json
from typing import Any

from assay.evidence.bounds import unusual
from assay.formats import json_paths
from assay.formats.file_content.text import MAX_VALUES, FileFormatError, Finder


def check_path(path: str) -> None:
    """Refuse an invalid path. Raises ``ValueError``."""
    json_paths.check_path(path)
    if not path.startswith("$") and '"' in path:
        raise ValueError(f"a dotted path can't have quotes, got {path!r}; JSONPath begins with $")


def open_content(data: bytes) -> Finder:
    """How to find values in it. Raises ``FileFormatError``."""
    if sum(map(data.count, (b",", b"[", b"{"))) > MAX_VALUES:
        raise FileFormatError(f"the file has more than {MAX_VALUES} values")
    try:
        value = json.loads(data, object_pairs_hook=_once, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise FileFormatError("the file is not JSON") from error
    why = unusual(value)
    if why is not None:
        raise FileFormatError(f"the JSON can't be checked: {why}")

    return lambda path: json_paths.find(path, value)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise FileFormatError("the JSON has the same member twice")
    return members


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
