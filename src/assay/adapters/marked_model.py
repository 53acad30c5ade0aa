"""Wire models from marked files, with messages that name the file, the line and the field."""

import json
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from assay.adapters.marked_file import Marked
from assay.core.errors import InputError
from assay.engine.criteria_places import line_of, spelled

Model = TypeVar("Model", bound=BaseModel)


def validated(model: type[Model], path: str, found: Marked) -> Model:
    """What a file has, as a model. Raises ``InputError`` with the first thing that is wrong."""
    try:
        # As JSON, because a strict model takes plain values from nowhere else.
        return model.model_validate_json(json.dumps(found.value))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        line = line_of(first["loc"], found.lines)
        where = f"{path}{f':{line}' if line else ''}: {spelled(first['loc'])}".removesuffix(": ")
        raise InputError(f"{where}: {first['msg'].removeprefix('Value error, ')}") from error
