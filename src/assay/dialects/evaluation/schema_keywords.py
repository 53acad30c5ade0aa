"""The keywords of JSON Schema whose usual cost has no bound, made anew: patterns, and items that must differ."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from assay.formats.field_rules.patterns import compile_pattern, search


def keywords() -> dict[str, Callable[..., Any]]:
    """By name. What they say is what the library says."""
    return {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        "uniqueItems": _unique_items,
    }


def _pattern(validator: Any, pattern: str, value: Any, _schema: Any) -> Iterator[Any]:
    if validator.is_type(value, "string") and not search(compile_pattern(pattern), value):
        yield _error(f"{value!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Mapping[str, Any], value: Any, _schema: Any) -> Iterator[Any]:
    if not validator.is_type(value, "object"):
        return
    for pattern, below in patterns.items():
        for key, entry in value.items():
            if search(compile_pattern(pattern), key):
                yield from validator.descend(entry, below, path=key, schema_path=pattern)


def _additional_properties(validator: Any, allowed: Any, value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    if not validator.is_type(value, "object"):
        return
    extras = [key for key in value if _is_extra(key, schema)]
    if validator.is_type(allowed, "object"):
        for extra in extras:
            yield from validator.descend(value[extra], allowed, path=extra)
    elif not allowed and extras:
        named = ", ".join(repr(key) for key in sorted(extras, key=str))
        verb = "was" if len(extras) == 1 else "were"
        yield _error(f"Additional properties are not allowed ({named} {verb} unexpected)")


def _is_extra(key: str, schema: Mapping[str, Any]) -> bool:
    if key in schema.get("properties", {}):
        return False
    return not any(search(compile_pattern(one), key) for one in schema.get("patternProperties", {}))


def _unique_items(validator: Any, wanted: bool, value: Any, _schema: Any) -> Iterator[Any]:
    if wanted and validator.is_type(value, "array") and len(set(map(_content, value))) < len(value):
        yield _error(f"{value!r} has non-unique elements")


def _content(value: Any) -> Any:
    """What is equal for values that are equal in JSON: 1 and 1.0 are, 1 and true are not."""
    if isinstance(value, dict):
        return "object", frozenset((key, _content(entry)) for key, entry in value.items())
    if isinstance(value, list):
        return "array", tuple(map(_content, value))
    return isinstance(value, bool), value


def _error(message: str) -> Any:
    from jsonschema import ValidationError  # noqa: PLC0415 - slow to import, and few tasks have a schema

    return ValidationError(message)
