"""Put a prepared state into the playground that a playground file describes."""

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from assay.adapters.files.folder import LocalFolder
from assay.adapters.playground_file import load_playground_file, new_playground, open_playground_store
from assay.adapters.prepared_state import FHIR, FILES, checked_folder, records_in
from assay.core.errors import InputError
from assay.dialects.criteria.playground_file import FhirPlace, FilesPlace, PlaygroundFile

EPOCH: Final = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was put into which playground."""

    playground: str
    store: str
    records: int
    files: int


@dataclass(frozen=True, slots=True)
class _Copy:
    """A folder to fill, and where from, if there is anything."""

    source: str | None
    target: str


def load_state(path: str, folder: str | None, now: datetime, replace: bool = False) -> Loaded:
    """Load a folder. Raises ``InputError`` before anything is changed, but for a disk that fails half way."""
    file = load_playground_file(path)
    state = None if folder is None else checked_folder(folder)
    copies = list(_copies(file, state))
    kept = [one for one in (state, file.store, *(copy.target for copy in copies)) if one is not None]
    for copy in copies:
        _refuse_target(copy, os.path.dirname(os.path.abspath(path)), replace)
        _refuse_loss(copy.target, kept)
    with open_playground_store(file, create=True) as store:
        new = new_playground(file, now)
        records = () if state is None else records_in(state, now)
        count = store.replace(new, records) if replace else store.record(new.id, records, new)
    return Loaded(new.id, store.name, count, sum(_filled(copy, now) for copy in copies))


def _copies(file: PlaygroundFile, state: str | None) -> Iterator[_Copy]:
    places: Sequence[tuple[str, FhirPlace | FilesPlace | None]] = ((FILES, file.files), (FHIR, file.fhir))
    for name, place in places:
        source = None if state is None else os.path.join(state, name)
        source = source if source is not None and os.path.isdir(source) else None
        if place is not None and place.folder is not None:
            yield _Copy(source, place.folder)
        elif source is not None:
            raise InputError(f"{source} can't be loaded: the playground file names no folder for {name}")


def _refuse_target(copy: _Copy, beside: str, replace: bool) -> None:
    """Only folders below the playground file are emptied: a mistyped path must not cost anybody's files."""
    target, root = os.path.realpath(copy.target), os.path.realpath(beside)
    if not target.startswith(root + os.sep):
        raise InputError(f"{copy.target} must be below the folder of the playground file to be filled")
    if not replace and os.path.isdir(target) and os.listdir(target):
        raise InputError(f"{copy.target} is not empty; --replace removes what is there")


def _refuse_loss(target: str, kept: Sequence[str]) -> None:
    """The state itself, the store and the other folder must not be inside of a folder that is emptied."""
    inside = os.path.realpath(target) + os.sep
    for one in kept:
        if one != target and (os.path.realpath(one) + os.sep).startswith(inside):
            raise InputError(f"{one} is in {target}, which loading would empty")


def _filled(copy: _Copy, now: datetime) -> int:
    """Make the target anew. Links are not followed, and each file is as new as its loading, as records are."""
    shutil.rmtree(copy.target, ignore_errors=True)
    os.makedirs(copy.target, exist_ok=True)
    if copy.source is None:
        return 0
    source, count = LocalFolder(copy.source), 0
    moment = (now - EPOCH) // timedelta(microseconds=1) * 1000
    for found in source.files():
        count += 1
        path = os.path.join(copy.target, *found.path.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as written:
            written.writelines(source.chunks(found.path))
        os.utime(path, ns=(moment, moment))
    return count
