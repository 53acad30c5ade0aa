"""Find values in a task.toml whose type doesn't match their field, but which harbor converts without an error.

``timeout_sec = true`` means one second in harbor, so it does here, but the author hardly meant that.
"""

import json
import tomllib
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from assay.dialects.harbor.task_config import TaskConfig

_KINDS = {"float_type": "a number", "int_type": "a whole number"}
# For a field with several possible types, pydantic adds the name of the type to the path.
_ALTERNATIVES = frozenset({"float", "int", "dict[str,float]"})


def converted_values(text: str) -> list[str]:
    """A message for each such value of a task.toml that can be loaded."""
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return []
    data.pop("metadata", None)
    messages = list(_booleans(data))
    try:
        # As JSON, because in strict mode only JSON accepts a string for a value of an enumeration.
        TaskConfig.model_validate_json(json.dumps(data, default=str), strict=True)
    except ValidationError as error:
        for mistake in error.errors(include_url=False):
            field = ".".join(str(part) for part in mistake["loc"] if part not in _ALTERNATIVES)
            if mistake["type"] in _KINDS and not isinstance(mistake["input"], dict | list):
                messages.append(_message(field, mistake["input"], _KINDS[mistake["type"]]))
    return messages


def _booleans(data: dict[str, Any]) -> Iterator[str]:
    """Check the older name of a setting, which is translated before the fields are validated."""
    environment = data.get("environment")
    allow = environment.get("allow_internet", True) if isinstance(environment, dict) else True
    if not isinstance(allow, bool):
        yield _message("environment.allow_internet", allow, "true or false")


def _message(field: str, value: object, kind: str) -> str:
    return f"{field} should be {kind}, got {json.dumps(value, default=str)}, which harbor converts"
