"""Records of a playground as lines of JSON, one object a line: what each line becomes in the store."""

import base64
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from datetime import datetime

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from assay.core.errors import InputError
from assay.dialects.criteria.records import LINES, RECORD_LINE, EventLine, RecordLine, ResponseLine, RowLine
from assay.engine.criteria.watched_sources import NewEvent, NewResponse, Record
from assay.engine.schema_errors import about, first, sentence
from assay.evidence.playground import StateRow, Turn

ReadFile = Callable[[str, str], bytes]
"""Gives the content of a file by its name. Raises ``InputError`` that begins with the second argument."""


def records_of(data: bytes, path: str, read_file: ReadFile, now: datetime) -> Iterator[Record]:
    """The records in a file; without a time, they get ``now``. Raises ``InputError`` with the line and field."""
    for number, line in enumerate(data.removeprefix(BOM_UTF8).splitlines(), 1):
        if line.strip():
            where = f"{path}:{number}"
            yield record_of(_parsed(line, where), read_file, where, now)


def record_in(line: bytes, now: datetime) -> Record:
    """The record in a line that came from elsewhere, so that it can't name a file. Raises ``InputError``."""
    return record_of(_parsed(line, ""), no_file, "", now)


def no_file(_name: str, _where: str) -> bytes:
    """For records that come from elsewhere. Raises ``InputError``."""
    raise InputError("payload_file must be left out here: send payload or payload_base64")


def _parsed(line: bytes, where: str) -> RecordLine:
    try:
        return RECORD_LINE.validate_json(line)
    except ValidationError as error:
        told = first(error.errors(include_url=False))
        raise InputError(f"{where}: {_describe_error(told)}".removeprefix(": ")) from error


def _describe_error(told: ErrorDetails) -> str:
    if told["type"] in ("union_tag_invalid", "union_tag_not_found"):
        return f"record must be one of {', '.join(LINES)}"
    # The first part of the place only repeats which record it is.
    kind, *place = told["loc"] or [""]
    field = ".".join(map(str, place))
    return about(field, sentence({**told, "loc": tuple(place)}, LINES.get(str(kind), RecordLine)))


def record_of(line: RecordLine, read_file: ReadFile, where: str, now: datetime) -> Record:
    """What a line becomes in the store. ``where`` begins what is said of a file that can't be read."""
    at = line.at or now
    if isinstance(line, EventLine):
        return NewEvent(line.type, _payload(line, read_file, where), at)
    if isinstance(line, ResponseLine):
        return NewResponse(_payload(line, read_file, where), at)
    if isinstance(line, RowLine):
        return StateRow(line.resource, line.key, line.data, at)
    return Turn(line.number, line.speaker, line.text, at)


def _payload(line: EventLine | ResponseLine, read_file: ReadFile, where: str) -> bytes:
    if line.payload is not None:
        return line.payload.encode()
    if line.payload_base64 is not None:
        return base64.b64decode(line.payload_base64)
    name = str(line.payload_file)
    return read_file(name, f"{where}: payload_file: {name}")
