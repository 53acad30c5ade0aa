"""Our own versions of some JSON Schema keywords, because the library's are unbounded or inexact.

Patterns and unique items may take forever; and 19.99 is a multiple of 0.01, but not as a binary number.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from assay.dialects.evaluation.schema_errors import unexpected, violation
from assay.dialects.evaluation.schema_patterns import keys_like, occurs
from assay.dialects.evaluation.schema_unevaluated import unevaluated_items, unevaluated_properties


def keywords() -> dict[str, Callable[..., Any]]:
    """Our keywords by name. Their messages are those of the library."""
    return {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        "uniqueItems": _unique_items,
        "unevaluatedProperties": unevaluated_properties,
        "unevaluatedItems": unevaluated_items,
        "multipleOf": _multiple_of,
    }


def _pattern(validator: Any, pattern: str, value: Any, _schema: Any) -> Iterator[Any]:
    if validator.is_type(value, "string") and not occurs(pattern, value):
        yield violation(f"{value!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Mapping[str, Any], value: Any, _schema: Any) -> Iterator[Any]:
    if not validator.is_type(value, "object"):
        return
    for pattern, below in patterns.items():
        for key in keys_like(pattern, value):
            yield from validator.descend(value[key], below, path=key, schema_path=pattern)


def _additional_properties(validator: Any, allowed: Any, value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    if not validator.is_type(value, "object"):
        return
    patterns = schema.get("patternProperties", ())
    expected = set(schema.get("properties", ())).union(*(keys_like(one, value) for one in patterns))
    extras = [key for key in value if key not in expected]
    if validator.is_type(allowed, "object"):
        for extra in extras:
            yield from validator.descend(value[extra], allowed, path=extra)
    elif not allowed and extras:
        yield unexpected("Additional properties", sorted(extras, key=str))


def _unique_items(validator: Any, wanted: bool, value: Any, _schema: Any) -> Iterator[Any]:
    if wanted and validator.is_type(value, "array") and len(set(map(_content, value))) < len(value):
        yield violation(f"{value!r} has non-unique elements")


def _content(value: Any) -> Any:
    """What is equal for values that are equal in JSON: 1 and 1.0 are, 1 and true are not."""
    if isinstance(value, dict):
        return "object", frozenset((key, _content(entry)) for key, entry in value.items())
    if isinstance(value, list):
        return "array", tuple(map(_content, value))
    return isinstance(value, bool), value


def _multiple_of(validator: Any, step: float, value: Any, _schema: Any) -> Iterator[Any]:
    if validator.is_type(value, "number") and not _is_multiple(value, step):
        yield violation(f"{value!r} is not a multiple of {step!r}")


def _is_multiple(value: float, step: float) -> bool:
    """As both are written. Infinity, as which 1e999 is read, is not a multiple of anything, nor is NaN."""
    return -math.inf < value < math.inf and (_exact(value) / _exact(step)).denominator == 1


def _exact(number: Any) -> Fraction:
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)
