"""Questions about a run, and how they are put together."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from assay.engine.explorer.run_ranges import Range


@dataclass(frozen=True, slots=True)
class OneOf:
    """Runs whose field has one of these values. "" is no value."""

    field: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Is:
    """Runs whose flag is set or not."""

    field: str
    value: bool


@dataclass(frozen=True, slots=True)
class Within:
    """Runs whose number or time lies in a range."""

    field: str
    range: Range[Any]


@dataclass(frozen=True, slots=True)
class AxisWithin:
    """Runs with a score on this axis that lies in a range."""

    axis: str
    range: Range[float]


@dataclass(frozen=True, slots=True)
class HasMetadata:
    """Runs whose metadata has this value."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class NameBegins:
    """Runs whose name begins like this."""

    text: str


@dataclass(frozen=True, slots=True)
class Mentions:
    """Runs whose trajectory has all of these words."""

    text: str


@dataclass(frozen=True, slots=True)
class Not:
    """All other runs; those that have no value of the field are among them."""

    filter: "Filter"


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Runs that fit one of these."""

    filters: "tuple[Filter, ...]"


@dataclass(frozen=True, slots=True)
class AllOf:
    """Runs that fit all of these. ``text`` is how a person wrote it."""

    filters: "tuple[Filter, ...]"
    text: str = ""


Filter: TypeAlias = OneOf | Is | Within | AxisWithin | HasMetadata | NameBegins | Mentions | Not | AnyOf | AllOf
