"""One way to read a model's answer: exactly one JSON object with exactly these keys, and nothing around it.

Around it there may be a code block of Markdown and, before it, a block of thoughts: models write them unasked.
"""

import json
import re
from collections.abc import Collection
from typing import Any, Final

_THOUGHTS: Final = re.compile(r"\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_CODE_BLOCK: Final = re.compile(r"\s*```(?:json|JSON)?[ \t]*\n(.*)\n[ \t]*```\s*", re.DOTALL)


class UnusableError(ValueError):
    """An answer that can't be used. The message has nothing of the answer in it."""


def object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of an object with exactly these keys."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def read_object(written: str, keys: Collection[str], longest: int) -> dict[str, Any]:
    """The object in an answer. Raises ``UnusableError``, and nothing else."""
    if len(written) > longest:
        raise UnusableError(f"it has more than {longest} characters")
    try:
        found = json.loads(_bare(written), object_pairs_hook=_object, parse_constant=_refuse)
    except UnusableError:
        raise
    except (ValueError, RecursionError) as error:
        raise UnusableError("it is not a JSON object") from error
    return checked_keys(found, keys, "it")


def checked_keys(found: Any, keys: Collection[str], what: str) -> dict[str, Any]:
    """An object with exactly these keys."""
    if not isinstance(found, dict) or found.keys() != set(keys):
        raise UnusableError(f"{what} must be an object with only {', '.join(keys)}")
    return found


def text(value: Any, what: str, longest: int, *, may_be_empty: bool = False) -> str:
    """A text that can be written again. Without ``may_be_empty`` it has to say something."""
    if not isinstance(value, str) or not (value.strip() or may_be_empty):
        raise UnusableError(f"{what} must be a text{'' if may_be_empty else ' that is not empty'}")
    if len(value) > longest:
        raise UnusableError(f"{what} has more than {longest} characters")
    return value.encode(errors="backslashreplace").decode()


def whole_number(value: Any, what: str, least: int, most: int) -> int:
    """A whole number in a range. 4.0 and true aren't."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UnusableError(f"{what} must be a whole number from {least} to {most}")
    return value


def _bare(written: str) -> str:
    thoughts = _THOUGHTS.match(written)
    rest = written[thoughts.end() :] if thoughts else written
    block = _CODE_BLOCK.fullmatch(rest)
    return block[1] if block else rest


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise UnusableError("it has the same key twice")
    return found


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
