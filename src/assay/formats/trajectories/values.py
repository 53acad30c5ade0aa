"""Plain values out of JSON that anybody may have written: bounded texts, counts, lists of objects."""

import json
import math
from collections.abc import Iterator
from typing import Any

from assay.evidence.coding_run import StatedUsage

MAX_TEXT = 2**20
_CUT = "\n[cut: {} characters are left out]\n"


def text_of(value: object) -> str:
    """The text of a message: a string, or the texts among its parts. A part without text is named by its type."""
    if isinstance(value, str):
        return _bound_text(value)
    if isinstance(value, list):
        return _bound_text("\n".join(filter(None, (_part(part) for part in value))))
    return ""


def json_of(value: object) -> str:
    """Any value as text: a string as it is, anything else as JSON."""
    if isinstance(value, str):
        return _bound_text(value)
    try:
        return "" if value is None else _bound_text(json.dumps(value, ensure_ascii=False))
    except RecursionError:
        return "[nested too deeply]"


def name_of(value: object) -> str | None:
    """A short text, such as a name or an id."""
    return _clean(value[:500]) if isinstance(value, str) and value else None


def objects_in(value: object) -> Iterator[dict[str, Any]]:
    """The objects in a list. Anything else in it is skipped."""
    yield from (item for item in value if isinstance(item, dict)) if isinstance(value, list) else ()


def object_in(value: dict[str, Any], name: str) -> dict[str, Any]:
    """The object in a field; an empty one where it has none."""
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def usage_of(value: object, *, prefix: str = "") -> StatedUsage:
    """Tokens and cost, under the names that ATIF, OpenAI and Anthropic use."""
    if not isinstance(value, dict):
        return StatedUsage()
    found = {key.removeprefix(prefix): number for key, number in value.items() if isinstance(key, str)}
    asked = _count(found, "prompt_tokens", "input_tokens")
    # Anthropic counts what it reads from its cache, or writes there, apart from the input.
    apart = [_count(found, name) or 0 for name in ("cache_read_input_tokens", "cache_creation_input_tokens")]
    return StatedUsage(
        asked if asked is None else asked + sum(apart),
        _count(found, "completion_tokens", "output_tokens"),
        _count(found, "cached_tokens", "cached_input_tokens", "cache_read_tokens", "cache_read_input_tokens"),
        _cost(found.get("cost_usd")),
    )


def decoded(data: bytes) -> str:
    """Bytes as text, whatever they are."""
    return data.decode("utf-8", errors="replace").removeprefix("\ufeff")


def parse_json(text: str) -> Any:
    """A JSON value; None for anything that isn't one."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    text = part.get("text")
    if isinstance(text, str):
        return text
    kind = part.get("type")
    return f"[{_clean(kind[:50])}]" if isinstance(kind, str) else ""


def _bound_text(text: str) -> str:
    """Text that can be written as UTF-8, with its middle cut out if it is too long."""
    if len(text) > MAX_TEXT:
        half = MAX_TEXT // 2
        text = text[:half] + _CUT.format(len(text) - 2 * half) + text[-half:]
    return _clean(text)


def _clean(text: str) -> str:
    """JSON can spell half a character, which nothing can write."""
    return text.encode("utf-8", "backslashreplace").decode() if not text.isascii() else text


def _count(found: dict[str, Any], *names: str) -> int | None:
    value = next((found[name] for name in names if found.get(name) is not None), None)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None


def _cost(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < 2**53 and math.isfinite(value) else None
