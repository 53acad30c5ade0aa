"""YAML and JSON files with the line of every value, for messages that say where something is.

In YAML, only what JSON would call a number, ``true``, ``false`` or ``null`` is one: ``00123``, ``12:30``,
``2026-03-01`` and ``no`` are text, as their authors meant. ``<<: *base`` takes over the fields of an anchor;
fields written beside it win, and each value keeps the line that it was written on.
"""

import json
import math
import os
import re
from dataclasses import dataclass
from typing import Any, Final, NoReturn, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from assay.core.errors import InputError
from assay.engine.schema_errors import about, first, format_value, line_of, sentence, spell_place

Place = tuple[str | int, ...]
LIMIT_BYTES: Final = 16 * 1024 * 1024
MOST_VALUES: Final = 1_000_000
DEEPEST: Final = 100
_PREFIX: Final = "tag:yaml.org,2002:"
_MERGE: Final = "<<"
Pairs = dict[str, tuple[yaml.ScalarNode, yaml.Node]]
Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Marked:
    """A value, and the line of everything in it by its place: ``("criteria", 0, "label")``."""

    value: Any
    lines: dict[Place, int]


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc] # With the C library if it is there.
    yaml_implicit_resolvers: dict[str, list[tuple[str, Any]]] = {}  # noqa: RUF012 - so it is declared above


for _tag, _pattern, _first in (
    ("null", r"(?:null|~|)", "n~"),
    ("bool", r"(?:true|false)", "tf"),
    ("int", r"-?(?:0|[1-9][0-9]*)", "-0123456789"),
    ("float", r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", "-0123456789"),
):
    _Loader.add_implicit_resolver(
        _PREFIX + _tag, re.compile(rf"\A{_pattern}$"), [*_first, *([""] * (_tag == "null"))]
    )


def read_marked(path: str) -> Marked:
    """Read a file: JSON if its name ends so, YAML otherwise. Raises ``InputError`` with the file and the line."""
    try:
        with open(path, "rb") as file:
            data = file.read(LIMIT_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}") from error
    if len(data) > LIMIT_BYTES:
        raise InputError(f"{path} must have at most {LIMIT_BYTES} bytes, got more")
    try:
        text = data.decode("utf-8-sig")
        return _json(path, text) if os.path.splitext(path)[1].lower() == ".json" else _yaml(path, text)
    except UnicodeDecodeError as error:
        raise not_utf8(path, error) from error
    except RecursionError as error:
        raise InputError(f"{path} must be nested less deeply") from error


def marked_json(text: str) -> Marked:
    """JSON that was sent, with its lines. Raises ``InputError``."""
    return _json("the body", text)


def _yaml(path: str, text: str) -> Marked:
    try:
        _refuse_depth(path, text)
        node = yaml.compose(text, _Loader)
    except yaml.YAMLError as error:
        raise not_yaml(path, error) from error
    reading = _Reading(path)
    return Marked(reading.value(node, ()) if node is not None else None, reading.lines)


def not_yaml(path: str, error: yaml.YAMLError) -> InputError:
    """The error for a file that isn't YAML, with its line but without the library's excerpt."""
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or " ".join(str(error).split())
    return InputError(f"{path}{f':{mark.line + 1}' if mark else ''} must be valid YAML: {what}")


def not_utf8(path: str, error: UnicodeDecodeError) -> InputError:
    """Where a file isn't text."""
    return InputError(f"{path} must be UTF-8, got something else at byte {error.start}")


def _refuse_depth(path: str, text: str) -> None:
    """The C library that composes nodes does so by calling itself, and has no limit but a crash."""
    depth = 0
    for event in yaml.parse(text, _Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise InputError(
                f"{path}:{event.start_mark.line + 1}: values must be nested at most {DEEPEST} deep, got more"
            )


def _json(path: str, text: str) -> Marked:
    try:
        value = json.loads(text, object_pairs_hook=_without_doubles, **_NUMBERS)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno} must be valid JSON: {error.msg}") from error
    except ValueError as error:
        raise InputError(f"{path} must be valid JSON: {error}") from error
    return Marked(value, _lines_of_json(path, text))


def _lines_of_json(path: str, text: str) -> dict[Place, int]:
    """JSON is YAML but for its tabs, and odd texts; where it can't be read as YAML, no line is known."""
    try:
        return _yaml(path, text.replace("\t", " ")).lines
    except InputError:
        return {}


class _Reading:
    """Turns nodes into values, and notes their lines."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._known: dict[yaml.Node, Pairs] = {}
        self.lines: dict[Place, int] = {}

    def value(self, node: yaml.Node, place: Place) -> Any:
        self.lines[place] = node.start_mark.line + 1
        # An alias stands for its anchor as often as it is written, and aliases of aliases grow without an end.
        if len(self.lines) > MOST_VALUES:
            self._refuse(node, f"it has more than {MOST_VALUES} values")
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, place)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(one, (*place, index)) for index, one in enumerate(node.value)]
        return self._scalar(node)

    def _mapping(self, node: yaml.MappingNode, place: Place) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, (key, one) in self._pairs(node).items():
            found[name] = self.value(one, (*place, name))
            # A person who looks for a field looks for its name.
            self.lines[(*place, name)] = key.start_mark.line + 1
        return found

    def _pairs(self, node: yaml.MappingNode) -> Pairs:
        """Keys and values by name. Found once per node: merges of merges would take forever otherwise."""
        if node not in self._known:
            # A mapping that is merged into itself adds nothing.
            self._known[node] = {}
            self._known[node] = self._merge_pairs(node)
        return self._known[node]

    def _merge_pairs(self, node: yaml.MappingNode) -> Pairs:
        own: Pairs = {}
        merged: list[Pairs] = []
        for key, one in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self._refuse(key, "a key must be text; if this is a variable, put it in quotes: '{{patient.mrn}}'")
            if key.value == _MERGE and not key.style:
                merged += self._sources(one)
            elif key.value in own:
                self._refuse(key, f"a key must be written once, got {key.value!r} twice")
            else:
                own[key.value] = key, one
        for source in merged:
            own = {**own, **{name: pair for name, pair in source.items() if name not in own}}
        return own

    def _sources(self, node: yaml.Node) -> list[Pairs]:
        """The mappings to merge: one, or several of which the first wins."""
        found: list[Pairs] = []
        for one in node.value if isinstance(node, yaml.SequenceNode) else [node]:
            if not isinstance(one, yaml.MappingNode):
                self._refuse(node, "<< must name an object or a list of objects, such as <<: *base")
            found.append(self._pairs(one))
        return found

    def _scalar(self, node: yaml.Node) -> Any:
        written, tag = str(node.value), node.tag.removeprefix(_PREFIX)
        if tag == "str":
            return written
        if tag not in ("null", "bool", "int", "float"):
            self._refuse(node, f"a value must be text, a number, true, false or null, got the type {node.tag}")
        try:
            return None if tag == "null" else json.loads(written, **_NUMBERS)
        except ValueError:
            self._refuse(
                node,
                f"a value must be a finite number, true, false or null as in JSON, got {format_value(written)}",
            )

    def _refuse(self, node: yaml.Node, why: str) -> NoReturn:
        raise InputError(f"{self._path}:{node.start_mark.line + 1}: {why}")


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"a key must be written once, got {twice!r} twice")
    return found


def _refuse_constant(written: str) -> NoReturn:
    raise ValueError(f"a number must be finite, got {written}")


def _finite(written: str) -> float:
    number = float(written)
    return number if math.isfinite(number) else _refuse_constant(written)


_NUMBERS: Final[dict[str, Any]] = {"parse_float": _finite, "parse_constant": _refuse_constant}


def validate_file(model: type[Model], path: str, found: Marked) -> Model:
    """The content of a file as a model. Raises ``InputError`` with the first mistake in it."""
    try:
        # As JSON, because a strict model accepts plain values from nowhere else.
        return model.model_validate_json(json.dumps(found.value))
    except ValidationError as error:
        told = first(error.errors(include_url=False))
        line = line_of(told["loc"], found.lines)
        where = f"{path}{f':{line}' if line else ''}: {spell_place(told['loc'])}".removesuffix(": ")
        raise InputError(about(where, sentence(told, model))) from error
