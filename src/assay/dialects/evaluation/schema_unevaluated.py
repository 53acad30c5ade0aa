"""`unevaluatedProperties` and `unevaluatedItems`: what holds for all that no other part of a schema has looked at.

What was looked at is found in all parts that are for the same value and that it fits, wherever they are referred
to. It is kept in sets, so that the cost grows with the size of the value and not with its square.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from assay.dialects.evaluation.schema_errors import unexpected
from assay.dialects.evaluation.schema_limits import check_depth
from assay.dialects.evaluation.schema_patterns import keys_like


def unevaluated_properties(validator: Any, below: Any, value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    if validator.is_type(value, "object"):
        seen = _seen(validator, value, schema, "unevaluatedProperties", _keys)
        rest = {key: entry for key, entry in value.items() if key not in seen}
        yield from _all_fit(validator, below, "Unevaluated properties", rest, rest)


def unevaluated_items(validator: Any, below: Any, value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    if validator.is_type(value, "array"):
        seen = _seen(validator, value, schema, "unevaluatedItems", _indexes)
        rest = {index: item for index, item in enumerate(value) if index not in seen}
        yield from _all_fit(validator, below, "Unevaluated items", rest, rest.values())


def _all_fit(
    validator: Any, below: Any, what: str, rest: Mapping[Any, Any], named: Iterable[Any]
) -> Iterator[Any]:
    if below is False and rest:
        yield unexpected(what, named)
    elif below is not False:
        for path, entry in rest.items():
            yield from validator.descend(entry, below, path=path)


def _seen(
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
    for found in _referred(validator, schema):
        there = validator.evolve(schema=found.contents, _resolver=found.resolver)
        yield from _in_place(there, value, found.contents)
    for part in _applied(validator, value, schema):
        yield from _in_place(validator, value, part)


def _referred(validator: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    from referencing.jsonschema import lookup_recursive_ref  # noqa: PLC0415 - slow to import, and rarely needed

    for keyword in ("$ref", "$dynamicRef"):
        if keyword in schema:
            yield validator._resolver.lookup(schema[keyword])
    if "$recursiveRef" in schema:
        yield lookup_recursive_ref(validator._resolver)


def _applied(validator: Any, value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    for keyword in ("allOf", "anyOf", "oneOf"):
        yield from (part for part in schema.get(keyword, ()) if _fits(validator, value, part))
    yield from (part for key, part in schema.get("dependentSchemas", {}).items() if key in value)
    if "if" in schema:
        fits = _fits(validator, value, schema["if"])
        yield from (schema["if"], schema.get("then")) if fits else (schema.get("else"),)


def _fits(validator: Any, value: Any, schema: Any) -> bool:
    return next(iter(validator.descend(value, schema)), None) is None
