"""Which of a server's resources a criterion means, by a condition and by when they changed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from assay.evidence.bounds import strange_resource
from assay.formats.fhirpath.errors import FhirPathError
from assay.formats.fhirpath.evaluate import holds
from assay.formats.field_rules.dates import parse_date

Resource = dict[str, Any]
NEVER: Final = datetime.min.replace(tzinfo=UTC)


class Unsure(dict[str, Any]):
    """A resource of which can't be said whether it was like that when it counts: ``doubt`` says why."""

    def __init__(self, resource: Resource, doubt: str) -> None:
        super().__init__(resource)
        self.doubt = doubt


@dataclass(frozen=True, slots=True)
class Match:
    """A resource that is meant, or of which that can't be said: ``doubt`` says why.

    One that is ``older`` than it should be is not meant.
    """

    resource: Resource
    doubt: str | None = None
    older: bool = False

    @property
    def name(self) -> str:
        """The resource as references have it: ``Patient/123``."""
        return f"{self.resource.get('resourceType')}/{self.resource.get('id')}"


def matches(
    resources: Iterable[Resource], where: str | None, since: datetime | None, version: str = "R4"
) -> Iterator[Match]:
    """Those that are meant, those of which it can't be said, and those that are too old."""
    for resource in resources:
        if isinstance(resource, Unsure):
            yield Match(resource, resource.doubt)
            continue
        changed = last_change(resource)
        if since is not None and changed is not None and changed < since:
            yield Match(resource, older=True)
            continue
        if since is not None and changed is None:
            yield Match(resource, "it has no time of its last change (meta.lastUpdated)")
            continue
        strange = strange_resource(resource)
        if strange is not None:
            yield Match(resource, strange)
            continue
        try:
            if where is None or holds(where, resource, version):
                yield Match(resource)
        except FhirPathError as error:
            yield Match(resource, str(error))


def last_change(resource: Resource) -> datetime | None:
    """When the server says that a resource changed. A time that is not exact counts from its beginning."""
    meta = resource.get("meta")
    written = meta.get("lastUpdated") if isinstance(meta, dict) else None
    span = parse_date(written) if isinstance(written, str) else None
    return None if span is None else span.start


def latest(found: list[Match]) -> Match:
    """The last one to change; the first of several."""
    return max(found, key=lambda one: last_change(one.resource) or NEVER)
