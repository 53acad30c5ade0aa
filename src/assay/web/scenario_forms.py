"""A scenario as a form: its own fields, and a row for each scorer. What the form doesn't have is kept as it was.

Rows are in the order in which they are shown. Adding, removing and moving them changes nothing that was entered.

The form of every type of scorer, and scorers from what was entered there.

``tests`` of a command stands for its command, so that one of the two is enough.
"""

import inspect
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final

from pydantic import ValidationError

from assay.dialects.scorers.scenario import Scenario, Scorer, Shorthand
from assay.engine.check_catalog import UnfitFieldError, unfits
from assay.engine.coding.score import (
    COMMAND,
    CodingCheck,
    check_class,
    checked,
    kinds,
    required_by_default,
)
from assay.engine.schema_errors import first, sentence, spell_place
from assay.web.declared_forms import DeclaredForm, entered_as, form_of, not_in, plain, value_of

SCORERS: Final = "scorers"
NEW_TYPE: Final = "command"
OWN = ("name", "type", "required")


@dataclass(frozen=True, slots=True)
class ScorerFormRow:
    """One scorer of the form. ``rest`` are its fields that the form doesn't have.

    ``written`` is the scorer that was entered, once it was read. Without ``errors`` it can be used; they are by
    field, "" is for the whole.
    """

    entered: Mapping[str, str]
    errors: Mapping[str, str] = field(default_factory=dict)
    rest: Mapping[str, Any] = field(default_factory=dict)
    written: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EnteredScenario:
    """A scenario as it was entered. It can be used if there are no errors, in it or in a row."""

    entered: Mapping[str, str]
    rows: tuple[ScorerFormRow, ...]
    written: Mapping[str, Any]
    errors: Mapping[str, str]
    rest: Mapping[str, Any]

    @property
    def is_usable(self) -> bool:
        return not self.errors and not any(row.errors for row in self.rows)


@cache
def scenario_form() -> DeclaredForm:
    return form_of(Scenario, leave_out=(SCORERS,))


def shown_scenario(written: Mapping[str, Any]) -> EnteredScenario:
    """The form of a scenario that was written before."""
    scorers = written.get(SCORERS)
    shown = [shown_scorer(one) for one in scorers if isinstance(one, Mapping)] if isinstance(scorers, list) else []
    rest = {name: one for name, one in not_in(scenario_form(), written).items() if name != SCORERS}
    return entered_scenario(
        entered_as(scenario_form(), written), [ScorerFormRow(texts, rest=more) for texts, more in shown], rest
    )


def entered_scenario(
    entered: Mapping[str, str], rows: Sequence[ScorerFormRow], rest: Mapping[str, Any] | None = None
) -> EnteredScenario:
    """A scenario from the texts of its fields, with what is wrong at each of them."""
    made = tuple(entered_scorer(row.entered, row.rest) for row in rows)
    scorers = [dict(row.written) for row in made]
    written = {**(rest or {}), **value_of(scenario_form(), entered), SCORERS: scorers}
    return EnteredScenario(entered, made, written, _errors(written, any(row.errors for row in made)), rest or {})


def with_row(rows: Sequence[ScorerFormRow], kind: str = NEW_TYPE) -> list[ScorerFormRow]:
    """One more row at the end, required as its type is by default."""
    return [
        *rows,
        ScorerFormRow({"type": kind, "name": "", "required": "on" if required_by_default(kind) else ""}),
    ]


def without_row(rows: Sequence[ScorerFormRow], at: int) -> list[ScorerFormRow]:
    return [*rows[:at], *rows[at + 1 :]] if 0 <= at < len(rows) else list(rows)


def moved_row(rows: Sequence[ScorerFormRow], at: int, by: int) -> list[ScorerFormRow]:
    """A row in another place. One at the end stays there."""
    found, to = list(rows), at + by
    if 0 <= at < len(found) and 0 <= to < len(found):
        found.insert(to, found.pop(at))
    return found


def of_type(row: ScorerFormRow, kind: str) -> ScorerFormRow:
    """The row with another type: its fields, and whether it is required, begin anew; its name stays."""
    if scorer_form(kind) is None or row.entered.get("type") == kind:
        return row
    name = row.entered.get("name", "")
    [new] = with_row([], kind)
    return ScorerFormRow({**new.entered, "name": "" if name == row.entered.get("type") else name})


def _errors(written: Mapping[str, Any], rows_are_wrong: bool) -> dict[str, str]:
    try:
        Scenario.model_validate({**written, SCORERS: [] if rows_are_wrong else written[SCORERS]})
    except ValidationError as error:
        return {_place(one["loc"]): sentence(one, Scenario) for one in reversed(error.errors(include_url=False))}
    return {}


def _place(loc: Sequence[str | int]) -> str:
    """The field that a place belongs to. Inside one of several kinds, pydantic also names the kind."""
    names = {one.name for one in scenario_form().fields}
    place = spell_place(loc)
    without_kind = spell_place([*loc[:1], *loc[2:]]) if len(loc) > 2 else place
    if place not in names and without_kind in names:
        return without_kind
    return next((name for name in names if name == place or name.startswith(f"{place}.type")), place)


@dataclass(frozen=True, slots=True)
class ScorerForm:
    """The fields of a type of scorer, what it checks, and whether it is required unless somebody decides."""

    type: str
    label: str
    about: str
    required: bool
    form: DeclaredForm


@cache
def scorer_forms() -> tuple[ScorerForm, ...]:
    """One for each type in the catalogue."""
    return tuple(form_of_check(check_class(kind)) for kind in kinds())


def scorer_form(kind: str) -> ScorerForm | None:
    return next((one for one in scorer_forms() if one.type == kind), None)


def form_of_check(check: type[CodingCheck]) -> ScorerForm:
    """The form of a check, from nothing but its own declaration."""
    form = form_of(check)
    if check.kind == COMMAND:
        free = [replace(one, required=False) for one in form.fields]
        form = replace(form, fields=(*form_of(Shorthand).fields, *free))
    about = plain((inspect.getdoc(sys.modules[check.__module__]) or "").partition("\n\n")[0])
    label = check.kind.replace("_", " ").capitalize()
    return ScorerForm(
        check.kind, "LLM judge" if check.kind == "llm_judge" else label, about, not check.advisory, form
    )


def entered_scorer(entered: Mapping[str, str], rest: Mapping[str, Any] | None = None) -> ScorerFormRow:
    """A scorer from the texts of its fields. ``rest`` are fields that the form doesn't have, and that stay."""
    kind, name = entered.get("type", ""), entered.get("name", "").strip()
    found = scorer_form(kind)
    required = entered.get("required", "") != ""
    config = {} if found is None else value_of(found.form, entered)
    written: dict[str, Any] = {"type": kind, "name": name or kind, **(rest or {}), **config}
    if found is None or required != found.required:
        written["required"] = required
    usual = {} if found is None else entered_as(found.form, {})
    return ScorerFormRow({**usual, **entered}, _scorer_errors(written), rest or {}, written)


def shown_scorer(written: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, Any]]:
    """The texts of a scorer's fields, and what the form has no field for."""
    kind = str(written.get("type", ""))
    found = scorer_form(kind)
    own = {"type": kind, "name": str(written.get("name") or kind)}
    if found is None:
        return own, {name: one for name, one in written.items() if name not in OWN}
    required = written.get("required")
    own["required"] = "on" if (required_by_default(kind) if required is None else required) else ""
    rest = {name: one for name, one in not_in(found.form, written).items() if name not in OWN}
    return {**own, **entered_as(found.form, written)}, rest


def _scorer_errors(written: Mapping[str, Any]) -> dict[str, str]:
    try:
        checked(Scorer.model_validate(dict(written)))
    except ValidationError as error:
        told = first(error.errors(include_url=False))
        return {spell_place(told["loc"]): sentence(told, Scorer)}
    except UnfitFieldError as error:
        kind = str(written.get("type"))
        found = unfits(error, check_class(kind)) if kind in kinds() else [error]
        return {one.field: one.problem for one in found}
    return {}
