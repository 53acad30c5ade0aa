"""The names of the fields that may be written at a place of a model or a dataclass."""

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from typing_extensions import TypeAliasType


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
