"""Forms of models on a page: what is shown in them, and what was sent with them.

The fields are made from the model's own declaration, as those of scorers are.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from assay.engine.schema_errors import sentence, spell_place
from assay.web.declared_forms import DeclaredForm, entered_as, form_of, value_of
from assay.web.routing import Fields

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ShownForm:
    """A form with what is entered in it, and what is wrong with that, by field; "" is for the whole."""

    form: DeclaredForm
    entered: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)

    def wrong(self, place: str, said: str) -> "ShownForm":
        """The same form, with one more error. One whose field isn't in the form is about the whole."""
        known = place if self.form.field(place) is not None else ""
        said = said if known else f"{place} {said}".strip()
        return replace(self, errors={**self.errors, known: said})


@dataclass(frozen=True, slots=True)
class Sent(Generic[Model]):
    """A sent form: a value, unless the form has errors."""

    value: Model | None
    form: ShownForm


def blank_form(model: type[BaseModel], leave_out: tuple[str, ...] = ()) -> ShownForm:
    """A form to be filled in."""
    return fill_form(model, {}, leave_out)


def fill_form(model: type[BaseModel], value: Mapping[str, Any], leave_out: tuple[str, ...] = ()) -> ShownForm:
    """A form that shows a value."""
    form = form_of(model, leave_out)
    return ShownForm(form, entered_as(form, value))


def read_form(
    model: type[Model], fields: Fields, leave_out: tuple[str, ...] = (), *, prefix: str = ""
) -> Sent[Model]:
    """The value that a form was sent with. Its fields have names with a prefix where they could be mistaken."""
    form = form_of(model, leave_out)
    entered = {one.name: fields.get(f"{prefix}{one.name}") for one in form.fields}
    shown = ShownForm(form, entered)
    try:
        return Sent(model.model_validate_json(json.dumps(value_of(form, entered))), shown)
    except ValidationError as error:
        for one in reversed(error.errors(include_url=False)):
            shown = shown.wrong(spell_place(one["loc"]), sentence(one, model))
        return Sent(None, shown)
