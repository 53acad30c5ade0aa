"""The elements and types of a version of FHIR, from the tables that fhirpathpy brings along.

An element's place is written as the tables do: ``Patient.contact``, or the name of a type. The same element may be
called differently: ``value`` in FHIRPath is ``valueQuantity`` or the like in JSON.
"""

import functools
import json
from collections import defaultdict
from importlib.resources import files
from typing import Any, Final

from assay.core.errors import MeasurementError, install_hint

ANY_RESOURCE: Final = "Resource"
VERSIONS: Final = {
    **dict.fromkeys(("R4", "4.0", "4.0.1"), "R4"),
    **dict.fromkeys(("R4B", "4.3", "4.3.0"), "R4B"),
    **dict.fromkeys(("R5", "5.0", "5.0.0"), "R5"),
}
"""The versions by what authors and servers call them."""
_ABSTRACT: Final = (
    "DomainResource",
    "Resource",
    "MetadataResource",
    "CanonicalResource",
)
_ADDED_IN_R4B: Final = (
    "AdministrableProductDefinition",
    "Citation",
    "ClinicalUseDefinition",
    "EvidenceReport",
    "Ingredient",
    "ManufacturedItemDefinition",
    "NutritionProduct",
    "PackagedProductDefinition",
    "RegulatedAuthorization",
    "SubscriptionStatus",
    "SubscriptionTopic",
    "SubstanceDefinition",
)
_SYSTEM: Final = ("Boolean", "String", "Integer", "Decimal", "Date", "DateTime", "Time", "Quantity")


class Model:
    """The tables of one version. Only those are read: the library would read those of four versions."""

    def __init__(self, version: str) -> None:
        self.version = version
        self.tables = _tables(version)
        self.json_names = functools.cache(self._json_names)
        self.path_names = functools.cache(self._path_names)

    @functools.cached_property
    def resource_types(self) -> frozenset[str]:
        """The types that a server has resources of."""
        parents = self.tables["type2Parent"]
        return frozenset(name for name in parents if parents[name] in _ABSTRACT and name not in _ABSTRACT)

    def is_type(self, name: str) -> bool:
        """Whether there is a type of that name, with or without its namespace."""
        namespace, _, rest = name.rpartition(".")
        fhir = rest in self.types
        return {"": fhir or rest in _SYSTEM, "FHIR": fhir, "System": rest in _SYSTEM}.get(namespace, False)

    @functools.cached_property
    def types(self) -> frozenset[str]:
        """All names of types."""
        return frozenset(self.tables["type2Parent"]) | {*_ABSTRACT, "Element"}

    def choice_names(self, place: str, name: str) -> list[str]:
        """How JSON calls an element that is a choice; nothing for any other."""
        choice = f"{self._described_at(place)}.{name}"
        return [base + kind for base, kind in self._choice_types(choice)]

    def choice_behind(self, place: str, name: str) -> tuple[str, str] | None:
        """The name in FHIRPath and the type, for a name that only JSON has."""
        for choice in self._choices_of(self._described_at(place)):
            for base, kind in self._choice_types(choice):
                if base + kind == name:
                    primitive = not self.is_type(kind) or kind in _SYSTEM[:-1]
                    return base, kind[0].lower() + kind[1:] if primitive else kind
        return None

    def places_at(self, place: str, name: str) -> frozenset[str]:
        """Where an element leads: its type, or its own place if its elements are described there."""
        here = self._described_at(place)
        steps = [f"{here}.{base}{kind}" for base, kind in self._choice_types(f"{here}.{name}")] or [
            f"{here}.{name}"
        ]
        kinds, elsewhere = self.tables["path2Type"], self.tables["pathsDefinedElsewhere"]
        return frozenset(kinds.get(one, elsewhere.get(one, one)) for one in steps)

    def _json_names(self, place: str) -> frozenset[str]:
        """The elements of a place as JSON calls them: a choice has a name for each type. A text has none."""
        if place[0].islower() or place.startswith("System."):
            return frozenset()
        here = self._described_at(place)
        return frozenset(self._children[here] - {_last(choice) for choice in self._choices_of(here)})

    def _path_names(self, place: str) -> frozenset[str]:
        """The elements of a place as FHIRPath calls them: a choice has one name."""
        here = self._described_at(place)
        written = {name + kind for choice in self._choices_of(here) for name, kind in self._choice_types(choice)}
        return frozenset(self._children[here] - written)

    def _described_at(self, place: str) -> str:
        """Where the elements of a place are listed: elsewhere, or with the type that it is a kind of."""
        place = self.tables["pathsDefinedElsewhere"].get(place, place)
        while place not in self._children and place in self.tables["type2Parent"]:
            place = self.tables["type2Parent"][place]
        return place

    def _choice_types(self, choice: str) -> list[tuple[str, str]]:
        return [(_last(choice), kind) for kind in self.tables["choiceTypePaths"].get(choice, ())]

    def _choices_of(self, place: str) -> list[str]:
        known = self.tables["choiceTypePaths"]
        return [f"{place}.{name}" for name in self._children[place] if f"{place}.{name}" in known]

    @functools.cached_property
    def _children(self) -> defaultdict[str, set[str]]:
        found: defaultdict[str, set[str]] = defaultdict(set)
        for table in ("path2Type", "choiceTypePaths", "pathsDefinedElsewhere"):
            for key in self.tables[table]:
                steps = key.split(".")
                for index in range(1, len(steps)):
                    found[".".join(steps[:index])].add(steps[index])
        return found


@functools.cache
def model_of(version: str = "R4") -> Model:
    """The model of a version by any of its names. Raises ``ValueError``."""
    name = VERSIONS.get(version.upper())
    if name is None:
        raise ValueError(f"fhirVersion must be one of {', '.join(VERSIONS)}, got {version!r}")
    return Model(name) if name == version else model_of(name)


def _tables(version: str) -> dict[str, Any]:
    """R4B is R4, and the types that it brought forward from R5."""
    if version != "R4B":
        return _read(version.lower())
    old, new = _read("r4"), _read("r5")
    parents = new["type2Parent"]

    def is_added(key: str) -> bool:
        kind = key.partition(".")[0]
        return kind not in old["type2Parent"] and (kind in _ADDED_IN_R4B or parents.get(kind) not in _ABSTRACT)

    return {name: {key: new[name][key] for key in filter(is_added, new[name])} | old[name] for name in old}


@functools.cache
def _read(folder: str) -> dict[str, Any]:
    try:
        tables = (files("fhirpathpy") / "models" / folder).iterdir()
    except ModuleNotFoundError as error:
        raise MeasurementError(f"FHIR paths need the package fhirpathpy: {install_hint('criteria')}") from error
    named = ((file.name.removesuffix(".json"), file) for file in tables if file.name.endswith(".json"))
    return {name: json.loads(file.read_text("utf-8")) for name, file in named}


def _last(place: str) -> str:
    return place.rpartition(".")[2]
