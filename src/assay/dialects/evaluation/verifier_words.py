"""The verifier's notes in details.json beyond the parts of its reward: classes of failures, its confidence.

Both are kept in the breakdown as they were written. What isn't a tag or no confidence is refused with a sentence,
so that nobody takes a mistyped source for another one. That never costs the reward.

details.json as a breakdown: an object of any shape, as it was written.

A record is JSON that can be read again, so values that it can't hold are replaced, and an error says so: a number
that isn't finite becomes null, and of several values for a key the last one stays. Details that are nested deeper
than ``DEPTH_LIMIT``, or hold half a character, can't be kept. That costs the breakdown, and never the reward.
"""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_core import to_json

from assay.dialects.evaluation.bounded_values import bounded, describe_value, is_deeper
from assay.dialects.evaluation.models import ConfidenceMetadata, ErrorSource, ErrorTag
from assay.evidence.files import Absent, File, Refused

TAGS_KEY = "error_taxonomy"
CONFIDENCE_KEY = "confidence"
SOURCES = ", ".join(one.value for one in ErrorSource)
# Complaints about a list without end would be a list without end.
MOST_COMPLAINTS = 3
# More tags than anybody groups by would make a record that can't be read again.
MOST_TAGS = 1000
# Readers of JSON give up at 200 levels and fewer, and a record has some of its own around a breakdown.
DEPTH_LIMIT = 100


@dataclass(frozen=True, slots=True)
class VerifierWords:
    """The tags and the confidence that could be used, and a sentence for each that couldn't."""

    tags: tuple[ErrorTag, ...] = ()
    confidence: ConfidenceMetadata | None = None
    refused: tuple[str, ...] = ()


def read_words(breakdown: Mapping[str, Any] | None) -> VerifierWords:
    """Read the verifier's ``error_taxonomy`` and ``confidence``."""
    details = breakdown or {}
    found = list(_entries(details.get(TAGS_KEY)))
    refused = [one for one in found if isinstance(one, str)]
    confidence = _confidence(details.get(CONFIDENCE_KEY))
    if isinstance(confidence, str):
        refused.append(confidence)
    rest = len(refused) - MOST_COMPLAINTS
    return VerifierWords(
        tags=tuple(one for one in found if isinstance(one, ErrorTag)),
        confidence=confidence if isinstance(confidence, ConfidenceMetadata) else None,
        refused=(*refused[:MOST_COMPLAINTS], *([f"and {rest} more like these"] if rest > 0 else [])),
    )


def _entries(written: object) -> Iterator[ErrorTag | str]:
    if written is None:
        return
    if not isinstance(written, list):
        yield f"{TAGS_KEY} must be a list of tags, got {describe_value(written)}"
        return
    for number, entry in enumerate(written[:MOST_TAGS]):
        yield _tag(entry, f"{TAGS_KEY}[{number}]")
    if len(written) > MOST_TAGS:
        yield f"{TAGS_KEY} must have at most {MOST_TAGS} tags, got {len(written)}; the others are left out"


def _tag(entry: object, place: str) -> ErrorTag | str:
    """A tag, or why it is none. Without a source, it is mechanical: the verifier is a program."""
    if not isinstance(entry, dict):
        return f"{place} must be an object with a category, got {describe_value(entry)}"
    category, description = entry.get("category"), entry.get("description")
    if not isinstance(category, str) or not category:
        return f"{place}.category must be a text, got {describe_value(category)}"
    written = entry.get("source", ErrorSource.MECHANICAL.value)
    source = next((one for one in ErrorSource if one.value == written), None)
    if source is None:
        return f"{place}.source must be one of {SOURCES}, got {describe_value(written)}"
    return ErrorTag(
        category=bounded(category),
        description=bounded(description) if isinstance(description, str) else None,
        source=source,
    )


def _confidence(written: object) -> ConfidenceMetadata | str | None:
    """The confidence, or why it is none. A part of the reward may be called like that, too."""
    if not isinstance(written, dict) or not written or "score" in written:
        return None
    try:
        found = ConfidenceMetadata.model_validate_json(json.dumps(written))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, (CONFIDENCE_KEY, *first["loc"])))
        return bounded(f"{place} can't be used: {first['msg']}")
    method = found.confidence_method
    return found.model_copy(update={"confidence_method": None if method is None else bounded(method)})


def read_details(file: File) -> tuple[dict[str, Any] | None, str | None]:
    """The breakdown, and the error in the file; both are None if there is no file."""
    if isinstance(file, Absent):
        return None, None
    if isinstance(file, Refused):
        return None, f"the details file {file}"
    reader = _LenientReader()
    try:
        found = reader.read(file.data.decode())
    except (ValueError, RecursionError) as error:
        return None, f"can't parse {file.path}: {error}"
    why = _why_not_kept(found)
    if why is not None:
        return None, f"{file.path} {why}"
    return found, f"{file.path} {' and '.join(reader.replaced)}" if reader.replaced else None


def _why_not_kept(found: Any) -> str | None:
    if not isinstance(found, dict):
        return "must be an object"
    if is_deeper(found, DEPTH_LIMIT):
        return f"is nested deeper than {DEPTH_LIMIT} levels"
    try:
        to_json(found)
    except ValueError:
        return "has half a character, which can't be written again"
    return None


class _LenientReader:
    """Reads one JSON text and notes what it replaced."""

    def __init__(self) -> None:
        self.replaced: list[str] = []

    def read(self, text: str) -> Any:
        return json.loads(
            text, parse_constant=self._number, parse_float=self._number, object_pairs_hook=self._object
        )

    def _number(self, text: str) -> float | None:
        number = float(text)
        if math.isfinite(number):
            return number
        self._note("has null for a number that is not finite")
        return None

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            self._note("has the last of several values for a key")
        return found

    def _note(self, what: str) -> None:
        if what not in self.replaced:
            self.replaced.append(what)
