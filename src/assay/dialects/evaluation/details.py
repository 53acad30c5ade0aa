"""details.json as a breakdown: an object of any shape, as it was written.

A record is JSON that can be read again, so values that it can't hold are replaced, and an error says so: a number
that isn't finite becomes null, and of several values for a key the last one stays. Details that are nested deeper
than ``DEPTH_LIMIT``, or hold half a character, can't be kept. That costs the breakdown, and never the reward.
"""

import json
import math
from typing import Any

from pydantic_core import to_json

from assay.dialects.evaluation.depth import is_deeper
from assay.evidence.files import Absent, File, Refused

# Readers of JSON give up at 200 levels and fewer, and a record has some of its own around a breakdown.
DEPTH_LIMIT = 100


def read_details(file: File) -> tuple[dict[str, Any] | None, str | None]:
    """The breakdown, and the error in the file; both are None if there is no file."""
    if isinstance(file, Absent):
        return None, None
    if isinstance(file, Refused):
        return None, f"the details file {file}"
    reader = _Reader()
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


class _Reader:
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
