"""Checks from the scorers of a scenario.

A type of scorer is the name of a file in ``checks``.
"""

import json
from dataclasses import asdict, replace
from typing import Any

from assay import checks
from assay.core.check import GatingCheck
from assay.core.errors import InputError
from assay.core.grading import PlacedCheck
from assay.core.placement import Placement
from assay.dialects.scorers.scenario import Scenario, Scorer
from assay.dialects.scorers.test_runners import ShorthandError, written_out
from assay.engine.check_catalog import UnfitFieldError, class_in, made, modules_in
from assay.engine.schema_errors import about
from assay.evidence.workspace import Workspace

COMMAND = "command"
CodingCheck = GatingCheck[Workspace]


def kinds() -> list[str]:
    """All types of scorers."""
    return list(modules_in(checks))


def check_class(kind: str) -> type[CodingCheck]:
    """The class of a type. Raises ``TypeError`` if it leaves out what it must declare."""
    found: type[CodingCheck] = class_in(checks, kind, kind)
    declared = vars(found).get("advisory")
    if not isinstance(declared, bool):
        must = "must declare 'advisory: ClassVar[bool]', True or False"
        raise TypeError(f"{found.__module__}.{found.__name__} {must}, got {declared!r}")
    return found


def required_by_default(kind: str) -> bool:
    """Whether a scorer of this type is required if the scenario doesn't say. Heuristics are not."""
    return not check_class(kind).advisory


def placed_checks(scenario: Scenario, origin: str) -> list[PlacedCheck[Workspace]]:
    """The checks and how they count. Raises ``InputError`` that names the file, the scorer and the field."""
    return [_placed(scorer, f"{origin}: scorers[{number}]") for number, scorer in enumerate(scenario.scorers)]


def frozen(scenario: Scenario, checks: list[PlacedCheck[Workspace]]) -> Scenario:
    """The scenario with the defaults of its scorers' types written out, so that new ones can't change it."""
    pairs = zip(scenario.scorers, checks, strict=True)
    scorers = [
        Scorer(type=scorer.type, name=scorer.name, required=one.placement.required, **_settings(one.check))
        for scorer, one in pairs
    ]
    return scenario.model_copy(update={"scorers": scorers})


def _settings(check: Any) -> dict[str, Any]:
    """The fields of a check as JSON has them. A field without a value is left out, as in a scenario."""
    values = json.loads(json.dumps(asdict(check)))
    return {name: value for name, value in values.items() if value is not None}


def all_required(checks: list[PlacedCheck[Workspace]]) -> list[PlacedCheck[Workspace]]:
    """The same checks, each of them required. A note for the judge still never fails a run."""
    return [replace(one, placement=replace(one.placement, required=True)) for one in checks]


def checked(scorer: Scorer) -> CodingCheck:
    """The check of one scorer. Raises ``UnfitFieldError`` that names the field."""
    if scorer.type not in kinds():
        raise UnfitFieldError("type", f"must be one of {', '.join(kinds())}, got {scorer.type!r}")
    try:
        kind = check_class(scorer.type)
        config = _written_out(kind, scorer.config)
    except ShorthandError as error:
        raise UnfitFieldError(error.field, str(error)) from error
    check: CodingCheck = made(kind, config)
    return check


def _placed(scorer: Scorer, where: str) -> PlacedCheck[Workspace]:
    try:
        check = checked(scorer)
    except UnfitFieldError as error:
        place = f"{where}.{error.field}" if error.field else where
        raise InputError(about(place, error.problem)) from error
    required = required_by_default(scorer.type) if scorer.required is None else scorer.required
    return PlacedCheck(Placement(scorer.name, required=required), check)


def _written_out(kind: type[CodingCheck], config: dict[str, Any]) -> dict[str, Any]:
    """A type that runs a command takes ``tests`` in one word, as far as it has the fields that this stands for."""
    declared = getattr(kind, "__dataclass_fields__", {})
    if "command" not in declared:
        return config
    return {name: value for name, value in written_out(config).items() if name in declared or name in config}
