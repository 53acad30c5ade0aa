"""Settings in INI, TOML, JSON, YAML and XML, from a stranger: read leniently, and only so large and so deep."""

import configparser
import json
import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from xml.parsers import expat

import yaml

Flat = Mapping[str, list[str]]

_MOST, _DEEPEST = 20_000, 12
_MOST_WORDS, _LONGEST_WORD = 50, 400
# Elements may be nested as deeply as the text is long.
_NEAREST = 3
_LARGEST_YAML = 200_000
_DEEPEST_YAML = 60
_INLINE = re.compile(r"(?:[-?:][ \t]{1,4}){40}")
# The loader in C is ten times as fast where it is there.
_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def ini(text: str) -> configparser.RawConfigParser | None:
    """An ini file, read leniently; None where it can't be read."""
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True, delimiters=("=", ":"))
    try:
        parser.read_string(text)
    except (configparser.Error, ValueError, TypeError, AttributeError):
        return None
    return parser


def toml(text: str) -> dict[str, object] | None:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return None


def json_object(text: str | None) -> dict[str, object]:
    """An object in JSON; an empty one where a text is anything else."""
    with suppress(ValueError, RecursionError):
        found = json.loads(text or "{}")
        return found if isinstance(found, dict) else {}
    return {}


def load_yaml(text: str) -> list[object] | None:
    """The documents of a text; None where it is no YAML, or larger or deeper than any file of settings."""
    if len(text) > _LARGEST_YAML or _is_deep(text):
        return None
    try:
        return list(yaml.load_all(text, Loader=_LOADER))
    except (yaml.YAMLError, RecursionError, ValueError, TypeError, AttributeError, OverflowError):
        return None


def _is_deep(text: str) -> bool:
    depth = 0
    for bracket in re.finditer(r"[\[\]{}]", text):
        depth = depth + 1 if bracket[0] in "[{" else max(0, depth - 1)
        if depth > _DEEPEST_YAML:
            return True
    return _INLINE.search(text) is not None


def table(settings: object, *keys: str) -> dict[str, object] | None:
    """A table inside of tables; None where one of them is missing."""
    for key in keys:
        settings = settings.get(key) if isinstance(settings, dict) else None
    return settings if isinstance(settings, dict) else None


def flat(document: object) -> Flat:
    """A nested document as a table of ``compilerOptions.strict`` to its values, all of them texts.

    Lists of texts are values; other lists are numbered.
    """
    found: dict[str, list[str]] = {}
    waiting: list[tuple[str, object, int]] = [("", document, 0)]
    while waiting and len(found) < _MOST:
        path, value, depth = waiting.pop()
        if isinstance(value, dict) and depth < _DEEPEST:
            waiting += [(f"{path}.{key}" if path else str(key), inner, depth + 1) for key, inner in value.items()]
        elif isinstance(value, list):
            nested = [
                (f"{path}.{_title(one, at)}", one, depth + 1)
                for at, one in enumerate(value)
                if isinstance(one, dict)
            ]
            waiting += nested if depth < _DEEPEST else []
            found[path] = [plain_text(one) for one in value if not isinstance(one, dict | list)]
        elif not isinstance(value, dict):
            found[path] = [plain_text(value)]
    return found


def _title(entry: object, number: int) -> str:
    """A list's entry by what it is about, so that another place makes it no other."""
    about = [entry.get(key) for key in ("module", "files", "name", "path")] if isinstance(entry, dict) else []
    return str(next(filter(None, about), number))


def plain_text(value: object) -> str:
    """A value as most formats write it."""
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)


@dataclass(frozen=True, slots=True)
class XmlStep:
    """The beginning of an element, with its attributes, or its end, with the text before that.

    ``path`` has the names of the nearest elements around it and its own.
    """

    path: tuple[str, ...]
    attributes: dict[str, str] | None
    text: str = ""

    @property
    def name(self) -> str:
        return self.path[-1]


class _RefusedError(Exception):
    """The document declares entities, which no settings need."""


def read_xml(text: str) -> list[XmlStep]:
    """The elements of a document. What was read before it turned out to be broken or refused still counts."""
    steps: list[XmlStep] = []
    path: list[str] = []
    words: list[str] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        path.append(name)
        words.clear()
        steps.append(XmlStep(tuple(path[-_NEAREST:]), attributes))

    def end(_: str) -> None:
        steps.append(XmlStep(tuple(path[-_NEAREST:]), None, "".join(words).strip()))
        words.clear()
        path.pop()

    def add_text(data: str) -> None:
        if len(words) < _MOST_WORDS:
            words.append(data[:_LONGEST_WORD])

    parser = expat.ParserCreate(encoding="utf-8")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.EntityDeclHandler = add_text, _refuse
    with suppress(expat.ExpatError, _RefusedError, ValueError):
        parser.Parse(text.encode("utf-8", "replace"), True)
    return steps


def _refuse(*_: object) -> None:
    raise _RefusedError
