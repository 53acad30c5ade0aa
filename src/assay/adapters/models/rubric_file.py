"""Read rubrics, which are JSON, and the files that an agent left as its output, for a judge to read."""

from typing import Final, TypeVar

from pydantic import ValidationError

from assay.adapters.machine.safe_read import read_file
from assay.core.errors import InputError
from assay.dialects.evaluation.rubric import Rubric
from assay.evidence.files import Content, Refused
from assay.judge.rubric import OutputFile

AnyRubric = TypeVar("AnyRubric", bound=Rubric)
LIMIT: Final = 16 * 2**20


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


def read_output(path: str) -> OutputFile:
    """A file as text. Whatever is at the path, this doesn't raise."""
    found = read_file(path, LIMIT)
    if isinstance(found, Content):
        return OutputFile(path, found.data.decode(errors="replace"))
    return OutputFile(path, None, str(found) if isinstance(found, Refused) else "there is no such file")
