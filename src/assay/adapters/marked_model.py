"""Wire models from marked files, with messages that name the file, the line and the field."""

import json
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from assay.adapters.marked_file import Marked
from assay.core.errors import InputError
from assay.engine.criteria_places import line_of, spelled
from assay.engine.mistakes import about, first, sentence

Model = TypeVar("Model", bound=BaseModel)


def validated(model: type[Model], path: str, found: Marked) -> Model:
    """The content of a file as a model. Raises ``InputError`` with the first mistake in it."""
    try:
        # As JSON, because a strict model accepts plain values from nowhere else.
        return model.model_validate_json(json.dumps(found.value))
    except ValidationError as error:
        told = first(error.errors(include_url=False))
        line = line_of(told["loc"], found.lines)
        where = f"{path}{f':{line}' if line else ''}: {spelled(told['loc'])}".removesuffix(": ")
        raise InputError(about(where, sentence(told, model))) from error
