"""Types and defaults of fields in a few words, from their JSON Schemas."""

import json
import re
from typing import Any


def default_words(part: dict[str, Any]) -> str:
    default = part.get("default")
    return "" if default in (None, "") or isinstance(default, dict) else f"`{json.dumps(default)}`"


def type_words(part: dict[str, Any], models: dict[str, Any]) -> str:
    """A JSON Schema in a few words."""
    if "$ref" in part:
        return type_words(models[part["$ref"].rpartition("/")[2]], models)
    if "anyOf" in part:
        return " or ".join(
            type_words(one, models) for one in part["anyOf"] if one["type" if "type" in one else "$ref"] != "null"
        )
    if "enum" in part:
        return " or ".join(f"`{value}`" for value in part["enum"])
    if part["type"] == "array":
        return f"list ({type_words(part['items'], models)})"
    if part["type"] == "object":
        inner = part.get("additionalProperties")
        return f"table ({type_words(inner, models)})" if isinstance(inner, dict) else "table"
    return _PLAIN[part["type"]] + _bounds(part)


_PLAIN = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}


def _bounds(part: dict[str, Any]) -> str:
    choice = re.fullmatch(r"\^\(([\w|]+)\)\$", part.get("pattern", ""))
    if choice is not None:
        return ": " + " or ".join(f"`{value}`" for value in choice[1].split("|"))
    if "minimum" in part:
        return f" from {part['minimum']} on"
    return f" above {part['exclusiveMinimum']}" if "exclusiveMinimum" in part else ""
