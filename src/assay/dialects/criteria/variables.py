"""Values of a task's data in assertions: ``{{patient.mrn}}`` stands for that value in the data.

A text that is only a variable becomes the value itself, such as a number. In a path, a condition or a search, and
in the name of a field, the value is escaped for its language, so that no value can change the meaning. Values in
``expected`` are never escaped, unless they are part of a pattern (operator ``matches``).
"""

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from assay.evidence.playground import Escape, Escapes

VARIABLE: Final = re.compile(r"\{\{\s*([A-Za-z_][\w.\-]*)\s*\}\}", re.ASCII)
LITERAL: Final = "expected"
PATTERN: Final = "matches"
Choose = Callable[[str], Escape]
# In a path of any check, a value is part of a text, even where it is alone.
PATHS: Final[Escapes] = {"path": lambda _: str, "fhirpath": lambda _: str}


def fill_variables(value: Any, data: Mapping[str, Any], escapes: Escapes = MappingProxyType({})) -> Any:
    """A copy of an assertion with its variables replaced. Raises ``ValueError`` for one that the data lacks."""
    return _fill_value(value, data, {**PATHS, **escapes})


def _fill_value(value: Any, data: Mapping[str, Any], known: Escapes) -> Any:
    if isinstance(value, str):
        whole = VARIABLE.fullmatch(value)
        return _look_up(whole[1], data) if whole else _replace_variables(value, data, str)
    if isinstance(value, list):
        return [_fill_value(one, data, known) for one in value]
    if isinstance(value, dict):
        filled_in = {_name(key, data, known): _member(key, one, data, known) for key, one in value.items()}
        return filled_in if value.get("operator") != PATTERN else _with_pattern(value, filled_in, data)
    return value


def _with_pattern(rule: dict[str, Any], filled_in: dict[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """A rule with a pattern, in which a variable stands for its characters; alone, it is the pattern."""
    pattern = rule.get(LITERAL)
    if not isinstance(pattern, str) or VARIABLE.fullmatch(pattern):
        return filled_in
    return {**filled_in, LITERAL: _replace_variables(pattern, data, re.escape)}


def _name(key: str, data: Mapping[str, Any], known: Escapes) -> str:
    """Names are paths at times, as those of ``correlate_by`` are."""
    return _replace_variables(key, data, known["path"](key)) if known else key


def _member(key: str, value: Any, data: Mapping[str, Any], known: Escapes) -> Any:
    if key == LITERAL:
        return _fill_value(value, data, {})
    return _escape_value(value, data, known[key]) if key in known else _fill_value(value, data, known)


def _escape_value(value: Any, data: Mapping[str, Any], choose: Choose) -> Any:
    if isinstance(value, str):
        return _replace_variables(value, data, choose(value))
    if isinstance(value, list):
        return [_escape_value(one, data, choose) for one in value]
    if isinstance(value, dict):
        return {
            _replace_variables(key, data, choose(key)): _escape_value(one, data, choose)
            for key, one in value.items()
        }
    return value


def texts_in(value: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """All texts of an assertion, and its names, with their places."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from texts_in(one, (*place, number))
    elif isinstance(value, dict):
        for key, one in value.items():
            yield (*place, key), key
            yield from texts_in(one, (*place, key))


def _replace_variables(text: str, data: Mapping[str, Any], escape: Escape) -> str:
    def one(match: re.Match[str]) -> str:
        found = _look_up(match[1], data)
        if isinstance(found, dict | list) or found is None:
            raise ValueError(f"{match[0]} must be a single value to be part of a text")
        return escape(str(found).lower() if isinstance(found, bool) else str(found))

    return VARIABLE.sub(one, text)


def _look_up(name: str, data: Mapping[str, Any]) -> Any:
    here: Any = data
    for part in name.split("."):
        if isinstance(here, list) and part.isdecimal() and int(part) < len(here):
            here = here[int(part)]
        elif isinstance(here, Mapping) and part in here:
            here = here[part]
        else:
            raise ValueError(f"the data has no {name!r}")
    return here
