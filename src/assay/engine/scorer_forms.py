"""The form of every type of scorer, and scorers from what was entered there.

``tests`` of a command stands for its command, so that one of the two is enough.
"""

import inspect
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from pydantic import ValidationError

from assay.dialects.scorers.scenario import Scorer
from assay.dialects.scorers.test_runners import Shorthand
from assay.engine.criteria_places import spelled
from assay.engine.form_values import entered_as, not_in, value_of
from assay.engine.forms import Form, form_of, plain
from assay.engine.found_checks import UnfitFieldError, unfits
from assay.engine.mistakes import first, sentence
from assay.engine.scorer_checks import COMMAND, CodingCheck, check_class, checked, kinds, required_by_default

OWN = ("name", "type", "required")


@dataclass(frozen=True, slots=True)
class ScorerForm:
    """The fields of a type of scorer, what it checks, and whether it is required unless somebody decides."""

    type: str
    label: str
    about: str
    required: bool
    form: Form


@dataclass(frozen=True, slots=True)
class EnteredScorer:
    """A scorer as it was entered. ``errors`` are by field; "" is for the whole. Without any, it can be used."""

    written: Mapping[str, Any]
    errors: Mapping[str, str]


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


def entered_scorer(entered: Mapping[str, str], rest: Mapping[str, Any] | None = None) -> EnteredScorer:
    """A scorer from the texts of its fields. ``rest`` are fields that the form doesn't have, and that stay."""
    kind, name = entered.get("type", ""), entered.get("name", "").strip()
    found = scorer_form(kind)
    required = entered.get("required", "") != ""
    config = {} if found is None else value_of(found.form, entered)
    written: dict[str, Any] = {"type": kind, "name": name or kind, **(rest or {}), **config}
    if found is None or required != found.required:
        written["required"] = required
    return EnteredScorer(written, _errors(written))


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


def _errors(written: Mapping[str, Any]) -> dict[str, str]:
    try:
        checked(Scorer.model_validate(dict(written)))
    except ValidationError as error:
        told = first(error.errors(include_url=False))
        return {spelled(told["loc"]): sentence(told, Scorer)}
    except UnfitFieldError as error:
        kind = str(written.get("type"))
        found = unfits(error, check_class(kind)) if kind in kinds() else [error]
        return {one.field: one.problem for one in found}
    return {}
