"""Hold a value against a JSON Schema, of the draft that it names, in bounded time and without the network.

The schema is an author's, the value an agent's: a careless pattern and a hostile text, or a million items that
must differ, would hold a grading up for hours. So patterns are searched under a time limit, items are told apart
by their content at once, and the whole has a limit, too. A reference leads to the schema itself or to one of JSON
Schema's own; nothing is ever loaded for it.
"""

import datetime
import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

from assay.dialects.evaluation.schema_keywords import keywords

VIOLATIONS_SHOWN = 20
# The largest honest output takes about a minute.
LIMIT_SEC = 300.0

_DATES = (datetime.date, datetime.time)


class _OutOfTimeError(Exception):
    """The limit for the whole value is over."""


def schema_complaint(schema: dict[str, Any]) -> str | None:
    """What is wrong with a JSON Schema; None where nothing is."""
    from jsonschema import SchemaError  # noqa: PLC0415 - slow to import, and few tasks have a schema

    try:
        _draft(schema).check_schema(schema)
    except SchemaError as error:
        return f"{error.json_path}: {error.message[:200]}"
    return _dangling(schema)


def violations(value: Any, schema: dict[str, Any]) -> list[str]:
    """The first that are found, each with its path. What the library can't cope with does not have the shape."""
    try:
        errors = itertools.islice(_validator(schema).iter_errors(_dates_as_text(value)), VIOLATIONS_SHOWN)
        return sorted(f"{bounded(error.json_path)}: {bounded(error.message)}" for error in errors)
    except _OutOfTimeError:
        return [f"the output can't be held against its schema: that takes longer than {LIMIT_SEC:g} s"]
    except Exception as error:  # noqa: BLE001
        return [f"the output can't be held against its schema: {bounded(repr(error))}"]


def bounded(text: str, limit: int = 300) -> str:
    """The beginning of a text that may be endless."""
    return text if len(text) <= limit else f"{text[:limit]}…"


def _draft(schema: dict[str, Any]) -> Any:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - as above
    from jsonschema.validators import validator_for  # noqa: PLC0415

    return validator_for(schema, default=Draft202012Validator)


def _validator(schema: dict[str, Any]) -> Any:
    """A validator of the schema's draft with keywords of ours, each of which looks at the clock first."""
    from jsonschema.validators import extend  # noqa: PLC0415 - as above
    from referencing import Registry  # noqa: PLC0415

    draft = _draft(schema)
    end = time.monotonic() + LIMIT_SEC
    timed = {name: _timed(keyword, end) for name, keyword in {**draft.VALIDATORS, **keywords()}.items()}
    # Where a schema names its draft, the library would go on with its own keywords after a reference to it.
    plain = {name: value for name, value in schema.items() if name != "$schema"}
    made: Any = extend(draft, validators=timed)  # type: ignore[no-untyped-call]
    return made(plain, registry=Registry())


def _timed(keyword: Callable[..., Any], end: float) -> Callable[..., Any]:
    def check(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        if time.monotonic() > end:
            raise _OutOfTimeError
        return keyword(validator, value, instance, schema)

    return check


def _dangling(schema: dict[str, Any]) -> str | None:
    """The first reference that leads nowhere: found now, it is the author's mistake and not an agent's."""
    for resolver, part in _parts(schema):
        reference = part.get("$ref") if isinstance(part, dict) else None
        if isinstance(reference, str) and not _leads_somewhere(resolver, reference):
            return f"$ref {bounded(reference)} leads nowhere: only what is in the file itself can be referred to"
    return None


def _leads_somewhere(resolver: Any, reference: str) -> bool:
    from referencing.exceptions import Unresolvable  # noqa: PLC0415 - as above

    try:
        resolver.lookup(reference)
    except Unresolvable:
        return False
    return True


def _parts(schema: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Every schema inside of a schema, itself included, with what resolves its references."""
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # noqa: PLC0415 - as above
    from referencing import Resource  # noqa: PLC0415
    from referencing.jsonschema import DRAFT202012  # noqa: PLC0415

    whole = Resource.from_contents(schema, default_specification=DRAFT202012)
    pending = [(REGISTRY.resolver_with_root(whole), whole)]
    while pending:
        resolver, resource = pending.pop()
        yield resolver, resource.contents
        pending += [(resolver.in_subresource(one), one) for one in resource.subresources()]


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
