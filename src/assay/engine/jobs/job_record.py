"""The content of a job's result.json, field by field."""

import json
from collections.abc import Iterator, Mapping
from typing import Any


def recorded_fields(recorded: bytes | None) -> dict[str, Any] | None:
    """The content of a result.json; None if it isn't an object."""
    try:
        found = None if recorded is None else load_record(recorded.decode())
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def load_record(text: str) -> Any:
    """Parse JSON. Lists under a repeated key are joined, because harbor writes one "nan" key for each NaN."""
    return json.loads(text, object_pairs_hook=_merged)


def _merged(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for key, value in pairs:
        both_lists = isinstance(merged.get(key), list) and isinstance(value, list)
        merged[key] = merged[key] + value if both_lists else value
    return merged


def fields_of(result: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The fields to compare: those of the job, of its statistics and of each group."""
    for name, value in result.items():
        if name != "stats" or not isinstance(value, dict):
            yield name, value
            continue
        for field, part in value.items():
            if field != "evals" or not isinstance(part, dict):
                yield f"stats.{field}", part
                continue
            for key, group in part.items():
                if not isinstance(group, dict) or not group:
                    yield f"stats.evals.{key}", group
                    continue
                for inner, found in group.items():
                    yield f"stats.evals.{key}.{inner}", found


def groups_of(result: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The groups of a record by their key."""
    match result:
        case {"stats": {"evals": dict(evals)}}:
            yield from ((key, group) for key, group in evals.items() if isinstance(group, dict))


def whole_number(fields: Mapping[str, Any], name: str) -> int:
    """A count of a record; 0 if it isn't a whole number."""
    value = fields.get(name)
    return value if type(value) is int else 0
