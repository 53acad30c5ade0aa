"""Files of criteria, YAML or JSON: a list of criteria, or ``{criteria, data}``."""

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from assay.adapters.machine.yaml_lines import Marked, read_marked, validated
from assay.core.errors import InputError
from assay.dialects.criteria.models import CriteriaFile
from assay.engine.criteria.complete_run import Stamp
from assay.engine.criteria.criterion_entries import LoadedCriteria, criterion_of
from assay.engine.schema_errors import Place

CRITERIA = "criteria"


def read_criteria(path: str) -> Marked:
    """What a file has, as ``{criteria, data}``, not looked at yet. Raises ``InputError``."""
    found = read_marked(path)
    if not isinstance(found.value, list):
        return found
    return Marked({CRITERIA: found.value}, {(CRITERIA, *place): line for place, line in found.lines.items()})


def load_criteria(path: str) -> LoadedCriteria:
    """The criteria of a file. Raises ``InputError`` with the file, the line and the field.

    An entry that can't be used is an ``UnusableCriterion``: it will fail and say why.
    """
    found = read_criteria(path)
    entries = found.value.get(CRITERIA) if isinstance(found.value, dict) else None
    listed: list[Any] = entries if isinstance(entries, list) else []
    around = {**found.value, CRITERIA: []} if isinstance(entries, list) else found.value
    file = validated(CriteriaFile, path, Marked(around, found.lines))
    lines = _lines_by_entry(found.lines)
    asked = (criterion_of(entry, number, lines.get(number)) for number, entry in enumerate(listed))
    return LoadedCriteria(tuple(asked), file.data)


def _lines_by_entry(lines: Mapping[Place, int]) -> dict[int, dict[Place, int]]:
    """The lines of each criterion, by the place in it."""
    found: dict[int, dict[Place, int]] = {}
    for place, line in lines.items():
        if len(place) > 1 and place[0] == CRITERIA and isinstance(place[1], int):
            found.setdefault(place[1], {})[place[2:]] = line
    return found


def load_data(path: str) -> Mapping[str, Any]:
    """The values that criteria may refer to: an object in a file. Raises ``InputError``."""
    value = read_marked(path).value
    if not isinstance(value, dict):
        raise InputError(f"{path}: data must be an object of names and values")
    return value


def new_stamp(task_run_id: str | None = None) -> Stamp:
    """Now, with ids that nobody else has."""
    return Stamp(datetime.now(UTC), lambda: str(uuid.uuid4()), task_run_id)
