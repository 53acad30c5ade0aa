"""Load a prepared state into the playground that a playground file describes."""

import base64
import hashlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Protocol

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from assay.core.errors import InputError
from assay.dialects.criteria.playground_file import FhirPlace, FilesPlace, PlaygroundFile
from assay.dialects.criteria.records import LINES, RECORD_LINE, RecordLine, RowLine, SentEvent, SentResponse
from assay.engine.criteria.watched_sources import (
    NewEvent,
    NewResponse,
    PlaygroundStore,
    Record,
    SentRecord,
    new_playground,
)
from assay.engine.schema_errors import about, first, sentence
from assay.evidence.playground import Event, StateRow, StoredFile, Turn

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
    """A line's record in the store. ``where`` begins the message about a file that can't be read."""
    record = _record(line, read_file, where, line.at or now)
    if line.id is None:
        return record
    return SentRecord(line.id, hashlib.sha256(line.model_dump_json().encode()).hexdigest(), record)


def _record(
    line: RecordLine, read_file: ReadFile, where: str, at: datetime
) -> NewEvent | NewResponse | StateRow | Turn:
    if isinstance(line, SentEvent):
        return NewEvent(line.type, _payload(line, read_file, where), at)
    if isinstance(line, SentResponse):
        return NewResponse(_payload(line, read_file, where), at)
    if isinstance(line, RowLine):
        return StateRow(line.resource, line.key, line.data, at)
    return Turn(line.number, line.speaker, line.text, at)


def _payload(line: SentEvent | SentResponse, read_file: ReadFile, where: str) -> bytes:
    if line.payload is not None:
        return line.payload.encode()
    if line.payload_base64 is not None:
        return base64.b64decode(line.payload_base64)
    name = str(getattr(line, "payload_file", None))
    return read_file(name, f"{where}: payload_file: {name}")


class EmptyFhir:
    """A FHIR server without resources."""

    def search(self, resource_type: str, parameters: Mapping[str, object]) -> Iterator[dict[str, object]]:  # noqa: ARG002
        return iter(())

    def read(self, resource_type: str, identity: str) -> dict[str, object] | None:  # noqa: ARG002
        return None


class EmptyFiles:
    """A place without files."""

    def files(self) -> Iterable[StoredFile]:
        return ()

    def chunks(self, path: str) -> Iterator[bytes]:  # noqa: ARG002
        return iter(())


class EmptyPlayground:
    """Fulfils ``PlaygroundState``. All sources exist and are empty."""

    fhir = EmptyFhir()
    files = EmptyFiles()
    run_start = datetime(1970, 1, 1, tzinfo=UTC)

    def events(self, event_type: str) -> Sequence[Event]:  # noqa: ARG002
        return ()

    def state_rows(self, resource: str) -> Sequence[StateRow]:  # noqa: ARG002
        return ()

    def turns(self) -> Sequence[Turn]:
        return ()

    def x12_responses(self) -> Sequence[Event]:
        return ()


HL7: Final = "hl7"
X12: Final = "x12"
FILES: Final = "files"
FHIR: Final = "fhir"
FOLDERS: Final = (HL7, X12, FILES, FHIR)
RECORD_FILES: Final = ".jsonl"
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
    entries, parts = state.entries(), f"{', '.join(FOLDERS)} and *{RECORD_FILES}"
    for entry in entries:
        if entry.is_folder and entry.name not in FOLDERS and not entry.name.startswith("."):
            raise InputError(f"{state.path()} has a folder {entry.name!r}; a state has only {parts}")
    if not any(entry.name in FOLDERS or entry.name.endswith(RECORD_FILES) for entry in entries):
        raise InputError(f"{state.path()} has nothing to load; a state has {parts}")


def folder_in(state: StateFolder, name: str) -> str | None:
    """The path of a part that is a folder, if the state has it."""
    return state.path(name) if FolderEntry(name, is_folder=True) in state.entries() else None


def records_in(state: StateFolder, now: datetime) -> Iterator[Record]:
    """All records, file by file in the order of names. Records without a time get ``now``."""
    for name in state.files():
        if name.endswith(RECORD_FILES):
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


@dataclass(frozen=True, slots=True)
class Loaded:
    """How much was loaded into which playground."""

    playground: str
    store: str
    records: int
    files: int


class Folders(Protocol):
    """The local folders that stand in for servers. ``root`` is the folder of the playground file."""

    @property
    def root(self) -> str: ...

    def resolved(self, path: str) -> str:
        """A path without links in it."""

    def is_filled(self, path: str) -> bool:
        """True for a folder with something in it."""

    def fill(self, target: str, source: str | None, at: datetime) -> int:
        """Empty a folder, copy another one into it, and return the number of files, which are all of that time."""


@dataclass(frozen=True, slots=True)
class _Copy:
    """A folder to fill, and the folder to copy, if there is one."""

    source: str | None
    target: str


def load_playground(
    file: PlaygroundFile,
    state: StateFolder | None,
    folders: Folders,
    open_store: Callable[[], AbstractContextManager[PlaygroundStore]],
    now: datetime,
    replace: bool = False,
) -> Loaded:
    """Without a state, the playground is empty. Raises ``InputError`` before anything is changed.

    Only a disk that fails can leave it half loaded.
    """
    if state is not None:
        check_state(state)
    copies = list(_copies(file, state))
    kept = [state.path()] if state is not None else []
    kept += [one for one in (file.store, *(copy.target for copy in copies)) if one is not None]
    for copy in copies:
        _refuse_target(copy, folders, replace)
        _refuse_loss(copy.target, kept, folders)
    with open_store() as store:
        new = new_playground(file, now)
        records = () if state is None else records_in(state, now)
        count = store.replace(new, records) if replace else store.record(new.id, records, new)
    return Loaded(new.id, store.name, count, sum(folders.fill(one.target, one.source, now) for one in copies))


def _copies(file: PlaygroundFile, state: StateFolder | None) -> Iterator[_Copy]:
    places: Sequence[tuple[str, FhirPlace | FilesPlace | None]] = ((FILES, file.files), (FHIR, file.fhir))
    for name, place in places:
        source = None if state is None else folder_in(state, name)
        if place is not None and place.folder is not None:
            yield _Copy(source, place.folder)
        elif source is not None:
            raise InputError(f"{source} can't be loaded: the playground file names no folder for {name}")


def _refuse_target(copy: _Copy, folders: Folders, replace: bool) -> None:
    """Only folders below the playground file are emptied: a mistyped path must not cost anybody's files."""
    if not folders.resolved(copy.target).startswith(f"{folders.resolved(folders.root)}/"):
        raise InputError(f"{copy.target} must be below the folder of the playground file to be filled")
    if not replace and folders.is_filled(copy.target):
        raise InputError(f"{copy.target} must be empty; --replace removes what is in it")


def _refuse_loss(target: str, kept: Sequence[str], folders: Folders) -> None:
    """The state itself, the store and the other folder must not be inside a folder that is emptied."""
    inside = f"{folders.resolved(target)}/"
    for one in kept:
        if one != target and f"{folders.resolved(one)}/".startswith(inside):
            raise InputError(f"{one} is in {target}, which loading would empty")
