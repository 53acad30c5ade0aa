"""Find checks by name: each file in a package is one kind of check and named like it, so no list is needed."""

import importlib
import json
import pkgutil
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from types import ModuleType
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from assay.core.errors import InputError
from assay.engine import schema_errors
from assay.engine.schema_errors import names_at, spell_place

_readers: dict[type[Any], TypeAdapter[Any]] = {}


class UnfitFieldError(ValueError):
    """A check can't be made from what was written. ``field`` says where; "" for the whole."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(schema_errors.about(field, problem))
        self.field = field
        self.problem = problem


def modules_in(package: ModuleType) -> tuple[str, ...]:
    """The names of the files that hold a check."""
    return _modules_at(tuple(package.__path__))


@cache
def _modules_at(folders: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(module.name for module in pkgutil.iter_modules(folders) if not module.ispkg))


def class_in(package: ModuleType, module: str, kind: str) -> type[Any]:
    """The class of a kind. Raises ``TypeError`` if the file has none."""
    return _class_of(importlib.import_module(f"{package.__name__}.{module}"), kind)


@cache
def _class_of(module: ModuleType, kind: str) -> type[Any]:
    content = vars(module).values()
    found = next((one for one in content if isinstance(one, type) and vars(one).get("kind") == kind), None)
    if found is None:
        raise TypeError(f"{module.__name__} must hold a class whose kind is {kind!r}")
    return found


def make_check(cls: type[Any], written: Mapping[str, Any]) -> Any:
    """A check with its fields as they were written. Raises ``UnfitFieldError``."""
    allowed = [field.name for field in fields(cls)]
    unknown = sorted(written.keys() - set(allowed))
    if unknown:
        raise UnfitFieldError(unknown[0], schema_errors.unknown(unknown[0], allowed))
    try:
        # As JSON, so that a list may become a tuple while numbers and text stay what they are.
        return _reader(cls).validate_json(json.dumps(written), strict=True)
    except ValidationError as error:
        raise _unfit(schema_errors.first(error.errors(include_url=False)), cls) from error
    except (TypeError, ValueError, RecursionError, InputError) as error:
        # A value that JSON can't hold, or a path that its format can't parse.
        raise UnfitFieldError("", str(error)) from error


def unfits(error: UnfitFieldError, cls: type[Any]) -> list[UnfitFieldError]:
    """Everything that is wrong, where ``make_check`` reported the first of it."""
    cause = error.__cause__
    if not isinstance(cause, ValidationError):
        return [error]
    return [_unfit(one, cls) for one in cause.errors(include_url=False)]


def _unfit(error: ErrorDetails, cls: type[Any]) -> UnfitFieldError:
    """The error and its place. A check that looks at several fields begins its sentence with the one it means."""
    said, place = schema_errors.sentence(error, cls), list(error["loc"])
    name, _, rest = said.partition(" ")
    if rest.startswith("must ") and name in names_at(cls, place):
        return UnfitFieldError(spell_place([*place, name]), rest)
    return UnfitFieldError(spell_place(place), said)


def _reader(cls: type[Any]) -> TypeAdapter[Any]:
    """The reader that makes checks of a class. Making the reader takes longer than using it."""
    if cls not in _readers:
        _readers[cls] = TypeAdapter(cls)
    return _readers[cls]
