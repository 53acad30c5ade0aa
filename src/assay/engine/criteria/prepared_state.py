"""A folder with the prepared state of a playground, and what its parts become.

``*.jsonl`` has records, ``hl7/`` outbound messages and ``x12/`` responses, one a file. What is in ``files/`` and
``fhir/`` goes into the folders that the playground file names.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from assay.core.errors import InputError
from assay.engine.criteria.record_lines import records_of
from assay.engine.criteria.watched_sources import NewEvent, NewResponse, Record

HL7: Final = "hl7"
X12: Final = "x12"
FILES: Final = "files"
FHIR: Final = "fhir"
FOLDERS: Final = (HL7, X12, FILES, FHIR)
LINES: Final = ".jsonl"
OUTBOUND: Final = "hl7_outbound"


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """A name in the folder."""

    name: str
    is_folder: bool


class StateFolder(Protocol):
    """The folder of a prepared state. It raises ``InputError`` for what can't be read."""

    def path(self, name: str = "") -> str:
        """The path of something in the folder, or of the folder itself."""

    def entries(self) -> Sequence[FolderEntry]:
        """Everything directly in the folder, by name."""

    def files(self, folder: str = "") -> Sequence[str]:
        """The names of the files directly in the folder, or in one below it. Hidden files are left out."""

    def read(self, name: str, what: str) -> bytes:
        """The content of a file. ``what`` is how an error calls it."""


def check_state(state: StateFolder) -> None:
    """Refuse a folder without a state, or with a folder of another name, which is more likely a mistake."""
    entries, parts = state.entries(), f"{', '.join(FOLDERS)} and *{LINES}"
    for entry in entries:
        if entry.is_folder and entry.name not in FOLDERS and not entry.name.startswith("."):
            raise InputError(f"{state.path()} has a folder {entry.name!r}; a state has only {parts}")
    if not any(entry.name in FOLDERS or entry.name.endswith(LINES) for entry in entries):
        raise InputError(f"{state.path()} has nothing to load; a state has {parts}")


def folder_in(state: StateFolder, name: str) -> str | None:
    """The path of a part that is a folder, if the state has it."""
    return state.path(name) if FolderEntry(name, is_folder=True) in state.entries() else None


def records_in(state: StateFolder, now: datetime) -> Iterator[Record]:
    """All records, file by file in the order of names. Records without a time get ``now``."""
    for name in state.files():
        if name.endswith(LINES):
            path = state.path(name)
            yield from records_of(state.read(name, path), path, state.read, now)
    for payload in _payloads(state, HL7):
        yield NewEvent(OUTBOUND, payload, now)
    for payload in _payloads(state, X12):
        yield NewResponse(payload, now)


def _payloads(state: StateFolder, folder: str) -> Iterator[bytes]:
    for name in state.files(folder):
        inner = f"{folder}/{name}"
        yield state.read(inner, state.path(inner))
