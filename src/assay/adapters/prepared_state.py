"""A folder with the prepared state of a playground: records as JSON lines, messages and other files."""

import os
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from assay.adapters.records_file import read_payload, read_records
from assay.adapters.store.playground import NewEvent, NewResponse, Record
from assay.core.errors import InputError

HL7: Final = "hl7"
X12: Final = "x12"
FILES: Final = "files"
FHIR: Final = "fhir"
OUTBOUND: Final = "hl7_outbound"


def checked_folder(folder: str) -> str:
    """The folder, if it is one of a prepared state. A folder of another name in it is more likely a mistake."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise InputError(f"{folder} can't be read: {error.strerror}") from error
    known = (HL7, X12, FILES, FHIR)
    for entry in entries:
        if entry.is_dir() and entry.name not in known and not entry.name.startswith("."):
            raise InputError(f"{folder} has a folder {entry.name!r}; a state has {', '.join(known)} and *.jsonl")
    if not any(entry.name in known or entry.name.endswith(".jsonl") for entry in entries):
        raise InputError(f"{folder} has nothing to load: a state has {', '.join(known)} and *.jsonl")
    return folder


def records_in(folder: str, now: datetime) -> Iterator[Record]:
    """All records, file by file in the order of names. What has no time of its own gets ``now``."""
    for path in _paths(folder, ".jsonl"):
        yield from read_records(path, now)
    for path in _paths(os.path.join(folder, HL7)):
        yield NewEvent(OUTBOUND, read_payload(path, path), now)
    for path in _paths(os.path.join(folder, X12)):
        yield NewResponse(read_payload(path, path), now)


def _paths(folder: str, ending: str = "") -> list[str]:
    if not os.path.isdir(folder):
        return []
    names = [name for name in sorted(os.listdir(folder)) if name.endswith(ending) and not name.startswith(".")]
    return [path for path in (os.path.join(folder, name) for name in names) if os.path.isfile(path)]
