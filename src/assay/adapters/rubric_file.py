"""Read rubrics, which are JSON."""

from typing import TypeVar

from pydantic import ValidationError

from assay.core.errors import InputError
from assay.dialects.evaluation.rubric import Rubric

AnyRubric = TypeVar("AnyRubric", bound=Rubric)


def load_rubric(path: str, kind: type[AnyRubric]) -> AnyRubric:
    """A rubric. Raises ``InputError`` that names the file and the field."""
    try:
        return kind.model_validate_json(read_text(path))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = "".join(f"{part}: " for part in [".".join(map(str, first["loc"]))] if part)
        raise InputError(f"{path}: {where}{first['msg']}") from error


def read_text(path: str) -> str:
    """The text of a file that a user names. Raises ``InputError`` if it can't be read."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} can't be read: {error}") from error
