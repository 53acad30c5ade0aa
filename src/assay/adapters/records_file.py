"""Files of records for a playground, one JSON object a line."""

import base64
import os
from codecs import BOM_UTF8
from collections.abc import Iterator
from datetime import datetime

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from assay.adapters.store.playground import NewEvent, NewResponse, Record
from assay.core.errors import InputError
from assay.dialects.criteria.records import LINES, RECORD_LINE, EventLine, RecordLine, ResponseLine, RowLine
from assay.engine.mistakes import first, sentence
from assay.evidence.playground import StateRow, Turn


def read_records(path: str, now: datetime) -> Iterator[Record]:
    """The records of a file; those without a time get ``now``. Raises ``InputError`` that names line and field."""
    for number, line in enumerate(read_payload(path, path).removeprefix(BOM_UTF8).splitlines(), 1):
        if line.strip():
            where = f"{path}:{number}"
            yield _record(_parsed(line, where), path, where, now)


def _parsed(line: bytes, where: str) -> RecordLine:
    try:
        return RECORD_LINE.validate_json(line)
    except ValidationError as error:
        told = first(error.errors(include_url=False))
        raise InputError(f"{where}: {_said(told)}") from error


def _said(told: ErrorDetails) -> str:
    if told["type"] in ("union_tag_invalid", "union_tag_not_found"):
        return f"record is one of {', '.join(LINES)}"
    # The first part of the place only repeats which record it is.
    kind, *place = told["loc"] or [""]
    field = ".".join(map(str, place))
    said = sentence({**told, "loc": tuple(place)}, LINES.get(str(kind), RecordLine))
    return f"{field}: {said}" if field else said


def _record(line: RecordLine, path: str, where: str, now: datetime) -> Record:
    at = line.at or now
    if isinstance(line, EventLine):
        return NewEvent(line.type, _payload(line, path, where), at)
    if isinstance(line, ResponseLine):
        return NewResponse(_payload(line, path, where), at)
    if isinstance(line, RowLine):
        return StateRow(line.resource, line.key, line.data, at)
    return Turn(line.number, line.speaker, line.text, at)


def _payload(line: EventLine | ResponseLine, path: str, where: str) -> bytes:
    if line.payload is not None:
        return line.payload.encode()
    if line.payload_base64 is not None:
        return base64.b64decode(line.payload_base64)
    name = str(line.payload_file)
    return read_payload(os.path.join(os.path.dirname(path), name), f"{where}: payload_file: {name}")


def read_payload(path: str, what: str) -> bytes:
    """The bytes of a file. Raises ``InputError`` that calls it ``what``."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except (OSError, ValueError) as error:
        raise InputError(f"{what} can't be read: {getattr(error, 'strerror', None) or error}") from error
