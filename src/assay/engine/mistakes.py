"""What is wrong with something that was written, in the words of who wrote it, with what would be right."""

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from types import UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from pydantic_core import ErrorDetails
from typing_extensions import TypeAliasType

_UNKNOWN: Final = ("extra_forbidden", "unexpected_keyword_argument")
_TYPES: Final = {
    "missing": "it is needed, and missing",
    "json_invalid": "it is no valid JSON",
    "string_type": "it is a text: put it in quotes",
    "int_type": "it is a whole number",
    "float_type": "it is a number",
    "bool_type": "it is true or false",
    "list_type": "it is a list",
    "tuple_type": "it is a list",
    "dict_type": "it is an object of names and values",
    "model_type": "it is an object of names and values",
    "dataclass_type": "it is an object of names and values",
    "finite_number": "it is a finite number",
    "timezone_aware": "it is a moment with its zone, such as 2026-03-01T12:00:00Z",
    "datetime_from_date_parsing": "it is a moment with its zone, such as 2026-03-01T12:00:00Z",
    "datetime_parsing": "it is a moment with its zone, such as 2026-03-01T12:00:00Z",
    "string_too_short": "it can't be empty",
}
_OURS: Final = "Value error, "
_THEIRS: Final = "Input should "


def first(errors: Sequence[ErrorDetails]) -> ErrorDetails:
    """The one to tell. A name that is not known comes before one that is missing, likely because of it."""
    return next((one for one in errors if one["type"] in _UNKNOWN), errors[0])


def sentence(error: ErrorDetails, root: Any) -> str:
    """What an error of validation says. ``root`` is the model or the dataclass that was validated."""
    if error["type"] in _UNKNOWN:
        *around, name = error["loc"]
        return unknown(str(name), names_at(root, around))
    if error["type"] in _TYPES:
        return _TYPES[error["type"]]
    return error["msg"].removeprefix(_OURS).replace(_THEIRS, "it should ")


def unknown(name: str, known: Sequence[str]) -> str:
    """That there is no field of a name, and which one may have been meant."""
    if not known:
        return f"there is no field {name!r} here"
    near = get_close_matches(name.lower(), known, n=1)
    meant = f"; {near[0]!r} may be meant" if near else ""
    return f"there is no field {name!r} here{meant}; there are {', '.join(known)}"


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
