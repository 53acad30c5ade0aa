"""Values in a task.toml that are of another type than their field, and that harbor takes for it all the same.

``timeout_sec = true`` is one second in harbor, so it is one here. It is hardly what the author meant.
"""

import json
import tomllib
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from assay.dialects.harbor.task_config import TaskConfig

_KINDS = {"float_type": "a number", "int_type": "a whole number"}
# Where a field may be one of several things, the name of the thing stands behind the field.
_ALTERNATIVES = frozenset({"float", "int", "dict[str,float]"})


def converted_values(text: str) -> list[str]:
    """A sentence for each such value of a task.toml that can be loaded."""
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return []
    data.pop("metadata", None)
    found = list(_booleans(data))
    try:
        # As JSON, because only there a name may still stand for a value of an enumeration.
        TaskConfig.model_validate_json(json.dumps(data, default=str), strict=True)
    except ValidationError as error:
        for one in error.errors(include_url=False):
            field = ".".join(str(part) for part in one["loc"] if part not in _ALTERNATIVES)
            if one["type"] in _KINDS and not isinstance(one["input"], dict | list):
                found.append(_sentence(field, one["input"], _KINDS[one["type"]]))
    return found


def _booleans(data: dict[str, Any]) -> Iterator[str]:
    """The older name of a setting is translated before the fields are looked at."""
    environment = data.get("environment")
    allow = environment.get("allow_internet", True) if isinstance(environment, dict) else True
    if not isinstance(allow, bool):
        yield _sentence("environment.allow_internet", allow, "true or false")


def _sentence(field: str, value: object, kind: str) -> str:
    return f"{field} is {json.dumps(value, default=str)}, and it is taken for {kind}"
