"""Load a prepared state into the playground that a playground file describes."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from assay.core.errors import InputError
from assay.dialects.criteria.playground_file import FhirPlace, FilesPlace, PlaygroundFile
from assay.engine.criteria.prepared_state import FHIR, FILES, StateFolder, check_state, folder_in, records_in
from assay.engine.criteria.watched_sources import PlaygroundStore, new_playground


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
        """Whether it is a folder with something in it."""

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
