"""Check a value against a JSON Schema, of the draft that it names, in a number of steps and without the network.

The schema is an author's, the value an agent's: a careless pattern and a hostile text, or a million items that
must differ, would hold a grading up for hours. So steps are counted, in patterns and in the whole, and items are
told apart by their content at once. A reference leads to the schema itself or to one of JSON Schema's own; nothing
is ever loaded for it.

Three things can go wrong, and only the first is the agent's fault:

- The value violates the schema, or holds what can't be checked: it is too deep, too slow, or more than JSON.
- The schema can't be used. It is refused when its task is loaded; whatever is noticed only when a value is checked
  is a ``MeasurementError``.
- The schema library fails. That is a ``MeasurementError``, too.

What an output may hold that no JSON Schema can be applied to, and that the schema library may fail on.

YAML and TOML can write more than JSON: keys that aren't texts, sets, bytes, numbers that aren't finite. Python
can't write down whole numbers of many thousand digits. An agent chooses all of that, so a failure that it causes
is a fault of the output. Any other failure is a broken measurement.

References of a JSON Schema that lead nowhere.

They are mistakes of the author, so they are found when the schema is loaded.
"""

import datetime
import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

from assay.core.errors import MeasurementError
from assay.dialects.evaluation.bounded_values import (
    MOST_STEPS,
    SchemaDepthError,
    SlowSchemaError,
    is_deeper,
    limited,
)

VIOLATIONS_SHOWN = 20
SCHEMA_LEVELS = 100
MOST_STEPS_OF_PLAIN = 1_000_000
NOT_CHECKED = "the output can't be checked against its schema"

_DATES = (datetime.date, datetime.time)
_ONE_OF_EACH_TYPE: tuple[Any, ...] = (None, True, 1, 0.5, "", [], {})
# A schema that is fit for use can be followed into so many levels of a value before the calls go too deep.
LEVELS = 20
# Python's own limit for writing a whole number down.
DIGITS = 4300
_MOST = 10**DIGITS


def schema_complaint(schema: dict[str, Any]) -> str | None:
    """The error in a JSON Schema; None if there is none."""
    try:
        return _complaint(schema) or _unusable(schema)
    except Exception as error:  # noqa: BLE001 - no agent is involved yet, and whoever wrote the schema can act on it
        return f"the schema library can't read it: {bounded(repr(error))}"


def _complaint(schema: dict[str, Any]) -> str | None:
    from jsonschema import FormatChecker, SchemaError  # noqa: PLC0415 - slow to import, and few tasks have a schema

    from assay.dialects.evaluation.schema_patterns import is_pattern  # noqa: PLC0415

    if not isinstance(schema.get("$schema", ""), str):
        return f"$.$schema must be a text, got {bounded(repr(schema['$schema']))}"
    if is_deeper(schema, SCHEMA_LEVELS):
        return f"it must not be nested deeper than {SCHEMA_LEVELS} levels"
    formats = FormatChecker(formats=())
    formats.checks("regex", raises=ValueError)(is_pattern)
    try:
        _draft(schema).check_schema(schema, format_checker=formats)
    except SchemaError as error:
        return f"{error.json_path}: {error.message[:200]}"
    return dangling_reference(schema)


def violations(value: Any, schema: dict[str, Any]) -> list[str]:
    """The first that are found, each with its path. A value that can't be checked violates its schema.

    Raises ``MeasurementError`` where that is a fault of the schema or of the library.
    """
    plain = _dates_as_text(value)
    try:
        errors = itertools.islice(_validator(schema, MOST_STEPS).iter_errors(plain), VIOLATIONS_SHOWN)
        return sorted(f"{bounded(error.json_path)}: {bounded(error.message)}" for error in errors)
    except SlowSchemaError as error:
        return [f"{NOT_CHECKED}: {bounded(str(error))}"]
    except Exception as error:
        # It may be anything: the library can't cope with some values and some schemas, and may have mistakes.
        why = out_of_bounds(plain)
        if why is None:
            raise MeasurementError(f"the schema can't be applied to the output: {_error_text(error)}") from error
        return [f"{NOT_CHECKED}: {why}"]


def _unusable(schema: dict[str, Any]) -> str | None:
    """Why not even plain values can be checked, for instance because a reference leads back to itself."""
    validator = _validator(schema, MOST_STEPS_OF_PLAIN)
    try:
        for value in _ONE_OF_EACH_TYPE:
            list(validator.iter_errors(value))
    except SlowSchemaError:
        return f"it takes more than {MOST_STEPS_OF_PLAIN} steps to check a plain value"
    except Exception as error:  # noqa: BLE001 - as above
        return f"no value can be checked against it: {_error_text(error)}"
    return None


def _error_text(error: BaseException) -> str:
    return bounded(str(error) if isinstance(error, SchemaDepthError) else repr(error))


def bounded(text: str, limit: int = 300) -> str:
    """The beginning of a text that may be very long."""
    return text if len(text) <= limit else f"{text[:limit]}…"


def _draft(schema: dict[str, Any]) -> Any:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - as above
    from jsonschema.validators import validator_for  # noqa: PLC0415

    return validator_for(schema, default=Draft202012Validator)


def _validator(schema: dict[str, Any], most: int) -> Any:
    """A validator of the schema's draft with keywords of ours, each within the limits."""
    from jsonschema.validators import extend  # noqa: PLC0415 - as above
    from referencing import Registry  # noqa: PLC0415

    from assay.dialects.evaluation.schema_unevaluated import keywords  # noqa: PLC0415

    draft = _draft(schema)
    ours, count = keywords(), itertools.count().__next__
    checked = {name: limited(ours.get(name, usual), count, most) for name, usual in draft.VALIDATORS.items()}
    # Where a schema names its draft, the library would go on with its own keywords after a reference to it.
    plain = {name: value for name, value in schema.items() if name != "$schema"}
    made: Any = extend(draft, validators=checked)  # type: ignore[no-untyped-call]
    return made(plain, registry=Registry())


def _dates_as_text(value: Any) -> Any:
    """TOML has dates of its own. A schema knows only texts, so dates become texts."""
    if isinstance(value, _DATES):
        return value.isoformat()
    pending = [value]
    while pending:
        one = pending.pop()
        entries = list(one.items() if isinstance(one, dict) else enumerate(one) if isinstance(one, list) else ())
        for key, entry in entries:
            if isinstance(entry, _DATES):
                one[key] = entry.isoformat()
            elif isinstance(entry, dict | list):
                pending.append(entry)
    return value


def out_of_bounds(value: Any) -> str | None:
    """Why no schema can be applied to a value; None where one can."""
    if is_deeper(value, LEVELS):
        return f"the output is nested deeper than {LEVELS} levels"
    return next((why for one in _parts(value) if (why := _not_json(one)) is not None), None)


def _parts(value: Any) -> Iterator[Any]:
    pending = [value]
    while pending:
        one = pending.pop()
        yield one
        if isinstance(one, dict | list):
            pending += one.values() if isinstance(one, dict) else one


def _not_json(one: Any) -> str | None:
    if isinstance(one, dict):
        return None if all(isinstance(key, str) for key in one) else "the output has a key that isn't a text"
    if isinstance(one, float):
        return None if math.isfinite(one) else "the output has a number that isn't finite"
    if isinstance(one, int):
        return None if abs(one) < _MOST else f"the output has a number of more than {DIGITS} digits"
    return None if one is None or isinstance(one, str | list) else "the output has a value that JSON doesn't know"


def dangling_reference(schema: dict[str, Any]) -> str | None:
    """The first one, in the schema or in what it refers to; None if every reference leads somewhere."""
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # noqa: PLC0415 - slow to import
    from referencing.exceptions import Unresolvable  # noqa: PLC0415
    from referencing.jsonschema import DRAFT202012, specification_with  # noqa: PLC0415

    draft = specification_with(schema.get("$schema", ""), default=DRAFT202012)
    whole = draft.create_resource(schema)
    pending: list[tuple[Any, Any]] = [(REGISTRY.resolver_with_root(whole), whole)]
    known: set[int] = set()
    while pending:
        resolver, resource = pending.pop()
        if not isinstance(resource.contents, dict) or id(resource.contents) in known:
            continue
        known.add(id(resource.contents))
        for reference in _references(resource.contents):
            try:
                found = resolver.lookup(reference)
            except Unresolvable:
                return f"$ref {reference[:300]} leads nowhere: a reference must be to a part of the same file"
            pending.append((found.resolver, draft.create_resource(found.contents)))
        inside = [one for one in resource.subresources() if isinstance(one.contents, dict)]
        pending += [(resolver.in_subresource(one), one) for one in inside]
    return None


def _references(part: Mapping[str, Any]) -> Iterator[str]:
    for keyword in ("$ref", "$dynamicRef"):
        if isinstance(part.get(keyword), str):
            yield part[keyword]
