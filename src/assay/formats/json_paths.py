"""Paths into plain data: dotted with indexes (``participant.0.actor``), or JSONPath as RFC 9535 has it
(``$.a[?@.b]``).
"""

import functools
import re
from collections.abc import Callable
from typing import Any, Final

import iregexp_check
import jsonpath_rfc9535
from jsonpath_rfc9535 import function_extensions

from assay.core.errors import BoundsError
from assay.formats.fhirpath.parse import in_fhirpath
from assay.formats.field_rules.values import Plain, compile_pattern, full_match, search
from assay.formats.pattern.search import Searched

_MEANS_NOTHING: Final = re.compile(r"[\[\]]|^(?:\*+|-\d+|\s.*|.*\s)$", re.DOTALL)
# A pattern of JSONPath has a dot that stands for no line end, unless it is escaped or one of several in brackets.
_PARTS = re.compile(r"(\\.|\[[^\]\\]{0,400}+(?:\\.[^\]\\]{0,400}+){0,100}+\])|\.", re.DOTALL)


class DeepDataError(BoundsError):
    """The data is nested so deeply that a path that descends does not reach its end."""


def find(path: str, data: Any) -> list[Plain]:
    """Values at a path. Raises ``ValueError`` for an invalid path, and ``DeepDataError``."""
    return _find_by_jsonpath(path, data) if path.startswith("$") else _find_by_dots(path, data)


def _find_by_jsonpath(path: str, data: Any) -> list[Plain]:
    try:
        values: list[Plain] = _compile_path(path).find(data).values()
    except (jsonpath_rfc9535.JSONPathRecursionError, RecursionError) as error:
        raise DeepDataError("the data is nested too deeply to be checked") from error
    return values


def check_path(path: str) -> None:
    """Refuse an invalid path. Raises ``ValueError``."""
    if path.startswith("$"):
        _compile_path(path)
    elif not path or any(not part for part in path.split(".")):
        raise ValueError(f"the path {path!r} has an empty part")
    elif strange := next(filter(_MEANS_NOTHING.search, path.split(".")), None):
        raise ValueError(
            f"a dotted path has names and numbers from 0, as in lines.0.id, and {path!r} has {strange!r}; "
            "JSONPath, which begins with $, has more: $.lines[*].id, $.lines[-1].id, $['a name of any kind']"
        )


def escape_for(path: str) -> Callable[[str], str]:
    """How values are written in a path that begins like this one."""
    # Both languages have the same escapes between quotes, and none outside of them.
    return in_fhirpath if path.startswith("$") else _step


def _step(value: str) -> str:
    """A value as one step of a dotted path. Raises ``ValueError``: there, nothing can be escaped."""
    if not value or "." in value or value.startswith("$"):
        raise ValueError(f"{value!r} is not a single step of a dotted path; in JSONPath, any value can be quoted")
    return value


def _find_by_dots(path: str, data: Plain) -> list[Plain]:
    """One value at most. A number is an index into a list, or the name of a member."""
    here: Plain = data
    for part in path.split("."):
        if isinstance(here, dict):
            if part not in here:
                return []
            here = here[part]
        # Python refuses to read thousands of digits.
        elif (
            isinstance(here, list)
            and part.isdecimal()
            and part.isascii()
            and len(part) < 10
            and int(part) < len(here)
        ):
            here = here[int(part)]
        else:
            return []
    return [here]


@functools.lru_cache(maxsize=1024)
def _compile_path(path: str) -> Any:
    try:
        return environment().compile(path)
    except jsonpath_rfc9535.JSONPathError as error:
        raise ValueError(f"the path {path!r} is not JSONPath: {error}") from error
    except RecursionError as error:
        raise ValueError("the JSONPath is nested too deeply") from error


class _PathMatch(function_extensions.Match):
    """Whether the whole text is as the pattern says."""

    def __call__(self, string: object, pattern: object) -> bool:
        return _matches(full_match, string, pattern)


class _PatternSearch(function_extensions.Search):
    """Whether the pattern occurs."""

    def __call__(self, string: object, pattern: object) -> bool:
        return _matches(search, string, pattern)


def _matches(how: Callable[[Searched, str], bool], string: object, pattern: object) -> bool:
    found = _pattern(pattern) if isinstance(pattern, str) and isinstance(string, str) else None
    return found is not None and how(found, str(string))


class _Environment(jsonpath_rfc9535.JSONPathEnvironment):
    """Refuses what the standard lets match nothing: a path that says itself which pattern, and it is none."""

    def validate_function_extension_signature(self, token: Any, args: list[Any]) -> list[Any]:
        known = super().validate_function_extension_signature(token, args)
        pattern = getattr(known[-1], "value", None) if token.value in ("match", "search") else None
        if isinstance(pattern, str) and _pattern(pattern) is None:
            raise ValueError(f"the pattern {pattern!r} of {token.value}() is not one of JSONPath (RFC 9485)")
        return known


@functools.cache
def environment() -> Any:
    """The compiler of paths. Everything else is as the library has it."""
    made = _Environment()
    made.function_extensions |= {"match": _PathMatch(), "search": _PatternSearch()}
    return made


@functools.lru_cache(maxsize=1024)
def _pattern(pattern: str) -> Searched | None:
    """None for an invalid pattern, which matches nothing, as the standard says."""
    try:
        written = _PARTS.sub(lambda part: part[1] or r"[^\r\n]", pattern)
        return compile_pattern(written) if iregexp_check.check(pattern) else None
    except ValueError:
        return None
