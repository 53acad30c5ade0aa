"""Validation errors as one sentence: "X must be …, got …".

``sentence`` gives what follows the name of a place ("must be a whole number, got 1.5"); ``about`` puts the two
together. A validator of Assay's own may raise a ``ValueError`` in either form: with "must …" it is read as being
about the place, and anything else as a sentence that stands by itself.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from difflib import get_close_matches
from types import UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from pydantic_core import ErrorDetails
from typing_extensions import TypeAliasType

from assay.formats.counting import counted

_UNKNOWN: Final = ("extra_forbidden", "unexpected_keyword_argument")
_MISSING: Final = (
    "missing",
    "missing_argument",
    "missing_keyword_only_argument",
    "missing_positional_only_argument",
)
_OURS: Final = ("value_error", "assertion_error")
_TIME: Final = "be a time with its zone, such as 2026-03-01T12:00:00Z"
_MUST: Final = {
    "json_invalid": "be valid JSON",
    "json_type": "be JSON text",
    "none_required": "be null",
    "string_type": "be text",
    "string_unicode": "be text in UTF-8",
    "bytes_type": "be text",
    "string_pattern_mismatch": "match the pattern {pattern}",
    "string_not_ascii": "have ASCII characters only",
    "literal_error": "be {expected}",
    "enum": "be {expected}",
    "greater_than": "be greater than {gt}",
    "greater_than_equal": "be at least {ge}",
    "less_than": "be less than {lt}",
    "less_than_equal": "be at most {le}",
    "multiple_of": "be a multiple of {multiple_of}",
    "finite_number": "be a finite number",
    "union_tag_invalid": "have {discriminator} set to one of {expected_tags}",
    "union_tag_not_found": "have {discriminator}",
    "url_scheme": "be a URL with {expected_schemes}",
    "timezone_naive": "be a time without a zone",
    "timezone_offset": "be a time whose offset is {tz_expected} s",
    **dict.fromkeys(("bool_type", "bool_parsing"), "be true or false"),
    **dict.fromkeys(("int_type", "int_parsing", "int_parsing_size", "int_from_float"), "be a whole number"),
    **dict.fromkeys(("float_type", "float_parsing", "decimal_type", "decimal_parsing"), "be a number"),
    **dict.fromkeys(("list_type", "tuple_type", "set_type", "frozen_set_type", "iterable_type"), "be a list"),
    **dict.fromkeys(
        ("dict_type", "model_type", "model_attributes_type", "dataclass_type", "mapping_type"),
        "be an object of names and values",
    ),
    **dict.fromkeys(("datetime_type", "datetime_parsing", "datetime_from_date_parsing", "timezone_aware"), _TIME),
}
# Limits on a length: the words, the name of the limit in the error, and what is counted.
_LENGTHS: Final = {
    "too_short": ("at least", "min_length", "item"),
    "too_long": ("at most", "max_length", "item"),
    "string_too_short": ("at least", "min_length", "character"),
    "string_too_long": ("at most", "max_length", "character"),
    "bytes_too_short": ("at least", "min_length", "byte"),
    "bytes_too_long": ("at most", "max_length", "byte"),
    "url_too_long": ("at most", "max_length", "character"),
}
_SHOULD: Final = re.compile(r"^[\w' ]*? should (.*)", re.DOTALL)
_SHOWN: Final = 60
# Where a secret may be written by mistake, an error must not carry it into a log.
_SECRET: Final = re.compile("token|secret|password|credential", re.IGNORECASE)
Place = tuple[str | int, ...]


def first(errors: Sequence[ErrorDetails]) -> ErrorDetails:
    """The error to report. An unknown name comes before a missing one, which it is likely to explain."""
    return next((one for one in errors if one["type"] in _UNKNOWN), errors[0])


def sentence(error: ErrorDetails, root: Any) -> str:
    """A validation error's sentence. ``root`` is the model or the dataclass that was validated."""
    kind = error["type"]
    if kind in _UNKNOWN:
        *around, name = error["loc"]
        return unknown(str(name), names_at(root, around))
    if kind in _OURS:
        return error["msg"].partition(", ")[2]
    return f"must {_demand(error)}, got {_got(error)}"


def about(place: str, said: str) -> str:
    """A sentence about a place, or about the whole where ``place`` is empty."""
    if not place:
        return said
    return f"{place} {said}" if said.startswith("must ") else f"{place}: {said}"


def unknown(name: str, known: Sequence[str]) -> str:
    """That a field is unknown, and which one its author may have meant."""
    if not known:
        return f"must be left out, got the unknown field {name!r}"
    near = get_close_matches(name.lower(), known, n=1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    return f"must be one of the fields {', '.join(known)}, got {name!r}{meant}"


def format_value(value: object) -> str:
    """A value in a few words: short ones as they were written, long ones cut, lists and objects by their kind."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, bytes):
        return _text(value[: 4 * _SHOWN].decode(errors="replace"))
    return _text(value) if isinstance(value, str) else _many(value)


def _many(value: object) -> str:
    if isinstance(value, list | tuple):
        return f"a list of {counted(len(value), 'item')}" if value else "an empty list"
    if isinstance(value, dict):
        return "an object" if value else "an empty object"
    return f"a value of type {type(value).__name__}"


def _text(value: str) -> str:
    return repr(value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…")


def _number(value: float) -> str:
    try:
        text = repr(value)
    except ValueError:  # Python writes no number of more than some thousand digits.
        return "a very large number"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _demand(error: ErrorDetails) -> str:
    """The demand, as it follows "must"."""
    kind, context = error["type"], error.get("ctx", {})
    if kind in _MISSING:
        return "be given"
    if kind in _LENGTHS:
        words, limit, what = _LENGTHS[kind]
        if words == "at least" and context[limit] == 1:
            return "not be empty"
        return f"have {words} {counted(context[limit], what)}"
    if kind in _MUST:
        return _MUST[kind].format(**{name: _plain(value) for name, value in context.items()})
    should = _SHOULD.match(error["msg"])
    return should[1] if should else f"be valid ({error['msg']})"


def _plain(limit: object) -> object:
    """A limit as its author would write it: 0 rather than 0.0."""
    return int(limit) if isinstance(limit, float) and limit.is_integer() and abs(limit) < 1e15 else limit


def _got(error: ErrorDetails) -> str:
    kind, value = error["type"], error["input"]
    if kind in _MISSING:
        return "nothing"
    if any(_SECRET.search(str(part)) for part in error["loc"]):
        return "a value that isn't shown here"
    if kind == "union_tag_invalid":
        return repr(error.get("ctx", {}).get("tag"))
    if kind == "union_tag_not_found" and isinstance(value, dict):
        return "an object without it"
    if kind == "string_type" and isinstance(value, int | float):
        return f"{format_value(value)} (put it in quotes)"
    return format_value(value)


def names_at(root: Any, place: Sequence[int | str]) -> list[str]:
    """The fields that may stand at a place."""
    kinds = list(_choices(root))
    for part in place:
        kinds = [choice for kind in kinds for inner in _inside(kind, part) for choice in _choices(inner)]
    return list(dict.fromkeys(name for kind in kinds for name in _fields(kind)))


def _choices(kind: Any) -> Iterator[Any]:
    """A type, or those that it stands for."""
    if isinstance(kind, TypeAliasType):
        yield from _choices(kind.__value__)
    elif get_origin(kind) in (Union, UnionType):
        for one in get_args(kind):
            yield from _choices(one)
    elif get_origin(kind) is Annotated:
        yield from _choices(get_args(kind)[0])
    else:
        yield kind


def _inside(kind: Any, part: int | str) -> Iterator[Any]:
    """The type of a member, of an element, or of the alternative that a place names."""
    if part in _fields(kind):
        yield get_type_hints(kind, include_extras=True)[str(part)]
    elif isinstance(part, int) and get_origin(kind) in (list, tuple):
        yield get_args(kind)[0]
    elif get_origin(kind) is dict:
        yield get_args(kind)[1]
    elif getattr(kind, "__name__", None) == part:
        yield kind


def _fields(kind: Any) -> list[str]:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return list(kind.model_fields)
    if isinstance(kind, type) and is_dataclass(kind):
        return [field.name for field in fields(kind)]
    return []


@dataclass(frozen=True, slots=True)
class Remark:
    """A finding whose line is not looked up yet."""

    rule: str
    place: Place
    why: str


def line_of(place: Sequence[str | int], lines: Mapping[Place, int]) -> int | None:
    """The line of a place, or of the nearest thing around it that is in the file."""
    for length in range(len(place), -1, -1):
        if tuple(place[:length]) in lines:
            return lines[tuple(place[:length])]
    return None


def spell_place(place: Sequence[str | int]) -> str:
    """A place as an author would write it."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return text.removeprefix(".")
