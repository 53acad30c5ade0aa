"""The meaning of a FHIR search: the query for a server, and which resources at hand a few parameters match.

Resources at hand can be searched by ``_id``, ``identifier``, ``patient``, ``subject``, ``status`` and ``date``
(without a prefix). Any other parameter is refused by name: a search that ignored it would find too much.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, TypeVar

from assay.core.errors import BoundsError, MeasurementError

Resource = dict[str, Any]
Page = TypeVar("Page")


def matches(bundle: dict[str, Any], resource_type: str) -> Iterator[dict[str, Any]]:
    """The resources that match a search, without those that were only included with them."""
    for entry in objects_in(bundle.get("entry")):
        resource, search = entry.get("resource"), entry.get("search")
        mode = search.get("mode") if isinstance(search, dict) else None
        if not isinstance(resource, dict) or mode not in (None, "match"):
            continue
        if resource.get("resourceType") == resource_type:
            yield resource


def next_link(bundle: dict[str, Any]) -> str | None:
    """The address of the next page, as the server wrote it."""
    for link in objects_in(bundle.get("link")):
        url = link.get("url")
        if link.get("relation") == "next" and isinstance(url, str) and url:
            return url
    return None


def pages(
    first: Page,
    ask: Callable[[Page], Resource],
    following: Callable[[Page, Resource], Page | None],
    what: str,
    most: int,
) -> Iterator[Resource]:
    """The bundles of a search. Raises ``MeasurementError`` for a circle, and ``BoundsError`` for too many."""
    asked: set[str] = set()
    page: Page | None = first
    while page is not None:
        if str(page) in asked:
            raise MeasurementError(f"{what}: the pages of the server go in a circle")
        if len(asked) >= most:
            raise BoundsError(f"{what}: there are more than {most} pages, which are not read")
        asked.add(str(page))
        bundle = ask(page)
        yield bundle
        page = following(page, bundle)


def each_once(resources: Iterable[Resource]) -> Iterator[Resource]:
    """Every resource the first time that its id occurs: pages may overlap. One without an id always counts."""
    seen: set[object] = set()
    for resource in resources:
        identity = resource.get("id")
        if not isinstance(identity, str) or identity not in seen:
            seen.update([identity] if isinstance(identity, str) else [])
            yield resource


def resources_in(value: object) -> list[Any]:
    """The entries of a Bundle; anything else is taken for a resource."""
    if not isinstance(value, dict) or value.get("resourceType") != "Bundle":
        return [value]
    entries = value.get("entry", [])
    found = entries if isinstance(entries, list) else [entries]
    return [one.get("resource") if isinstance(one, dict) else None for one in found]


def objects_in(value: object) -> list[dict[str, Any]]:
    """The objects of a list; none where it is something else."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


# Where a type keeps what the parameter is about, if it is not at the usual place.
_PATIENT: Final[Mapping[str, tuple[str, ...]]] = {
    "Appointment": ("participant", "actor"),
    "Coverage": ("beneficiary",),
    "Task": ("for",),
}
_SUBJECT: Final[Mapping[str, tuple[str, ...]]] = {"Task": ("for",)}
DATES: Final[Mapping[str, tuple[str, ...]]] = {
    "Appointment": ("start",),
    "Composition": ("date",),
    "Consent": ("dateTime",),
    "DiagnosticReport": ("effectiveDateTime",),
    "DocumentReference": ("date",),
    "Immunization": ("occurrenceDateTime",),
    "Observation": ("effectiveDateTime",),
    "Procedure": ("performedDateTime",),
}
_DAY: Final = re.compile(r"\d{4}(-\d\d(-\d\d(T\d\d:\d\d.*)?)?)?")


PER_PAGE: Final = 200
# How many resources a page has doesn't change which ones match.
_NO_CONDITION: Final = ("_count",)


def query(parameters: Mapping[str, object]) -> list[tuple[str, str]]:
    """The parameters as a server is sent them; a list of values is the parameter several times."""
    sent = [(name, text) for name, value in parameters.items() for text in texts_of(value)]
    return sent if "_count" in parameters else [*sent, ("_count", str(PER_PAGE))]


def condition(resource_type: str, parameters: Mapping[str, object]) -> Callable[[Resource], bool]:
    """Whether a resource matches all parameters. Raises ``MeasurementError`` for one that can't be searched by."""
    tests = [
        _test(resource_type, name, text)
        for name, value in parameters.items()
        if name not in _NO_CONDITION
        for text in texts_of(value)
    ]
    return lambda resource: all(matches(resource) for matches in tests)


def _test(resource_type: str, name: str, written: str) -> Callable[[Resource], bool]:
    """Whether a resource matches one parameter: any of the values that commas separate is enough."""
    matches = PARAMETERS.get(name)
    if matches is None:
        known = ", ".join(PARAMETERS)
        raise MeasurementError(f"a folder of FHIR resources can't be searched by {name!r}, only by {known}")
    wanted = split(written, ",")
    refuse(resource_type, name, wanted)
    return lambda resource: any(matches(resource, one) for one in wanted)


def texts_of(value: object) -> list[str]:
    """The values of a parameter as they are sent."""
    if isinstance(value, list | tuple):
        return [text for one in value for text in texts_of(one)]
    return [str(value).lower() if isinstance(value, bool) else str(value)]


def split(written: str, at: str) -> list[str]:
    r"""The parts of a parameter. A backslash before ``$ , |`` or another one makes it an ordinary character."""
    parts = [""]
    for character in re.findall(r"\\.|.", written, re.DOTALL):
        if character == at:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def refuse(resource_type: str, name: str, wanted: Sequence[str]) -> None:
    """Raises ``MeasurementError`` for a date that resources at hand can't be searched by."""
    if name != "date":
        return
    if resource_type not in DATES:
        raise MeasurementError(f"a folder of FHIR resources can't search {resource_type} by date")
    if not all(_DAY.fullmatch(one) for one in wanted):
        raise MeasurementError("a folder of FHIR resources can't be searched by a date with a prefix such as ge")


def _by_identifier(resource: Resource, wanted: str) -> bool:
    """``value``, ``system|value``, ``system|`` or ``|value``, which has no system."""
    parts = [plain(part) for part in split(wanted, "|")]
    system, value = (None, parts[0]) if len(parts) == 1 else (parts[0], "|".join(parts[1:]))
    for one in values_at(resource, ("identifier",)):
        found = (one.get("system", ""), one.get("value")) if isinstance(one, dict) else (None, None)
        if (system is None or found[0] == system) and (found[1] == value or (value == "" and bool(system))):
            return True
    return False


def place_of_reference(name: str, resource: Resource) -> tuple[str, ...]:
    """Where a resource keeps what ``patient`` or ``subject`` is about."""
    usual = ("patient",) if name == "patient" and "patient" in resource else ("subject",)
    return (_PATIENT if name == "patient" else _SUBJECT).get(type_of(resource), usual)


def _by_date(resource: Resource, wanted: str) -> bool:
    """A day matches every moment of it as it is written; two moments match where they are the same."""
    return any(
        isinstance(one, str) and (one.startswith(wanted) or _same(one, wanted))
        for one in values_at(resource, DATES[type_of(resource)])
    )


PARAMETERS: Final[Mapping[str, Callable[[Resource, str], bool]]] = {
    "_id": lambda resource, wanted: bool(resource.get("id") == plain(wanted)),
    "identifier": _by_identifier,
    "patient": lambda resource, wanted: _refers(resource, "patient", wanted, "Patient/"),
    "subject": lambda resource, wanted: _refers(resource, "subject", wanted, ""),
    "status": lambda resource, wanted: bool(resource.get("status") == plain(split(wanted, "|")[-1])),
    "date": _by_date,
}


def _refers(resource: Resource, parameter: str, wanted: str, kind: str) -> bool:
    """Whether a reference leads to ``Patient/p``, or to ``p`` of that kind, or of any kind if none is given."""
    name = plain(wanted)
    for one in values_at(resource, place_of_reference(parameter, resource)):
        found = one.get("reference") if isinstance(one, dict) else None
        if isinstance(found, str) and found in (name, f"{kind}{name}"):
            return True
        if isinstance(found, str) and not kind and "/" not in name and found.rpartition("/")[2] == name:
            return True
    return False


def values_at(value: object, path: tuple[str, ...]) -> Iterator[Any]:
    """Values at a path, in all lists on the way."""
    if isinstance(value, list):
        for one in value:
            yield from values_at(one, path)
    elif not path:
        yield value
    elif isinstance(value, dict) and path[0] in value:
        yield from values_at(value[path[0]], path[1:])


def _same(one: str, other: str) -> bool:
    try:
        first, second = datetime.fromisoformat(one), datetime.fromisoformat(other)
    except ValueError:
        return False
    zones = first.utcoffset() is not None and second.utcoffset() is not None
    return zones and first == second


def type_of(resource: Resource) -> str:
    """The type of a resource."""
    return str(resource.get("resourceType"))


def plain(part: str) -> str:
    """A part of a parameter without its escapes."""
    return re.sub(r"\\(.)", r"\1", part, flags=re.DOTALL)
