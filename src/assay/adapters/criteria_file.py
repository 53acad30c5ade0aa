"""Files of criteria, YAML or JSON: a list of criteria, or ``{criteria, data}``."""

from collections.abc import Mapping
from typing import Any

from assay.adapters.marked_file import Marked, read_marked
from assay.adapters.marked_model import validated
from assay.core.errors import InputError
from assay.dialects.criteria.models import CriteriaFile
from assay.engine.criteria import DISCRIMINATOR

CRITERIA = "criteria"
ASSERTION = "assertion"


def read_criteria(path: str) -> Marked:
    """What a file has, as ``{criteria, data}``, not looked at yet. Raises ``InputError``."""
    found = read_marked(path)
    if not isinstance(found.value, list):
        return found
    return Marked({CRITERIA: found.value}, {(CRITERIA, *place): line for place, line in found.lines.items()})


def load_criteria(path: str) -> CriteriaFile:
    """The criteria of a file. Raises ``InputError`` with the file, the line and the field."""
    found = read_criteria(path)
    return validated(CriteriaFile, path, Marked(_with_assertions(found.value), found.lines))


def _with_assertions(value: Any) -> Any:
    """An assertion that isn't an object fails its own criterion and says so; the others are still graded."""
    entries = value.get(CRITERIA) if isinstance(value, dict) else None
    if not isinstance(entries, list):
        return value
    return {**value, CRITERIA: [_with_assertion(one) if isinstance(one, dict) else one for one in entries]}


def _with_assertion(entry: dict[str, Any]) -> dict[str, Any]:
    written = entry.get(ASSERTION)
    return entry if isinstance(written, dict) else {**entry, ASSERTION: {DISCRIMINATOR: written}}


def load_data(path: str) -> Mapping[str, Any]:
    """The values that criteria may refer to: an object in a file. Raises ``InputError``."""
    value = read_marked(path).value
    if not isinstance(value, dict):
        raise InputError(f"{path}: data must be an object of names and values")
    return value
