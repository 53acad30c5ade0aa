"""A playground as the store knows it, and what can be recorded in one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from assay.evidence.playground import StateRow, Turn


@dataclass(frozen=True, slots=True)
class Playground:
    """``data`` has the values that criteria may refer to. Sources that are None are not configured."""

    id: str
    run_start: datetime
    fhir_base: str | None = None
    file_source: str | None = None
    data: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event that has no id yet."""

    type: str
    payload: bytes
    at: datetime


@dataclass(frozen=True, slots=True)
class NewResponse:
    """An X12 response that has no id yet."""

    payload: bytes
    at: datetime


Record: TypeAlias = NewEvent | NewResponse | StateRow | Turn
