"""Settings of any format as a flat table: ``compilerOptions.strict`` to its values, all of them texts."""

import json
import re
from collections.abc import Callable

from assay.detectors.settings.settings_text import Flat, flat, ini, load_yaml, read_xml, toml

_STRINGS_AND_COMMENTS = re.compile(r'"(?:[^"\\\n]|\\.)*+"|//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)')
_TRAILING = re.compile(r",(?=\s*+[\]}])")
_RULE = re.compile(
    r"[\"']?(@?[A-Za-z][\w@/-]{1,80})[\"']?\s{0,4}:\s{0,4}\[?\s{0,4}(?:[\"'](off|warn|error)[\"']|([012])\b)"
)
_IGNORES = re.compile(
    r"\bignores?(?:Patterns)?[\"']?\s{0,4}:\s{0,4}\[([^\]]{0,4000})\]|globalIgnores\(\s{0,4}\[([^\]]{0,4000})\]"
)
_TEXT = re.compile(r"[\"'`]([^\"'`\n]{1,300})[\"'`]")
_SEPARATORS = re.compile(r"[,\s]+")


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
    for step in read_xml(text):
        levels = {key: value for key, value in (step.attributes or {}).items() if key in ("errorLevel", "level")}
        for name, value in {**levels, step.name: step.text}.items():
            if value:
                found.setdefault(name, []).append(value.lower())
    return found


def of_nested_xml(text: str) -> Flat:
    """Elements and attributes by the names of the nearest elements around them."""
    found: dict[str, list[str]] = {}
    for step in read_xml(text):
        for names, value in (
            ((), step.text),
            *(((name,), value) for name, value in (step.attributes or {}).items()),
        ):
            if value:
                found.setdefault(".".join((*step.path, *names)), []).append(value.removeprefix("./"))
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


Read = Callable[[str], Flat]
