"""JSONPath's ``match`` and ``search`` within a number of steps: both the pattern and the text may be anybody's."""

import functools
import re
from typing import Any

import iregexp_check
import jsonpath_rfc9535
from jsonpath_rfc9535 import function_extensions

from assay.formats.field_rules.patterns import compile_pattern, full_match, search
from assay.formats.pattern.search import Searched

# A pattern of JSONPath has a dot that stands for no line end, unless it is escaped or one of several in brackets.
_PARTS = re.compile(r"(\\.|\[[^\]\\]{0,400}+(?:\\.[^\]\\]{0,400}+){0,100}+\])|\.", re.DOTALL)


class _Match(function_extensions.Match):
    """Whether the whole text is as the pattern says."""

    def __call__(self, string: object, pattern: object) -> bool:
        found = _compiled(pattern) if isinstance(pattern, str) and isinstance(string, str) else None
        return found is not None and full_match(found, str(string))


class _Search(function_extensions.Search):
    """Whether the pattern occurs."""

    def __call__(self, string: object, pattern: object) -> bool:
        found = _compiled(pattern) if isinstance(pattern, str) and isinstance(string, str) else None
        return found is not None and search(found, str(string))


class _Environment(jsonpath_rfc9535.JSONPathEnvironment):
    """Refuses what the standard lets match nothing: a path that says itself which pattern, and it is none."""

    def validate_function_extension_signature(self, token: Any, args: list[Any]) -> list[Any]:
        known = super().validate_function_extension_signature(token, args)
        pattern = getattr(known[-1], "value", None) if token.value in ("match", "search") else None
        if isinstance(pattern, str) and _compiled(pattern) is None:
            raise ValueError(f"the pattern {pattern!r} of {token.value}() is not one of JSONPath (RFC 9485)")
        return known


@functools.cache
def environment() -> Any:
    """What compiles paths. Everything else is as the library has it."""
    made = _Environment()
    made.function_extensions |= {"match": _Match(), "search": _Search()}
    return made


@functools.lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Searched | None:
    """None for an invalid pattern, which matches nothing, as the standard says."""
    try:
        return compile_pattern(_PARTS.sub(_translated, pattern)) if iregexp_check.check(pattern) else None
    except ValueError:
        return None


def _translated(part: re.Match[str]) -> str:
    return part[1] or r"[^\r\n]"
