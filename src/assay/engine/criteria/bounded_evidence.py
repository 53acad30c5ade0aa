"""Evidence as it is stored and shown: plain values of a bounded size, with what was cut.

Evidence has values that an agent wrote. They may be huge, nested to any depth, or hold halves of characters, and
must not keep anybody from writing the rest.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from pydantic import ValidationError

from assay.dialects.criteria.models import AskedCriterion, Criterion, UnusableCriterion
from assay.engine.schema_errors import Place, about, first, line_of, sentence, spell_place
from assay.evidence.bounds import MOST_DIGITS, printable

DEEPEST: Final = 32
LONGEST_TEXT: Final = 10_000
MOST_ITEMS: Final = 1_000
MOST_VALUES: Final = 50_000
LONGEST_DETAILS: Final = 2_000
CUT: Final = "cut"
MOST_CUTS: Final = 20
_LARGE: Final = 2**63
# Asking for the types that most values have comes first, because it costs least.
_MAPPINGS: Final = (dict, Mapping)
_PARTS: Final = (dict, list, tuple, Mapping)


def shown_details(details: str) -> str:
    """A summary in a line that is not too long."""
    text = details if details.isascii() else printable(details)
    return text if len(text) <= LONGEST_DETAILS else f"{text[:LONGEST_DETAILS]}…"


def shown_evidence(evidence: Mapping[str, object]) -> dict[str, Any]:
    """The evidence; under ``cut``, the places at which something was left out, if so."""
    showing = _Showing()
    shown: dict[str, Any] = showing.value(dict(evidence), "", 0)
    return {**shown, CUT: showing.cuts[:MOST_CUTS]} if showing.cuts else shown


def _is_plain(value: object) -> bool:
    """Whether a value is shown as it is, which most are."""
    if isinstance(value, str):
        return value.isascii() and len(value) <= LONGEST_TEXT
    return value is None or (isinstance(value, int) and -_LARGE < value < _LARGE)


class _Showing:
    """One walk through evidence. Once there are enough values, the rest is left out."""

    def __init__(self) -> None:
        self.cuts: list[str] = []
        self._left = MOST_VALUES

    def value(self, value: object, place: str, depth: int) -> Any:
        self._left -= 1
        if isinstance(value, str):
            return self._text(value, place)
        if isinstance(value, _PARTS):
            return self._parts(value, place, depth)
        if isinstance(value, float):
            return value if math.isfinite(value) else None
        if isinstance(value, int) and value.bit_length() > MOST_DIGITS * 10 // 3:
            return self._cut(place, f"a number of more than {MOST_DIGITS} digits")
        return value if value is None or isinstance(value, bool | int) else self._text(str(value), place)

    def _parts(self, value: Mapping[Any, object] | Sequence[object], place: str, depth: int) -> Any:
        if depth > DEEPEST:
            return self._cut(place, f"values nested more than {DEEPEST} deep")
        shown = min(len(value), MOST_ITEMS, max(self._left, 0))
        if shown < len(value):
            self._cut(place, f"{len(value) - shown} of {len(value)} values")
        if isinstance(value, _MAPPINGS):
            return self._show_mapping(value, shown, place, depth)
        return [
            self._count_value(one) if _is_plain(one) else self.value(one, f"{place}[{at}]", depth + 1)
            for at, one in enumerate(value[:shown])
        ]

    def _count_value(self, value: object) -> object:
        self._left -= 1
        return value

    def _show_mapping(self, value: Mapping[Any, object], shown: int, place: str, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, one in islice(value.items(), shown):
            # The same as ``_is_plain``, of which a call costs more than most values do.
            if type(name) is str and name.isascii() and len(name) <= LONGEST_TEXT:
                shown_name = name
            else:
                shown_name = self._text(str(name), place)
            if type(one) is str:
                plain = one.isascii() and len(one) <= LONGEST_TEXT
            else:
                plain = one is None or one is True or one is False or (type(one) is int and -_LARGE < one < _LARGE)
            if plain:
                self._left -= 1
                found[shown_name] = one
            else:
                found[shown_name] = self.value(one, f"{place}.{name}" if place else str(name), depth + 1)
        return found

    def _text(self, text: str, place: str) -> str:
        if len(text) > LONGEST_TEXT:
            self._cut(place, f"{len(text) - LONGEST_TEXT} of {len(text)} characters")
            text = f"{text[:LONGEST_TEXT]}…"
        return printable(text)

    def _cut(self, place: str, what: str) -> str:
        """The stand-in for a value that is left out."""
        self.cuts.append(printable(f"{place[:200] or 'evidence'}: {what} left out"))
        return "…"


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
    said = about(spell_place(told["loc"]), sentence(told, Criterion))
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
