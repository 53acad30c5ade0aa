"""Criteria as they were written, one by one: what is wrong with one of them stops none of the others."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from assay.dialects.criteria.models import AskedCriterion, Criterion, UnusableCriterion
from assay.engine.schema_errors import Place, about, first, line_of, sentence, spelled

ASSERTION: Final = "assertion"
DISCRIMINATOR: Final = "assert"


@dataclass(frozen=True, slots=True)
class LoadedCriteria:
    """The criteria of a file or a task, and the ``data`` that their assertions can refer to."""

    criteria: tuple[AskedCriterion, ...]
    data: Mapping[str, Any]


def criterion_of(entry: object, number: int, lines: Mapping[Place, int] | None = None) -> AskedCriterion:
    """An entry of a list of criteria, the first of which has the number 0. ``lines`` are by place in the entry."""
    given = _with_assertion(entry)
    try:
        return Criterion.model_validate_json(json.dumps(given))
    except (ValidationError, ValueError, RecursionError) as error:
        why = _why(error, lines or {})
    fields = given if isinstance(given, dict) else {}
    usable = {name: _usable(name, fields) for name in ("id", "label", "weight", "axis", ASSERTION)}
    return UnusableCriterion(
        why=why,
        id=usable["id"],
        label=usable["label"] or f"criterion {number + 1}",
        assertion=usable[ASSERTION] or {},
        weight=1 if usable["weight"] is None else usable["weight"],
        axis=usable["axis"],
    )


def _with_assertion(entry: object) -> object:
    """An assertion that isn't an object is kept as one that no check understands."""
    if not isinstance(entry, dict) or isinstance(entry.get(ASSERTION), dict):
        return entry
    return {**entry, ASSERTION: {DISCRIMINATOR: entry.get(ASSERTION)}}


def _why(error: Exception, lines: Mapping[Place, int]) -> str:
    if not isinstance(error, ValidationError):
        return "must be JSON values that are not nested too deeply"
    told = first(error.errors(include_url=False))
    line = line_of(told["loc"], lines)
    said = about(spelled(told["loc"]), sentence(told, Criterion))
    return f"line {line}: {said}" if line is not None else said


def _usable(name: str, fields: Mapping[str, Any]) -> Any:
    """The value of a field if a criterion could have it, and None otherwise."""
    if name not in fields:
        return None
    least = {"label": "x", ASSERTION: {}, name: fields[name]}
    try:
        return getattr(Criterion.model_validate_json(json.dumps(least)), name)
    except (ValidationError, ValueError, RecursionError):
        return None
