"""Files of criteria, YAML or JSON: a list of criteria, or ``{criteria, data}``."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from assay.adapters.marked_file import Marked, read_marked
from assay.core.errors import InputError
from assay.dialects.criteria.models import CriteriaFile
from assay.engine.criteria_places import line_of, spelled

CRITERIA = "criteria"


def read_criteria(path: str) -> Marked:
    """What a file has, as ``{criteria, data}``, not looked at yet. Raises ``InputError``."""
    found = read_marked(path)
    if not isinstance(found.value, list):
        return found
    return Marked({CRITERIA: found.value}, {(CRITERIA, *place): line for place, line in found.lines.items()})


def load_criteria(path: str) -> CriteriaFile:
    """The criteria of a file. Raises ``InputError`` with the file, the line and the field."""
    found = read_criteria(path)
    try:
        # As JSON, because a strict model takes plain values from nowhere else.
        return CriteriaFile.model_validate_json(json.dumps(found.value))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        line = line_of(first["loc"], found.lines)
        where = f"{path}{f':{line}' if line else ''}: {spelled(first['loc'])}".removesuffix(": ")
        raise InputError(f"{where}: {first['msg']}") from error


def load_data(path: str) -> Mapping[str, Any]:
    """The values that criteria may refer to: an object in a file. Raises ``InputError``."""
    value = read_marked(path).value
    if not isinstance(value, dict):
        raise InputError(f"{path}: data is an object of names and values")
    return value
