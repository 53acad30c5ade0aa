"""What a verifier says in details.json beyond the parts of its reward: how it classified failures, how sure it is.

Both are kept in the breakdown as they were written. What isn't a tag or no confidence is refused with a sentence,
so that nobody takes a mistyped source for another one. That never costs the reward.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from assay.dialects.evaluation.bounded_text import bounded, named
from assay.dialects.evaluation.models import ConfidenceMetadata, ErrorSource, ErrorTag

TAGS_KEY = "error_taxonomy"
CONFIDENCE_KEY = "confidence"
SOURCES = ", ".join(one.value for one in ErrorSource)
# Complaints about a list without end would be a list without end.
MOST_COMPLAINTS = 3
# More tags than anybody groups by would make a record that can't be read again.
MOST_TAGS = 1000


@dataclass(frozen=True, slots=True)
class VerifierWords:
    """The tags and the confidence that could be used, and a sentence for each that couldn't."""

    tags: tuple[ErrorTag, ...] = ()
    confidence: ConfidenceMetadata | None = None
    refused: tuple[str, ...] = ()


def read_words(breakdown: Mapping[str, Any] | None) -> VerifierWords:
    """What the verifier wrote under ``error_taxonomy`` and ``confidence``."""
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
        yield f"{TAGS_KEY} must be a list of tags, got {named(written)}"
        return
    for number, entry in enumerate(written[:MOST_TAGS]):
        yield _tag(entry, f"{TAGS_KEY}[{number}]")
    if len(written) > MOST_TAGS:
        yield f"{TAGS_KEY} must have at most {MOST_TAGS} tags, got {len(written)}; the others are left out"


def _tag(entry: object, place: str) -> ErrorTag | str:
    """A tag, or why it is none. Without a source, it is mechanical: the verifier is a program."""
    if not isinstance(entry, dict):
        return f"{place} must be an object with a category, got {named(entry)}"
    category, description = entry.get("category"), entry.get("description")
    if not isinstance(category, str) or not category:
        return f"{place}.category must be a text, got {named(category)}"
    written = entry.get("source", ErrorSource.MECHANICAL.value)
    source = next((one for one in ErrorSource if one.value == written), None)
    if source is None:
        return f"{place}.source must be one of {SOURCES}, got {named(written)}"
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
