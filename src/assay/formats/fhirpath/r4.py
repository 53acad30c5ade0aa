"""Which elements and types FHIR R4 has, from the tables that fhirpathpy brings along.

An element's place is written as the tables do: ``Patient.contact``, or the name of a type. The same element may be
called differently: ``value`` in FHIRPath is ``valueQuantity`` or the like in JSON.
"""

import functools
import json
from collections import defaultdict
from importlib.resources import files
from typing import Any, Final

from assay.core.errors import MeasurementError

ANY_RESOURCE: Final = "Resource"
_ABSTRACT: Final = ("DomainResource", "Resource", "MetadataResource")
_SYSTEM: Final = ("Boolean", "String", "Integer", "Decimal", "Date", "DateTime", "Time", "Quantity")


@functools.cache
def model() -> dict[str, Any]:
    """The tables. Only those of R4 are read: the library would read those of four versions."""
    try:
        tables = (files("fhirpathpy") / "models" / "r4").iterdir()
    except ModuleNotFoundError as error:
        raise MeasurementError("FHIR paths need the package fhirpathpy: install assay[criteria]") from error
    named = ((file.name.removesuffix(".json"), file) for file in tables if file.name.endswith(".json"))
    return {name: json.loads(file.read_text("utf-8")) for name, file in named}


def resource_types() -> frozenset[str]:
    """The types that a server has resources of."""
    parents = model()["type2Parent"]
    return frozenset(name for name in parents if parents[name] in _ABSTRACT and name not in _ABSTRACT)


def is_type(name: str) -> bool:
    """Whether there is a type of that name, with or without its namespace."""
    namespace, _, rest = name.rpartition(".")
    fhir = rest in model()["type2Parent"] or rest in _ABSTRACT or rest == "Element"
    return {"": fhir or rest in _SYSTEM, "FHIR": fhir, "System": rest in _SYSTEM}.get(namespace, False)


def types() -> frozenset[str]:
    """All names of types."""
    return frozenset(model()["type2Parent"]) | {*_ABSTRACT, "Element"}


@functools.cache
def json_names(place: str) -> frozenset[str]:
    """The elements of a place as JSON calls them: a choice has a name for each type. A text has no elements."""
    if place[0].islower() or place.startswith("System."):
        return frozenset()
    here = _described_at(place)
    return frozenset(_children()[here] - {_last(choice) for choice in _choices_of(here)})


@functools.cache
def path_names(place: str) -> frozenset[str]:
    """The elements of a place as FHIRPath calls them: a choice has one name."""
    here = _described_at(place)
    written = {name + kind for choice in _choices_of(here) for name, kind in _written(choice)}
    return frozenset(_children()[here] - written)


def choice_names(place: str, name: str) -> list[str]:
    """How JSON calls an element that is a choice; nothing for any other."""
    choice = f"{_described_at(place)}.{name}"
    return [base + kind for base, kind in _written(choice)]


def choice_behind(place: str, name: str) -> tuple[str, str] | None:
    """The name in FHIRPath and the type, for a name that only JSON has."""
    for choice in _choices_of(_described_at(place)):
        for base, kind in _written(choice):
            if base + kind == name:
                return base, kind[0].lower() + kind[1:] if not is_type(kind) or kind in _SYSTEM[:-1] else kind
    return None


def places_at(place: str, name: str) -> frozenset[str]:
    """Where an element leads: its type, or its own place if its elements are described there."""
    step = f"{_described_at(place)}.{name}"
    choices = _written(step)
    steps = [f"{_described_at(place)}.{base}{kind}" for base, kind in choices] or [step]
    return frozenset(
        model()["path2Type"].get(one, model()["pathsDefinedElsewhere"].get(one, one)) for one in steps
    )


def _described_at(place: str) -> str:
    """Where the elements of a place are listed: elsewhere, or with the type that it is a kind of."""
    place = model()["pathsDefinedElsewhere"].get(place, place)
    while place not in _children() and place in model()["type2Parent"]:
        place = model()["type2Parent"][place]
    return place


def _written(choice: str) -> list[tuple[str, str]]:
    return [(_last(choice), kind) for kind in model()["choiceTypePaths"].get(choice, ())]


def _choices_of(place: str) -> list[str]:
    return [f"{place}.{name}" for name in _children()[place] if f"{place}.{name}" in model()["choiceTypePaths"]]


def _last(place: str) -> str:
    return place.rpartition(".")[2]


@functools.cache
def _children() -> defaultdict[str, set[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for table in ("path2Type", "choiceTypePaths", "pathsDefinedElsewhere"):
        for key in model()[table]:
            steps = key.split(".")
            for index in range(1, len(steps)):
                found[".".join(steps[:index])].add(steps[index])
    return found
