"""A folder of FHIR resources as JSON, in the place of a server: for trying criteria in a minute.

Each ``*.json`` below it has one resource, or a Bundle of them. It can be searched by ``_id``, ``identifier``,
``patient``, ``subject``, ``status`` and ``date`` (without a prefix), and refuses by name what it can't search by:
an answer that ignored a parameter would be wrong.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from assay.adapters import fhir_search
from assay.adapters.files.folder import LocalFolder
from assay.core.errors import InputError, MeasurementError

Resource = dict[str, Any]
LIMIT_BYTES: Final = 16 * 1024 * 1024
# How many a page has changes nothing about which they are.
_NO_CONDITION: Final = ("_count",)


class FhirFolder:
    """Fulfils ``FhirSource``. All is read when it is opened; a file that is no resource raises ``InputError``."""

    def __init__(self, root: str) -> None:
        self._resources: dict[tuple[str, str], Resource] = {}
        for path, resource in _read(root):
            key = _key(resource, path)
            if key in self._resources:
                raise InputError(f"{path}: there are two resources {key[0]}/{key[1]}")
            self._resources[key] = resource

    def read(self, resource_type: str, identity: str) -> dict[str, object] | None:
        return self._resources.get((resource_type, identity))

    def search(self, resource_type: str, parameters: Mapping[str, object]) -> Iterator[dict[str, object]]:
        """The matches, in the order of their ids."""
        tests = [
            _test(resource_type, name, one)
            for name, value in parameters.items()
            if name not in _NO_CONDITION
            for one in (value if isinstance(value, list | tuple) else [value])
        ]
        for kind, identity in sorted(self._resources):
            resource = self._resources[kind, identity]
            if kind == resource_type and all(holds(resource) for holds in tests):
                yield resource


def _test(resource_type: str, name: str, value: object) -> Callable[[Resource], bool]:
    """Whether a resource matches one parameter: any of the values that commas separate is enough."""
    matches = fhir_search.PARAMETERS.get(name)
    if matches is None:
        known = ", ".join(fhir_search.PARAMETERS)
        raise MeasurementError(f"a folder of FHIR resources can't be searched by {name!r}; it can by {known}")
    written = str(value).lower() if isinstance(value, bool) else str(value)
    wanted = fhir_search.split(written, ",")
    fhir_search.refuse(resource_type, name, wanted)
    return lambda resource: any(matches(resource, one) for one in wanted)


def _read(root: str) -> Iterator[tuple[str, Resource]]:
    folder = LocalFolder(root)
    for file in sorted(folder.files(), key=lambda one: one.path):
        if not file.path.endswith(".json"):
            continue
        if file.size > LIMIT_BYTES:
            raise InputError(f"{file.path} is larger than {LIMIT_BYTES} bytes")
        for resource in _unbundled(_parsed(b"".join(folder.chunks(file.path)), file.path)):
            yield file.path, resource


def _parsed(data: bytes, path: str) -> object:
    try:
        value: object = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} in the folder of FHIR resources is no valid JSON") from error
    return value


def _unbundled(value: object) -> list[Any]:
    if not isinstance(value, dict) or value.get("resourceType") != "Bundle":
        return [value]
    entries = value.get("entry", [])
    found = entries if isinstance(entries, list) else [entries]
    return [one.get("resource") if isinstance(one, dict) else None for one in found]


def _key(resource: object, path: str) -> tuple[str, str]:
    kind, identity = (resource.get("resourceType"), resource.get("id")) if isinstance(resource, dict) else (0, 0)
    if not isinstance(kind, str) or not isinstance(identity, str):
        raise InputError(f"{path} in the folder of FHIR resources has something without a resourceType and an id")
    return kind, identity
