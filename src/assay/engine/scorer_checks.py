"""Checks from the scorers of a scenario.

A check is found by its name: the file in ``checks`` that is named like it.
"""

import importlib
import json
import pkgutil
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from pydantic import TypeAdapter, ValidationError

from assay import checks
from assay.core.check import Check
from assay.core.errors import InputError
from assay.core.grading import PlacedCheck
from assay.core.placement import Placement
from assay.dialects.scorers.scenario import Scenario, Scorer
from assay.evidence.workspace import Workspace

CodingCheck = Check[Workspace]


def kinds() -> list[str]:
    """The types of scorers that there are."""
    return sorted(module.name for module in pkgutil.iter_modules(checks.__path__) if not module.ispkg)


def check_class(kind: str) -> type[CodingCheck]:
    """The class that answers for a type."""
    module = importlib.import_module(f"{checks.__name__}.{kind}")
    found = (value for value in vars(module).values() if getattr(value, "kind", None) == kind)
    return next(value for value in found if isinstance(value, type))


def required_by_default(kind: str) -> bool:
    """Heuristics are advisory unless somebody says otherwise."""
    return not getattr(check_class(kind), "advisory", False)


def placed_checks(scenario: Scenario, origin: str) -> list[PlacedCheck[Workspace]]:
    """The checks with how they count. Raises ``InputError`` that names the file, the scorer and the field."""
    return [_placed(scorer, f"{origin}: scorers[{number}]") for number, scorer in enumerate(scenario.scorers)]


def _placed(scorer: Scorer, where: str) -> PlacedCheck[Workspace]:
    if scorer.type not in kinds():
        raise InputError(f"{where}.type: there is no scorer {scorer.type!r}; there are {', '.join(kinds())}")
    required = required_by_default(scorer.type) if scorer.required is None else scorer.required
    check = _check(check_class(scorer.type), scorer.config, where)
    return PlacedCheck(Placement(scorer.name, required=required), check)


def _check(cls: type[CodingCheck], config: dict[str, Any], where: str) -> CodingCheck:
    allowed = [field.name for field in fields(cls)]  # type: ignore[arg-type] # Checks are dataclasses.
    unknown = sorted(config.keys() - set(allowed))
    if unknown:
        raise InputError(f"{where}.{unknown[0]}: {cls.kind} has no such field; it has {_listed(allowed)}")
    try:
        # As JSON, so that lists may stand for tuples while numbers and texts stay what they are.
        return TypeAdapter(cls).validate_json(json.dumps(config), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        raise InputError(f"{where}{f'.{field}' if field else ''}: {message}") from error
    except (TypeError, ValueError) as error:
        raise InputError(f"{where}: {error}") from error


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
