"""Values of a task's data in assertions: ``{{patient.mrn}}`` stands for what the data has there.

A text that is nothing but one variable becomes the value itself, a number for instance. In a path, a condition or
a search, the value is escaped for the language that it is in, so that no value can change what that means.
"""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

VARIABLE = re.compile(r"\{\{\s*([A-Za-z_][\w.\-]*)\s*\}\}", re.ASCII)
Escape = Callable[[str], str]


def filled(
    value: Any,
    data: Mapping[str, Any],
    escape_path: Escape = str,
    escapes: Mapping[str, Escape] = MappingProxyType({}),
) -> Any:
    """A copy of an assertion with its variables replaced. Raises ``ValueError`` for one that the data lacks.

    ``escapes`` says by the name of a field how all in it is escaped. Other paths are as ``escape_path`` has it.
    """
    if isinstance(value, str):
        whole = VARIABLE.fullmatch(value)
        return _look_up(whole[1], data) if whole else _replaced(value, data, str)
    if isinstance(value, list):
        return [filled(one, data, escape_path, escapes) for one in value]
    if isinstance(value, dict):
        known = {"path": escape_path, "fhirpath": escape_path, **escapes}
        return {
            key: _escaped(one, data, known[key]) if key in known else filled(one, data, escape_path, escapes)
            for key, one in value.items()
        }
    return value


def _escaped(value: Any, data: Mapping[str, Any], escape: Escape) -> Any:
    if isinstance(value, str):
        return _replaced(value, data, escape)
    if isinstance(value, list):
        return [_escaped(one, data, escape) for one in value]
    if isinstance(value, dict):
        return {key: _escaped(one, data, escape) for key, one in value.items()}
    return value


def names_in(value: Any) -> set[str]:
    """The variables that an assertion refers to."""
    if isinstance(value, str):
        return set(VARIABLE.findall(value))
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return set().union(*map(names_in, parts)) if parts else set()


def _replaced(text: str, data: Mapping[str, Any], escape: Escape) -> str:
    def one(match: re.Match[str]) -> str:
        found = _look_up(match[1], data)
        if isinstance(found, dict | list) or found is None:
            raise ValueError(f"{match[0]} is no single value")
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
            raise ValueError(f"the task's data has no {name!r}")
    return here
