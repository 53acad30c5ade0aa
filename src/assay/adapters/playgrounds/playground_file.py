"""Playground files, YAML or JSON, and the playground of the store that one describes."""

import os
from typing import TYPE_CHECKING

from assay.adapters.machine.yaml_lines import read_marked, validated
from assay.adapters.store.opening import DEFAULT, VARIABLE, open_store
from assay.core.errors import InputError
from assay.dialects.criteria.playground_file import FhirPlace, FilesPlace, PlaygroundFile

if TYPE_CHECKING:
    from assay.adapters.store.store import Store


def load_playground_file(path: str) -> PlaygroundFile:
    """A playground file with absolute paths. Raises ``InputError`` with the file, the line and the field."""
    file = validated(PlaygroundFile, path, read_marked(path))
    beside = os.path.dirname(os.path.abspath(path))
    changed: dict[str, object] = {"store": _store(file, beside)}
    if file.fhir is not None:
        changed["fhir"] = _absolute(file.fhir, beside)
    if file.files is not None:
        changed["files"] = _absolute(file.files, beside)
    return file.model_copy(update=changed)


def open_playground_store(file: PlaygroundFile, create: bool = False) -> "Store":
    """The store of a loaded playground file."""
    where = file.store or DEFAULT
    if create and "://" not in where:
        os.makedirs(os.path.dirname(where), mode=0o700, exist_ok=True)
    return open_store(where, create)


def from_variable(name: str) -> str:
    """What an environment variable has. Raises ``InputError`` where it is not set."""
    value = os.environ.get(name, "")
    if not value:
        raise InputError(f"the environment variable {name}, which the playground file names, is not set")
    return value


def _store(file: PlaygroundFile, beside: str) -> str:
    if file.store_env is not None:
        return from_variable(file.store_env)
    if file.store is None and os.environ.get(VARIABLE):
        return os.environ[VARIABLE]
    where = file.store or DEFAULT
    return where if "://" in where else os.path.join(beside, where)


def _absolute(place: FhirPlace | FilesPlace, beside: str) -> FhirPlace | FilesPlace:
    if place.folder is None:
        return place
    return place.model_copy(update={"folder": os.path.normpath(os.path.join(beside, place.folder))})
