"""Which resources that a server found contradict the search, because it ignored a simple parameter.

Servers know more about searching than we do: time zones, code systems, accents. So a resource is taken out only if
what it has can't match, whatever the server does.
"""

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from typing import Final

from assay.formats.fhir.search import DATES, Resource, place_of_reference, plain, split, texts_of, values_at
from assay.formats.field_rules.dates import parse_date

Contradicts = Callable[[Resource, str, str], bool]
# No two places on Earth are further apart in time, by their clocks.
_ZONES: Final = timedelta(hours=27)


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


def _id(resource: Resource, _name: str, wanted: str) -> bool:
    return bool(resource.get("id") != plain(wanted))


def _code(resource: Resource, name: str, wanted: str) -> bool:
    """A plain code, such as a status, which may be given with its system."""
    found = resource.get(name)
    return found is None or (isinstance(found, str) and found.lower() != plain(split(wanted, "|")[-1]).lower())


def _identifier(resource: Resource, name: str, wanted: str) -> bool:
    return not any(_is_token(one, "value", wanted) for one in values_at(resource, (name,)))


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
    return bool(written) and not any(_target(one) == target for one in written)


def _target(reference: str) -> str:
    return reference.partition("/_history/")[0].rpartition("/")[2]


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
    beginning = _folded(plain(wanted))
    return not any(_folded(one).startswith(beginning) for one in _names(resource, name))


def _names(resource: Resource, name: str) -> Iterator[str]:
    """The texts of a name, or of one part of it, whole and word by word."""
    parts = ("family", "given", "prefix", "suffix", "text") if name == "name" else (name,)
    found = [one for part in parts for one in values_at(resource, ("name", part))]
    for text in (*found, *values_at(resource, ("name",))):
        if isinstance(text, str):
            yield from (text, *text.split())


def _folded(text: str) -> str:
    parted = unicodedata.normalize("NFKD", text.casefold())
    return "".join(one for one in parted if not unicodedata.combining(one))


_SIMPLE: Final[Mapping[str, Contradicts]] = {
    "_id": _id,
    "identifier": _identifier,
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
