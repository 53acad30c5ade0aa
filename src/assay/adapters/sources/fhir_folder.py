"""A folder of FHIR resources as JSON, in place of a server: for trying criteria in a minute.

Each ``*.json`` below it holds one resource, or a Bundle of them.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from assay.adapters.sources.files.folder import LocalFolder
from assay.core.errors import InputError
from assay.evidence.bounds import strange_resource
from assay.formats.fhir.search import condition, resources_in

Resource = dict[str, Any]
LIMIT_BYTES: Final = 16 * 1024 * 1024


class FhirFolder:
    """Fulfils ``FhirSource``. Reads all files at once, and raises ``InputError`` for one without resources."""

    def __init__(self, root: str) -> None:
        self._resources: dict[tuple[str, str], Resource] = {}
        for path, resource in _read(root):
            key = _key(resource, path)
            if key in self._resources:
                raise InputError(f"{path}: the resource {key[0]}/{key[1]} exists twice")
            self._resources[key] = resource

    def read(self, resource_type: str, identity: str) -> dict[str, object] | None:
        return self._resources.get((resource_type, identity))

    def search(self, resource_type: str, parameters: Mapping[str, object]) -> Iterator[dict[str, object]]:
        """The matches, in the order of their ids."""
        is_match = condition(resource_type, parameters)
        for kind, identity in sorted(self._resources):
            resource = self._resources[kind, identity]
            if kind == resource_type and (strange_resource(resource) is not None or is_match(resource)):
                yield resource


def _read(root: str) -> Iterator[tuple[str, Resource]]:
    folder = LocalFolder(root)
    for file in sorted(folder.files(), key=lambda one: one.path):
        if not file.path.endswith(".json"):
            continue
        if file.size > LIMIT_BYTES:
            raise InputError(f"{file.path} must have at most {LIMIT_BYTES} bytes, got {file.size}")
        try:
            value = json.loads(b"".join(folder.chunks(file.path)))
        except (ValueError, RecursionError) as error:
            raise InputError(f"{file.path} in the folder of FHIR resources is not valid JSON") from error
        yield from ((file.path, resource) for resource in resources_in(value))


def _key(resource: object, path: str) -> tuple[str, str]:
    kind, identity = (resource.get("resourceType"), resource.get("id")) if isinstance(resource, dict) else (0, 0)
    if not isinstance(kind, str) or not isinstance(identity, str):
        raise InputError(f"every resource in {path} must have a resourceType and an id")
    return kind, identity
