"""`unevaluatedProperties` and `unevaluatedItems`: what holds for all that no other part of a schema has looked at.

What was looked at is found in all parts that are for the same value and that it fits, wherever they are referred
to. It is kept in sets, so that the cost grows with the size of the value and not with its square.

Our own versions of some JSON Schema keywords, because the library's are unbounded or inexact.

Patterns and unique items may take forever; and 19.99 is a multiple of 0.01, but not as a binary number.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from assay.dialects.evaluation.bounded_values import check_depth
from assay.dialects.evaluation.schema_patterns import keys_like, occurs


def unevaluated_properties(validator: Any, below: Any, value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    if validator.is_type(value, "object"):
        seen = _seen_parts(validator, value, schema, "unevaluatedProperties", _keys)
        rest = {key: entry for key, entry in value.items() if key not in seen}
        yield from _all_fit(validator, below, "Unevaluated properties", rest, rest)


def unevaluated_items(validator: Any, below: Any, value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    if validator.is_type(value, "array"):
        seen = _seen_parts(validator, value, schema, "unevaluatedItems", _indexes)
        rest = {index: item for index, item in enumerate(value) if index not in seen}
        yield from _all_fit(validator, below, "Unevaluated items", rest, rest.values())


def _all_fit(
    validator: Any, below: Any, what: str, rest: Mapping[Any, Any], named: Iterable[Any]
) -> Iterator[Any]:
    if below is False and rest:
        yield unexpected_violation(what, named)
    elif below is not False:
        for path, entry in rest.items():
            yield from validator.descend(entry, below, path=path)


def _seen_parts(
    validator: Any, value: Any, schema: Mapping[str, Any], keyword: str, look: Callable[[Any, Any, Any], set[Any]]
) -> set[Any]:
    others = {name: part for name, part in schema.items() if name != keyword}
    return set().union(*(look(where, part, value) for where, part in _in_place(validator, value, others)))


def _keys(_validator: Any, part: Mapping[str, Any], value: Mapping[str, Any]) -> set[str]:
    if "additionalProperties" in part or "unevaluatedProperties" in part:
        return set(value)
    matched = [keys_like(pattern, value) for pattern in part.get("patternProperties", ())]
    return set(part.get("properties", ())).intersection(value).union(*matched)


def _indexes(validator: Any, part: Mapping[str, Any], value: list[Any]) -> set[int]:
    every, items = range(len(value)), part.get("items")
    if "unevaluatedItems" in part or isinstance(items, dict | bool) or (items and "additionalItems" in part):
        return set(every)
    seen = set(every[: len(part.get("prefixItems", items or ()))])
    if "contains" in part:
        seen.update(index for index in every if _fits(validator, value[index], part["contains"]))
    return seen


def _in_place(validator: Any, value: Any, schema: Any) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """The schema itself and all parts that are for the same value, each with the validator of its place."""
    check_depth()
    if not isinstance(schema, dict):
        return
    yield validator, schema
    for found in _referred_schemas(validator, schema):
        there = validator.evolve(schema=found.contents, _resolver=found.resolver)
        yield from _in_place(there, value, found.contents)
    for part in _applied_schemas(validator, value, schema):
        yield from _in_place(validator, value, part)


def _referred_schemas(validator: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    from referencing.jsonschema import lookup_recursive_ref  # noqa: PLC0415 - slow to import, and rarely needed

    for keyword in ("$ref", "$dynamicRef"):
        if keyword in schema:
            yield validator._resolver.lookup(schema[keyword])
    if "$recursiveRef" in schema:
        yield lookup_recursive_ref(validator._resolver)


def _applied_schemas(validator: Any, value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    for keyword in ("allOf", "anyOf", "oneOf"):
        yield from (part for part in schema.get(keyword, ()) if _fits(validator, value, part))
    yield from (part for key, part in schema.get("dependentSchemas", {}).items() if key in value)
    if "if" in schema:
        fits = _fits(validator, value, schema["if"])
        yield from (schema["if"], schema.get("then")) if fits else (schema.get("else"),)


def _fits(validator: Any, value: Any, schema: Any) -> bool:
    return next(iter(validator.descend(value, schema)), None) is None


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
        yield unexpected_violation("Additional properties", sorted(extras, key=str))


def _unique_items(validator: Any, wanted: bool, value: Any, _schema: Any) -> Iterator[Any]:
    if wanted and validator.is_type(value, "array") and len(set(map(_content, value))) < len(value):
        yield violation(f"{value!r} has non-unique elements")


def _content(value: Any) -> Any:
    """Equal for values that are equal in JSON: 1 and 1.0 are, 1 and true are not."""
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


def violation(message: str) -> Any:
    from jsonschema import ValidationError  # noqa: PLC0415 - slow to import, and few tasks have a schema

    return ValidationError(message)


def unexpected_violation(what: str, found: Iterable[Any]) -> Any:
    """The violation of a schema that allows none of these at all."""
    named = [repr(one) for one in found]
    return violation(
        f"{what} are not allowed ({', '.join(named)} {'was' if len(named) == 1 else 'were'} unexpected)"
    )
