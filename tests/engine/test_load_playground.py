"""Loading a prepared state, without a disk or a database: what is refused before anything is changed."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.dialects.criteria.playground_file import PlaygroundFile
from assay.engine.criteria.load_playground import FolderEntry, Loaded, load_playground
from assay.engine.criteria.watched_sources import NewEvent, NewResponse, Playground, Record

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
EVERYTHING = {"hl7/a": b"MSH", "x12/b": b"ISA", "files/c": b"", "fhir/d.json": b"{}"}


@dataclass
class State:
    """A prepared state as a table of files."""

    content: dict[str, bytes]

    def path(self, name: str = "") -> str:
        return f"/state/{name}".rstrip("/")

    def entries(self) -> Sequence[FolderEntry]:
        tops = {name.partition("/")[0]: "/" in name for name in self.content}
        return [FolderEntry(name, is_folder) for name, is_folder in sorted(tops.items())]

    def files(self, folder: str = "") -> Sequence[str]:
        return [name.rpartition("/")[2] for name in sorted(self.content) if name.rpartition("/")[0] == folder]

    def read(self, name: str, what: str) -> bytes:
        if name not in self.content:
            raise InputError(what)
        return self.content[name]


@dataclass
class Folders:
    root: str = "/box"
    links: dict[str, str] = field(default_factory=dict)
    filled: list[tuple[str, str | None]] = field(default_factory=list)

    def resolved(self, path: str) -> str:
        return self.links.get(path, path)

    def is_filled(self, path: str) -> bool:
        return path == "/box/full"

    def fill(self, target: str, source: str | None, at: datetime) -> int:
        assert at == NOW
        self.filled.append((target, source))
        return 1


@dataclass
class Store:
    name: str = "memory"
    done: list[tuple[str, Playground | None, list[Record]]] = field(default_factory=list)

    def record(self, playground: str, records: Iterable[Record], new: Playground | None = None) -> int:
        assert playground == "b"
        return self._done("record", new, records)

    def replace(self, new: Playground, records: Iterable[Record]) -> int:
        return self._done("replace", new, records)

    def _done(self, how: str, new: Playground | None, records: Iterable[Record]) -> int:
        self.done.append((how, new, list(records)))
        return len(self.done[-1][2])

    def open(self) -> AbstractContextManager["Store"]:
        return nullcontext(self)


def file(**more: Any) -> PlaygroundFile:
    places = {"files": {"folder": "/box/files"}, "fhir": {"folder": "/box/fhir"}}
    return PlaygroundFile.model_validate({"id": "b", "store": "/box/s.db", **places, **more})


@pytest.mark.parametrize(("replace", "how"), [(False, "record"), (True, "replace")])
def test_every_part_gets_to_its_place(replace: bool, how: str) -> None:
    folders, store = Folders(), Store()
    loaded = load_playground(file(), State(EVERYTHING), folders, store.open, NOW, replace)
    assert loaded == Loaded("b", "memory", 2, 2)
    new = Playground("b", NOW, None, "file:///box/files", {})
    records: list[Record] = [NewEvent("hl7_outbound", b"MSH", NOW), NewResponse(b"ISA", NOW)]
    assert store.done == [(how, new, records)]
    assert folders.filled == [("/box/files", "/state/files"), ("/box/fhir", "/state/fhir")]


def test_without_a_state_the_folders_are_emptied() -> None:
    folders, store = Folders(), Store()
    assert load_playground(file(), None, folders, store.open, NOW).records == 0
    assert folders.filled == [("/box/files", None), ("/box/fhir", None)]


@pytest.mark.parametrize(
    ("more", "links", "says"),
    [
        ({"files": {"folder": "/other"}}, {}, "/other must be below the folder of the playground file"),
        ({"files": {"folder": "/box"}}, {}, "/box must be below the folder of the playground file"),
        ({}, {"/box/fhir": "/state"}, "/box/fhir must be below the folder of the playground file"),
        ({"files": {"folder": "/box/full"}}, {}, "/box/full must be empty; --replace removes what is in it"),
        ({"store": "/box/files/s.db"}, {}, "/box/files/s.db is in /box/files, which loading would empty"),
        ({}, {"/state": "/box/fhir/state"}, "/state is in /box/fhir, which loading would empty"),
        ({"files": {"url": "s3://b"}}, {}, "the playground file names no folder for files"),
    ],
)
def test_nothing_is_changed_by_what_is_refused(more: dict[str, Any], links: dict[str, str], says: str) -> None:
    folders, store = Folders(links=links), Store()
    with pytest.raises(InputError, match=says):
        load_playground(file(**more), State(EVERYTHING), folders, store.open, NOW)
    assert (folders.filled, store.done) == ([], [])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({"event/a": b""}, "/state has a folder 'event'; a state has only hl7, x12, files, fhir and"),
        ({}, "/state has nothing to load; a state has hl7, x12, files, fhir and"),
        ({"notes.txt": b"", ".git/x": b""}, "/state has nothing to load"),
    ],
)
def test_a_folder_without_a_state_is_refused(content: dict[str, bytes], says: str) -> None:
    with pytest.raises(InputError, match=says):
        load_playground(file(), State(content), Folders(), Store().open, NOW)
