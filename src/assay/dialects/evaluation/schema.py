"""Hold a value against a JSON Schema, of the draft that it names, in bounded time and without the network.

The schema is an author's, the value an agent's: a careless pattern and a hostile text, or a million items that
must differ, would hold a grading up for hours. So patterns are searched under a time limit, items are told apart
by their content at once, and the whole has a limit, too. A reference leads to the schema itself or to one of JSON
Schema's own; nothing is ever loaded for it.
"""

import datetime
import itertools
from typing import Any

from assay.dialects.evaluation.depth import is_deeper
from assay.dialects.evaluation.schema_limits import LIMIT_SEC, TOO_DEEP, SchemaLimitError, limited
from assay.dialects.evaluation.schema_references import dangling_reference

VIOLATIONS_SHOWN = 20
SCHEMA_LEVELS = 100

_DATES = (datetime.date, datetime.time)
_PLAIN: tuple[Any, ...] = (None, {}, [])


def schema_complaint(schema: dict[str, Any]) -> str | None:
    """What is wrong with a JSON Schema; None where nothing is."""
    from jsonschema import FormatChecker, SchemaError  # noqa: PLC0415 - slow to import, and few tasks have a schema

    from assay.dialects.evaluation.schema_patterns import is_pattern  # noqa: PLC0415

    if not isinstance(schema.get("$schema", ""), str):
        return "$.$schema: it is not a text"
    if is_deeper(schema, SCHEMA_LEVELS):
        return f"it is nested deeper than {SCHEMA_LEVELS} levels"
    formats = FormatChecker(formats=())
    formats.checks("regex", raises=ValueError)(is_pattern)
    try:
        _draft(schema).check_schema(schema, format_checker=formats)
    except SchemaError as error:
        return f"{error.json_path}: {error.message[:200]}"
    return dangling_reference(schema) or _endless(schema)


def violations(value: Any, schema: dict[str, Any]) -> list[str]:
    """The first that are found, each with its path. What the library can't cope with does not have the shape."""
    validator = _validator(schema)
    try:
        errors = itertools.islice(validator.iter_errors(_dates_as_text(value)), VIOLATIONS_SHOWN)
        return sorted(f"{bounded(error.json_path)}: {bounded(error.message)}" for error in errors)
    except SchemaLimitError as error:
        return [f"the output can't be held against its schema: {error}"]
    except Exception as error:  # noqa: BLE001
        return [f"the output can't be held against its schema: {bounded(repr(error))}"]


def _endless(schema: dict[str, Any]) -> str | None:
    """A reference that leads back to itself is never done, whatever the value is."""
    found = [one for value in _PLAIN for one in violations(value, schema)]
    return f"no value can be held against it: {TOO_DEEP}" if any(TOO_DEEP in one for one in found) else None


def bounded(text: str, limit: int = 300) -> str:
    """The beginning of a text that may be endless."""
    return text if len(text) <= limit else f"{text[:limit]}…"


def _draft(schema: dict[str, Any]) -> Any:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - as above
    from jsonschema.validators import validator_for  # noqa: PLC0415

    return validator_for(schema, default=Draft202012Validator)


def _validator(schema: dict[str, Any]) -> Any:
    """A validator of the schema's draft with keywords of ours, each within the limits."""
    from jsonschema.validators import extend  # noqa: PLC0415 - as above
    from referencing import Registry  # noqa: PLC0415

    from assay.dialects.evaluation.schema_keywords import keywords  # noqa: PLC0415

    draft = _draft(schema)
    ours = keywords()
    checked = {name: limited(ours.get(name, usual), LIMIT_SEC) for name, usual in draft.VALIDATORS.items()}
    # Where a schema names its draft, the library would go on with its own keywords after a reference to it.
    plain = {name: value for name, value in schema.items() if name != "$schema"}
    made: Any = extend(draft, validators=checked)  # type: ignore[no-untyped-call]
    return made(plain, registry=Registry())


def _dates_as_text(value: Any) -> Any:
    """TOML has dates of its own. A schema knows only texts, so that is what it is shown."""
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
