"""Settings of any format as a flat table: ``compilerOptions.strict`` to its values, all of them texts."""

import json
import re
from collections.abc import Callable, Mapping

from assay.detectors.runner_config.pytest_settings import ini, toml
from assay.detectors.runner_config.yaml_text import load_yaml

Flat = Mapping[str, list[str]]

_STRINGS_AND_COMMENTS = re.compile(r'"(?:[^"\\\n]|\\.)*+"|//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)')
_TRAILING = re.compile(r",(?=\s*+[\]}])")
_RULE = re.compile(
    r"[\"']?(@?[A-Za-z][\w@/-]{1,80})[\"']?\s{0,4}:\s{0,4}\[?\s{0,4}(?:[\"'](off|warn|error)[\"']|([012])\b)"
)
_IGNORES = re.compile(
    r"\bignores?(?:Patterns)?[\"']?\s{0,4}:\s{0,4}\[([^\]]{0,4000})\]|globalIgnores\(\s{0,4}\[([^\]]{0,4000})\]"
)
_TEXT = re.compile(r"[\"'`]([^\"'`\n]{1,300})[\"'`]")
_ELEMENT = re.compile(r"<([A-Za-z][\w.]{0,80})>\s{0,40}([^<>\n]{1,200}?)\s{0,40}</")
_ATTRIBUTE = re.compile(r"\b(errorLevel|level)=\"(\d+)\"")
_SEPARATORS = re.compile(r"[,\s]+")
_MOST, _DEEPEST = 20_000, 12


def of_json(text: str) -> Flat:
    """JSON that may have comments and commas too many, as tsconfig.json has them."""
    plain = _STRINGS_AND_COMMENTS.sub(lambda found: found[0] if found[0][0] == '"' else " ", text)
    try:
        return flat(json.loads(_TRAILING.sub("", plain) or "{}"))
    except (ValueError, RecursionError):
        return {}


def of_toml(text: str) -> Flat:
    return flat(toml(text) or {})


def of_yaml(text: str) -> Flat:
    documents = load_yaml(text.replace("\t", "    "))
    return flat(documents[0] if documents else {})


def of_golangci(text: str) -> Flat:
    """Its second version has formatters by themselves, and three linters in one."""
    found = dict(of_yaml(text))
    chosen = [*found.get("linters.enable", []), *found.get("formatters.enable", [])]
    if found.get("version") == ["2"] and "staticcheck" in chosen:
        chosen += ["gosimple", "stylecheck"]
    return {**found, "linters.enable": chosen} if chosen else found


def of_ini(text: str) -> Flat:
    """Values with commas or lines are lists."""
    return {
        f"{section}.{key}": [part for part in _SEPARATORS.split((value or "").strip()) if part]
        for section, settings in (ini(text) or {}).items()
        for key, value in settings.items()
    }


def of_xml(text: str) -> Flat:
    found: dict[str, list[str]] = {}
    for name, value in (*_ELEMENT.findall(text), *_ATTRIBUTE.findall(text)):
        found.setdefault(name, []).append(value.lower())
    return found


def of_code(text: str) -> Flat:
    """A configuration of ESLint's that is written as code: the rules and what is ignored."""
    plain = re.sub(r"(?m)^[ \t]*//[^\n]*", "", text)
    found = {f"rules.{name}": [word or number] for name, word, number in _RULE.findall(plain)}
    ignored = [one for pair in _IGNORES.findall(plain) for one in _TEXT.findall("".join(pair))]
    return {**found, "ignores": ignored}


def of_lines(text: str) -> Flat:
    """A list of patterns, one a line."""
    return {"lines": [line.strip() for line in text.split("\n") if line.strip() and not line.startswith("#")]}


def flat(document: object) -> Flat:
    """A nested document as a flat table. Lists of texts are values; other lists are numbered."""
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
            found[path] = [_text(one) for one in value if not isinstance(one, dict | list)]
        elif not isinstance(value, dict):
            found[path] = [_text(value)]
    return found


def _title(entry: object, number: int) -> str:
    """A list's entry by what it is about, so that another place makes it no other."""
    about = [entry.get(key) for key in ("module", "files", "path", "name")] if isinstance(entry, dict) else []
    return str(next(filter(None, about), number))


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)


Read = Callable[[str], Flat]
