"""A FHIR server as it was at a moment, as far as it keeps versions.

Searching finds what is there now. A resource that changed later is replaced by its version of then, and one that
was made later is left out. Resources that don't match any more are found in the history of their type.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, Protocol

from assay.core.errors import BoundsError, MeasurementError
from assay.formats.fhir.bundle import Resource
from assay.formats.fhir.recheck import is_simple, recheck
from assay.formats.fhirpath.matches import Unsure, last_change
from assay.formats.field_rules.dates import parse_date

MOST_CHANGED: Final = 50
# Parameters that say how results are shown, and not what they are.
_SHAPE: Final = frozenset(("_count", "_sort", "_total", "_summary", "_elements"))
UNKNOWN: Final = "it changed after the completion was accepted, and how it was before can't be told"
UNSEEN: Final = "the server doesn't tell which resources changed or were deleted after the completion was accepted"


class Versions(Protocol):
    """A FHIR server that may keep versions."""

    @property
    def ahead(self) -> timedelta:
        """By how much its clock is ahead of ours."""
        ...

    def search(self, resource_type: str, parameters: Mapping[str, object]) -> Iterator[Resource]: ...

    def read(self, resource_type: str, identity: str) -> Resource | None: ...

    def problems(self, resource: Mapping[str, object], profile: str) -> Sequence[str]: ...

    def history(
        self, resource_type: str, identity: str | None = None, since: datetime | None = None
    ) -> Sequence[Resource] | None:
        """The entries of a history: of one resource, or of a type. None if there is none."""
        ...


@dataclass(frozen=True, slots=True)
class PastFhir:
    """Fulfils ``FhirSource`` with the state of a moment, by our clock."""

    server: Versions
    at: datetime
    unseen: set[str] = field(default_factory=set)

    def read(self, resource_type: str, identity: str) -> Resource | None:
        found = self.server.read(resource_type, identity)
        if found is not None and not self._is_later(found):
            return found
        entries = self.server.history(resource_type, identity)
        if entries is None:
            return None if found is None else Unsure(found, UNKNOWN)
        return self._version(entries, found)

    def search(self, resource_type: str, parameters: Mapping[str, object]) -> Iterator[Resource]:
        """The matches of then. One of which that can't be told is ``Unsure``."""
        fits = recheck(resource_type, parameters)
        certain = all(one in _SHAPE or is_simple(resource_type, one, value) for one, value in parameters.items())
        seen = set[object]()
        for found in self.server.search(resource_type, parameters):
            seen.add(found.get("id"))
            if self._is_later(found):
                yield from self._earlier(resource_type, str(found.get("id")), found, fits, certain)
            else:
                yield found
        for identity in self._changed(resource_type, seen):
            yield from self._earlier(resource_type, identity, None, fits, certain)

    def problems(self, resource: Mapping[str, object], profile: str) -> Sequence[str]:
        return self.server.problems(resource, profile)

    def note(self, resource_type: str) -> str | None:
        """What can't be told about a type, if that was asked."""
        return UNSEEN if resource_type in self.unseen else None

    def _is_later(self, resource: Resource) -> bool:
        changed = last_change(resource)
        return changed is not None and changed > self.at + self.server.ahead

    def _earlier(
        self,
        resource_type: str,
        identity: str,
        found: Resource | None,
        fits: Callable[[Resource], bool],
        certain: bool,
    ) -> Iterator[Resource]:
        """The version of then, if there was one that matched. ``found`` is the one of now, if that matches."""
        entries = self.server.history(resource_type, identity)
        version = self._version(entries, found) if entries is not None else found and Unsure(found, UNKNOWN)
        if version is not None and fits(version):
            yield version if certain or isinstance(version, Unsure) else Unsure(version, UNKNOWN)

    def _version(self, entries: Iterable[Resource], found: Resource | None) -> Resource | None:
        """The last one that isn't later; None if the resource wasn't there then, or was deleted."""
        last: tuple[datetime, Resource | None] | None = None
        for entry in entries:
            at = _time_of(entry)
            if at is None:
                return found and Unsure(found, UNKNOWN)
            if at <= self.at + self.server.ahead and (last is None or at > last[0]):
                resource = entry.get("resource")
                last = at, resource if isinstance(resource, dict) and not _is_deletion(entry) else None
        return None if last is None else last[1]

    def _changed(self, resource_type: str, seen: set[object]) -> Iterator[str]:
        """Those that changed later and are not among the matches of now. Many servers can't tell."""
        try:
            entries = self.server.history(resource_type, since=self.at + self.server.ahead)
        except (BoundsError, MeasurementError):
            entries = None
        names = None if entries is None else {_id_of(entry) for entry in entries} - seen - {None}
        if names is None or len(names) > MOST_CHANGED:
            self.unseen.add(resource_type)
        else:
            yield from sorted(str(one) for one in names)


def _is_deletion(entry: Mapping[str, Any]) -> bool:
    request = entry.get("request")
    return isinstance(request, dict) and request.get("method") == "DELETE"


def _time_of(entry: Mapping[str, Any]) -> datetime | None:
    """When a version was made: it says so itself, or the answer that its maker got."""
    resource, response = entry.get("resource"), entry.get("response")
    changed = last_change(resource) if isinstance(resource, dict) else None
    if changed is not None or not isinstance(response, dict):
        return changed
    span = parse_date(str(response.get("lastModified")))
    return None if span is None else span.start


def _id_of(entry: Mapping[str, Any]) -> str | None:
    resource, request = entry.get("resource"), entry.get("request")
    written = resource.get("id") if isinstance(resource, dict) else None
    if isinstance(written, str):
        return written
    address = request.get("url") if isinstance(request, dict) else entry.get("fullUrl")
    return address.partition("/_history")[0].rpartition("/")[2] if isinstance(address, str) else None
