"""A FHIR server as it was at a moment, as far as it keeps versions.

Searching finds what is there now. A resource that changed later is replaced by its version of then, and one that
was made later is left out. Resources that don't match any more are found in the history of their type.

Which resources that a server found contradict the search, because it ignored a simple parameter.

Servers know more about searching than we do: time zones, code systems, accents. So a resource is taken out only if
what it has can't match, whatever the server does.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, Protocol

from assay.core.errors import BoundsError, MeasurementError
from assay.formats.fhir.search import DATES, Resource, place_of_reference, plain, split, texts_of, values_at
from assay.formats.fhirpath.matches import Unsure, last_change
from assay.formats.field_rules.dates import parse_date

MOST_CHANGED: Final = 50
# Parameters that say how results are shown, and not what they are.
_SHAPE: Final = frozenset(("_count", "_sort", "_total", "_summary", "_elements"))
UNKNOWN: Final = "it changed after the completion was accepted, and how it was before can't be told"
UNSEEN: Final = "the server doesn't tell which resources changed or were deleted after the completion was accepted"
Contradicts = Callable[[Resource, str, str], bool]
# No two places on Earth are further apart in time, by their clocks.
_ZONES: Final = timedelta(hours=27)


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
        for identity in self._changed_later(resource_type, seen):
            yield from self._earlier(resource_type, identity, None, fits, certain)

    def problems(self, resource: Mapping[str, object], profile: str) -> Sequence[str]:
        return self.server.problems(resource, profile)

    def note(self, resource_type: str) -> str | None:
        """A note on what is unknown about a type, if asked."""
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

    def _changed_later(self, resource_type: str, seen: set[object]) -> Iterator[str]:
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


def recheck(resource_type: str, parameters: Mapping[str, object]) -> Callable[[Resource], bool]:
    """Whether a resource can be a match, as far as simple parameters tell."""
    tests = [
        (_SIMPLE[name], name, split(text, ","))
        for name, value in parameters.items()
        if is_simple(resource_type, name, value)
        for text in texts_of(value)
    ]
    return lambda resource: (
        not any(all(contradicts(resource, name, one) for one in wanted) for contradicts, name, wanted in tests)
    )


def is_simple(resource_type: str, name: str, value: object) -> bool:
    """Whether matches can be checked again by this parameter."""
    if name == "date" and resource_type not in DATES:
        return False
    if name in ("date", "birthdate"):
        return all(parse_date(one) is not None for text in texts_of(value) for one in split(text, ","))
    return name in _SIMPLE


def _code(resource: Resource, name: str, wanted: str) -> bool:
    """A plain code, such as a status, which may be given with its system."""
    found = resource.get(name)
    return found is None or (isinstance(found, str) and found.lower() != plain(split(wanted, "|")[-1]).lower())


def _concept(resource: Resource, name: str, wanted: str) -> bool:
    if not isinstance(resource.get(name), dict):
        return name not in resource
    return not any(_is_token(one, "code", wanted) for one in values_at(resource, (name, "coding")))


def _is_token(found: object, key: str, wanted: str) -> bool:
    """``value``, ``system|value``, ``system|`` or ``|value``. Whether case matters depends on the system."""
    if not isinstance(found, dict):
        return False
    system, bar, value = (plain(part) for part in _token(wanted))
    same = str(found.get(key, "")).lower() == value.lower()
    if not bar:
        return same
    return str(found.get("system", "")) == system and (same or not value)


def _token(wanted: str) -> tuple[str, str, str]:
    parts = split(wanted, "|")
    return ("", "", parts[0]) if len(parts) == 1 else (parts[0], "|", "|".join(parts[1:]))


def _reference(resource: Resource, name: str, wanted: str) -> bool:
    """Only references that are written out can contradict."""
    found = values_at(resource, (*place_of_reference(name, resource), "reference"))
    written = [one for one in found if isinstance(one, str)]
    target = plain(wanted).rstrip("/").rpartition("/")[2]
    targets = [one.partition("/_history/")[0].rpartition("/")[2] for one in written]
    return bool(written) and target not in targets


def _date(resource: Resource, name: str, wanted: str) -> bool:
    """Dates of the same day may be a day apart in two time zones."""
    path = ("birthDate",) if name == "birthdate" else DATES[str(resource.get("resourceType"))]
    asked = parse_date(wanted)
    found = [parse_date(one) for one in values_at(resource, path) if isinstance(one, str)]
    spans = [one for one in found if one is not None]
    if asked is None or not spans:
        return False
    return all(one.start - asked.end >= _ZONES or asked.start - one.end >= _ZONES for one in spans)


def _name(resource: Resource, name: str, wanted: str) -> bool:
    """A string matches from its beginning, without regard to case and accents."""
    beginning = _fold_text(plain(wanted))
    return not any(_fold_text(one).startswith(beginning) for one in _names(resource, name))


def _names(resource: Resource, name: str) -> Iterator[str]:
    """The texts of a name, or of one part of it, whole and word by word."""
    parts = ("family", "given", "prefix", "suffix", "text") if name == "name" else (name,)
    found = [one for part in parts for one in values_at(resource, ("name", part))]
    for text in (*found, *values_at(resource, ("name",))):
        if isinstance(text, str):
            yield from (text, *text.split())


def _fold_text(text: str) -> str:
    parted = unicodedata.normalize("NFKD", text.casefold())
    return "".join(one for one in parted if not unicodedata.combining(one))


_SIMPLE: Final[Mapping[str, Contradicts]] = {
    "_id": lambda resource, _, wanted: bool(resource.get("id") != plain(wanted)),
    "identifier": lambda resource, name, wanted: (
        not any(_is_token(one, "value", wanted) for one in values_at(resource, (name,)))
    ),
    "status": _code,
    "gender": _code,
    "code": _concept,
    "patient": _reference,
    "subject": _reference,
    "date": _date,
    "birthdate": _date,
    "family": _name,
    "given": _name,
    "name": _name,
}
