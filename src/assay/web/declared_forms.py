"""Forms from declarations: the fields that a person fills in, made from what a check or a model declares.

A declaration is a dataclass or a model. Its JSON schema says names, types, defaults and limits, and its docstring
explains the fields: a sentence belongs to the fields whose names it has in backquotes. So a new check has a form
without any further code. A type that no control fits is written as JSON.

What was entered into a form, as the value that it stands for, and back.

Nothing is refused here: what can't be read as the field's type stays text, and the declaration then says what it
must be. A field that was left empty is left out, so that its default holds.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Final, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from assay.engine.schema_errors import sentence, spell_place
from assay.web.routing import Fields

MULTILINE: Final = "multiline"
"""The format by which a field declares that its text may have several lines."""
_SENTENCE: Final = re.compile(r"(?<=[.;])\s+|\n\s*\n")
_NAME: Final = re.compile(r"``(\w+)``")
_REF: Final = "$ref"
ON: Final = "on"
_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL: Final = re.compile(r"[+-]?[0-9]{1,18}(?:\.[0-9]{1,18})?(?:[eE][+-]?[0-9]{1,3})?")
Model = TypeVar("Model", bound=BaseModel)


class FormControl(Enum):
    """How a value is entered."""

    TEXT = "text"
    LONG_TEXT = "long text"
    WHOLE_NUMBER = "whole number"
    NUMBER = "number"
    LINES = "lines"
    TOGGLE = "toggle"
    CHOICE = "choice"
    JSON = "JSON"


@dataclass(frozen=True, slots=True)
class FormField:
    """One field. ``name`` has dots where it is inside another, such as ``report.path``.

    ``only_for`` says for which kind of the value around it the field counts: where the kind is, and which.
    """

    name: str
    control: FormControl
    required: bool = False
    default: Any = None
    help: str = ""
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    only_for: tuple[str, str] | None = None

    @property
    def inside(self) -> str:
        """The name of the part the field is in, or ""."""
        return self.name.rpartition(".")[0]

    @property
    def label(self) -> str:
        """The name in words: ``timeout_s`` is "Timeout (s)"."""
        words = [_words(part) for part in self.name.split(".")]
        return ": ".join([words[0], *(one[:1].lower() + one[1:] for one in words[1:])])


@dataclass(frozen=True, slots=True)
class DeclaredForm:
    """All fields of a declaration."""

    fields: tuple[FormField, ...]

    def field(self, name: str) -> FormField | None:
        return next((one for one in self.fields if one.name == name), None)


def form_of(declaration: Any, leave_out: Sequence[str] = ()) -> DeclaredForm:
    """The form of a dataclass or a model. ``leave_out`` names fields that are entered elsewhere."""
    schema = TypeAdapter(declaration).json_schema()
    reading = _SchemaReading(schema.get("$defs", {}))
    fields = [one for one in reading.fields(schema) if one.name.partition(".")[0] not in leave_out]
    return DeclaredForm(tuple(fields))


def plain(text: str) -> str:
    """The text of a docstring on one line, without the marks of code."""
    return " ".join(text.replace("``", "").split())


@dataclass(frozen=True, slots=True)
class _SchemaReading:
    """Reads the fields of a schema. ``models`` are the declarations that it refers to, by their names."""

    models: Mapping[str, Any]
    prefix: str = ""
    only_for: tuple[str, str] | None = None
    optional: bool = False

    def fields(self, schema: Mapping[str, Any]) -> Iterator[FormField]:
        needed = () if self.optional else schema.get("required", ())
        parts = schema.get("properties", {})
        explained = _help_by_field(schema.get("description", ""), list(parts))
        for name, part in parts.items():
            yield from self._field(name, part, name in needed, part.get("description") or explained.get(name, ""))

    def _field(self, name: str, part: Mapping[str, Any], needed: bool, help_text: str) -> Iterator[FormField]:
        whole = {**self._resolve(part), **{key: one for key, one in part.items() if key != _REF}}
        place = f"{self.prefix}{name}"
        alternatives = _alternatives(whole)
        if len(alternatives) == 1:
            around = {name: one for name, one in whole.items() if name not in ("anyOf", "oneOf")}
            whole = {**self._resolve(alternatives[0]), **around}
            needed = False if _may_be_null(part) else needed
        elif "discriminator" in whole or all(_is_object(self._resolve(one)) for one in alternatives or [{}]):
            yield from self._variants(place, alternatives, help_text, needed)
            return
        if _is_object(whole) and whole.get("properties"):
            inside = _SchemaReading(self.models, f"{place}.", self.only_for, not needed)
            yield from inside.fields(whole)
            return
        yield self._plain(place, whole, needed, help_text)

    def _variants(
        self, place: str, alternatives: Sequence[Mapping[str, Any]], help_text: str, needed: bool
    ) -> Iterator[FormField]:
        """A value of one of several kinds: which one, and then the fields of each."""
        kinds = {self._tag(one): self._resolve(one) for one in alternatives}
        choice = FormField(
            f"{place}.type",
            FormControl.CHOICE,
            needed,
            help=help_text,
            choices=tuple(kinds),
            only_for=self.only_for,
        )
        yield choice
        for tag, schema in kinds.items():
            inside = _SchemaReading(self.models, f"{place}.", (choice.name, tag), optional=False)
            yield from (one for one in inside.fields(schema) if one.name != choice.name)

    def _tag(self, alternative: Mapping[str, Any]) -> str:
        return str(self._resolve(alternative)["properties"]["type"]["const"])

    def _plain(self, place: str, part: Mapping[str, Any], needed: bool, help_text: str) -> FormField:
        return FormField(
            place,
            _control(part),
            needed,
            part.get("default"),
            help_text,
            part.get("minimum"),
            part.get("maximum"),
            tuple(map(str, part.get("enum", ()))),
            self.only_for,
        )

    def _resolve(self, part: Mapping[str, Any]) -> Mapping[str, Any]:
        if _REF not in part:
            return part
        found: Mapping[str, Any] = self.models[str(part[_REF]).rpartition("/")[2]]
        return found


def _control(part: Mapping[str, Any]) -> FormControl:
    if "enum" in part and all(isinstance(one, str) for one in part["enum"]):
        return FormControl.CHOICE
    match part.get("type"):
        case "string":
            return FormControl.LONG_TEXT if part.get("format") == MULTILINE else FormControl.TEXT
        case "integer":
            return FormControl.WHOLE_NUMBER
        case "number":
            return FormControl.NUMBER
        case "boolean":
            return FormControl.TOGGLE
        case "array" if part.get("items", {}).get("type") == "string" and "prefixItems" not in part:
            return FormControl.LINES
        case _:
            return FormControl.JSON


def _alternatives(part: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """A value's types beside null."""
    some = part.get("anyOf") or part.get("oneOf") or ()
    inner = [one for each in some for one in (each.get("oneOf") or [each])]
    return [one for one in inner if one.get("type") != "null"]


def _may_be_null(part: Mapping[str, Any]) -> bool:
    return any(one.get("type") == "null" for one in part.get("anyOf", ()))


def _is_object(part: Mapping[str, Any]) -> bool:
    return part.get("type") == "object"


def _help_by_field(doc: str, names: Sequence[str]) -> dict[str, str]:
    """The sentences about each field: from one that names it up to one that names another."""
    said: dict[str, list[str]] = {}
    current: str | None = None
    for part in _SENTENCE.split(doc):
        named = next((one for one in _NAME.findall(part) if one in names), None)
        current = named or current
        if current is not None and part.strip():
            said.setdefault(current, []).append(plain(part))
    return {name: _as_words(name, " ".join(some).rstrip(";")) for name, some in said.items()}


def _as_words(name: str, said: str) -> str:
    """A sentence that begins with the name of a field begins with its words instead."""
    return f"{_words(name).removesuffix(' (s)')}{said[len(name) :]}" if said.startswith(f"{name} ") else said


def _words(name: str) -> str:
    seconds = name.endswith("_s")
    words = name.removesuffix("_s").replace("_", " ")
    return words[:1].upper() + words[1:] + (" (s)" if seconds else "")


def value_of(form: DeclaredForm, entered: Mapping[str, str]) -> dict[str, Any]:
    """The value that was entered, with its parts in their places."""
    found: dict[str, Any] = {}
    for one in form.fields:
        if one.only_for is not None and entered.get(one.only_for[0], "") != one.only_for[1]:
            continue
        value = _value(one, entered.get(one.name, ""))
        if value is not None and value != one.default:
            _put(found, one.name.split("."), value)
    return found


def entered_as(form: DeclaredForm, value: Mapping[str, Any]) -> dict[str, str]:
    """A value as a form shows it: the text of every field, the default where there is none."""
    shown: dict[str, str] = {}
    for one in form.fields:
        inside = _get(value, one.name.split("."))
        applies = one.only_for is None or _get(value, one.only_for[0].split(".")) == one.only_for[1]
        shown[one.name] = _text(one, one.default if inside is None or not applies else inside)
    return shown


def not_in(form: DeclaredForm, value: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a value that the form has no field for, so that saving it doesn't lose them."""
    known = {one.name.partition(".")[0] for one in form.fields}
    return {name: one for name, one in value.items() if name not in known}


def _value(one: FormField, text: str) -> Any:
    match one.control:
        case FormControl.TOGGLE:
            return text == ON
        case FormControl.LINES:
            return _lines(text) or None
        case FormControl.WHOLE_NUMBER if _WHOLE.fullmatch(text.strip()):
            return int(text)
        case FormControl.NUMBER if _DECIMAL.fullmatch(text.strip()):
            return float(text)
        case FormControl.JSON if text.strip():
            return _from_json(text)
    return text.replace("\r\n", "\n") if text.strip() else None


def _lines(text: str) -> list[str]:
    """A text on each line. Those that have line breaks themselves are written as a list in JSON."""
    if text.lstrip().startswith("["):
        listed = _from_json(text)
        if isinstance(listed, list) and all(isinstance(one, str) for one in listed):
            return listed
    return [line.strip() for line in text.splitlines() if line.strip()]


def _from_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _text(one: FormField, value: Any) -> str:
    match one.control:
        case FormControl.TOGGLE:
            return ON if value is True else ""
        case FormControl.LINES if isinstance(value, Sequence) and not isinstance(value, str):
            texts = [str(each) for each in value]
            several = any("\n" in each for each in texts)
            return json.dumps(texts, indent=2, ensure_ascii=False) if several else "\n".join(texts)
        case FormControl.JSON:
            return "" if value is None else json.dumps(value, indent=2, ensure_ascii=False)
    return "" if value is None else str(value)


def _put(into: dict[str, Any], place: Sequence[str], value: Any) -> None:
    for part in place[:-1]:
        into = into.setdefault(part, {})
    into[place[-1]] = value


def _get(value: Any, place: Sequence[str]) -> Any:
    for part in place:
        if not isinstance(value, Mapping):
            return None
        value = value.get(part)
    return value


@dataclass(frozen=True, slots=True)
class ShownForm:
    """A form with what is entered in it, and what is wrong with that, by field; "" is for the whole."""

    form: DeclaredForm
    entered: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)

    @property
    def status(self) -> int:
        """The status of a page that shows the form."""
        return 422 if self.errors else 200

    def wrong(self, place: str, said: str) -> "ShownForm":
        """The same form, with one more error. One whose field isn't in the form is about the whole."""
        known = place if self.form.field(place) is not None else ""
        said = said if known else f"{place} {said}".strip()
        return replace(self, errors={**self.errors, known: said})


def blank_form(model: type[BaseModel], leave_out: tuple[str, ...] = ()) -> ShownForm:
    """A form to be filled in."""
    return fill_form(model, {}, leave_out)


def fill_form(model: type[BaseModel], value: Mapping[str, Any], leave_out: tuple[str, ...] = ()) -> ShownForm:
    """A form that shows a value."""
    form = form_of(model, leave_out)
    return ShownForm(form, entered_as(form, value))


def read_form(
    model: type[Model], fields: Fields, leave_out: tuple[str, ...] = (), *, prefix: str = ""
) -> tuple[Model | None, ShownForm]:
    """The value that a form was sent with, unless that is wrong, and the form as it was entered.

    Its fields have names with a prefix where they could be mistaken.
    """
    form = form_of(model, leave_out)
    entered = {one.name: fields.get(f"{prefix}{one.name}") for one in form.fields}
    shown = ShownForm(form, entered)
    try:
        return model.model_validate_json(json.dumps(value_of(form, entered))), shown
    except ValidationError as error:
        for one in reversed(error.errors(include_url=False)):
            shown = shown.wrong(spell_place(one["loc"]), sentence(one, model))
        return None, shown
