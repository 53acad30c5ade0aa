"""Checks by their names: one file in a package is one kind of check, named like it. No list is kept."""

import importlib
import json
import pkgutil
from collections.abc import Mapping
from dataclasses import fields
from types import ModuleType
from typing import Any

from pydantic import TypeAdapter, ValidationError

from assay.core.errors import InputError
from assay.engine import mistakes

_readers: dict[type[Any], TypeAdapter[Any]] = {}


class UnfitFieldError(ValueError):
    """A check can't be made of what was written. ``field`` says where; "" for the whole."""

    def __init__(self, field: str, problem: str, sentence: str | None = None) -> None:
        super().__init__(sentence or (f"{field}: {problem}" if field else problem))
        self.field = field
        self.problem = problem


def modules_in(package: ModuleType) -> list[str]:
    """The names of the files with a check."""
    return sorted(module.name for module in pkgutil.iter_modules(package.__path__) if not module.ispkg)


def class_in(package: ModuleType, module: str, kind: str) -> type[Any]:
    """The class that answers for a kind. Raises ``TypeError`` if the file has none."""
    content = vars(importlib.import_module(f"{package.__name__}.{module}")).values()
    found = next((one for one in content if isinstance(one, type) and vars(one).get("kind") == kind), None)
    if found is None:
        raise TypeError(f"{package.__name__}.{module} must hold a class whose kind is {kind!r}")
    return found


def made(cls: type[Any], written: Mapping[str, Any]) -> Any:
    """A check with its fields as they were written. Raises ``UnfitFieldError``."""
    allowed = [field.name for field in fields(cls)]
    unknown = sorted(written.keys() - set(allowed))
    if unknown:
        has = f"it has {', '.join(allowed) or 'none'}"
        sentence = f"{cls.kind} has no field {unknown[0]!r}; {has}"
        raise UnfitFieldError(unknown[0], f"{cls.kind} has no such field; {has}", sentence)
    try:
        # As JSON, so that lists may stand for tuples while numbers and texts stay what they are.
        return _reader(cls).validate_json(json.dumps(written), strict=True)
    except ValidationError as error:
        first = mistakes.first(error.errors(include_url=False))
        field = ".".join(str(part) for part in first["loc"])
        raise UnfitFieldError(field, mistakes.sentence(first, cls)) from error
    except (TypeError, ValueError, RecursionError, InputError) as error:
        # What JSON can't hold, or a path that is none in a format's own language.
        raise UnfitFieldError("", str(error)) from error


def _reader(cls: type[Any]) -> TypeAdapter[Any]:
    """What makes checks of a class. Making one takes longer than using it."""
    if cls not in _readers:
        _readers[cls] = TypeAdapter(cls)
    return _readers[cls]
