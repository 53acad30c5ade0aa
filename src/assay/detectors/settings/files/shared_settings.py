"""The runner's part of files that hold more than that: pyproject.toml, setup.cfg, package.json, and the entry
points of an installed package.

An agent may have to add a dependency, so such a file can't be put back as a whole; but what it says to the runner
may be put back as it was, in a copy that only the tests see. The result is read again before it is believed: where
the runner would not find exactly what the baseline said, the whole file is the baseline's.
"""

import configparser
import json
import re
import tomllib
from collections.abc import Callable, Mapping
from functools import partial

_TOML_TABLES = ("pytest", "coverage", "tox", "nose2")
# A package tells pytest by these of the plugins that it brings.
_PLUGINS = ("project", "entry-points", "pytest11")
_INI_SECTIONS = re.compile(
    r"(?:tool:)?pytest|coverage(?::\w+)?|tox(?::\w+)?|testenv(?::.*)?|nosetests|aliases|pytest11"
)
_JSON_KEYS = ("jest", "vitest", "mocha", "ava", "tap", "nyc", "c8", "karma", "jasmine")
_TEST_SCRIPT = re.compile(r"(?:pre|post)?(?:test|coverage|check|ci|unit|e2e|spec)(?:[:\-_.]\S*)?")
_HEADER = re.compile(r"[ \t]*+\[++([^\[\]\n]++)\]++[ \t]*+(?:[#;].*)?$")

Settings = Mapping[str, object]


def holds_settings(path: str) -> bool:
    """Whether a file may hold settings of a runner among others."""
    return path.rsplit("/", 1)[-1] in _KINDS


def with_runner_settings(path: str, now: bytes, baseline: bytes | None) -> bytes | None:
    """A file as it is now, with what it said to the runner at the baseline; None where there is nothing to keep.

    ``baseline`` is None where the file was not there. A file that can't be read is the baseline's.
    """
    read, replaced = _KINDS[path.rsplit("/", 1)[-1]]
    try:
        old, new = (baseline or b"").decode(), now.decode()
        wanted = read(old)
        if read(new) == wanted:
            return now
        result = replaced(new, old)
        return result.encode() if read(result) == wanted else baseline
    except (ValueError, RecursionError, configparser.Error):
        return baseline


def _toml(text: str) -> Settings:
    found = tomllib.loads(text)
    tool, plugins = found.get("tool", {}), found.get("project", {})
    for name in _PLUGINS[1:]:
        plugins = plugins.get(name, {}) if isinstance(plugins, dict) else {}
    told = {name: tool[name] for name in _TOML_TABLES if name in tool} if isinstance(tool, dict) else {}
    return {**told, "plugins": plugins} if plugins else told


def _is_toml(header: str) -> bool:
    parts = [part.strip().strip("\"'") for part in header.split(".")]
    return parts == list(_PLUGINS) or (parts[0] == "tool" and parts[1:2] != [] and parts[1] in _TOML_TABLES)


def _ini(text: str) -> Settings:
    parser = configparser.RawConfigParser(strict=False)
    parser.read_string(text)
    return {name: dict(parser.items(name)) for name in parser.sections() if _is_ini(name)}


def _is_ini(header: str) -> bool:
    return _INI_SECTIONS.fullmatch(header) is not None


def _with_sections(chosen: Callable[[str], bool], now: str, old: str) -> str:
    """A file as it is now, with the chosen sections of the old one."""
    return _sections(now, chosen, keep=False) + "\n" + _sections(old, chosen, keep=True)


def _sections(text: str, chosen: Callable[[str], bool], *, keep: bool) -> str:
    """The sections that are chosen, or all others with what stands before the first."""
    kept: list[str] = []
    within = False
    for line in text.split("\n"):
        header = _HEADER.match(line)
        if header is not None:
            within = chosen(header[1].strip(" \t"))
        if within is keep:
            kept.append(line)
    return "\n".join(kept)


def _json(text: str) -> Settings:
    found = _object(text)
    scripts = found.get("scripts")
    told = {name: found[name] for name in _JSON_KEYS if name in found}
    if isinstance(scripts, dict):
        told |= {f"scripts {name}": value for name, value in scripts.items() if _TEST_SCRIPT.fullmatch(name)}
    return told


def _object(text: str) -> dict[str, object]:
    found = json.loads(text) if text.strip() else {}
    return found if isinstance(found, dict) else {}


def _json_replaced(now: str, old: str) -> str:
    result, before = _object(now), _object(old)
    for name in _JSON_KEYS:
        result.pop(name, None)
    result |= {name: before[name] for name in _JSON_KEYS if name in before}
    scripts = [each if isinstance(each, dict) else {} for each in (result.get("scripts"), before.get("scripts"))]
    merged = {name: value for name, value in scripts[0].items() if not _TEST_SCRIPT.fullmatch(name)}
    merged |= {name: value for name, value in scripts[1].items() if _TEST_SCRIPT.fullmatch(name)}
    return json.dumps({**result, "scripts": merged}, indent=2) + "\n"


_KINDS: dict[str, tuple[Callable[[str], Settings], Callable[[str, str], str]]] = {
    "pyproject.toml": (_toml, partial(_with_sections, _is_toml)),
    "setup.cfg": (_ini, partial(_with_sections, _is_ini)),
    "entry_points.txt": (_ini, partial(_with_sections, _is_ini)),
    "package.json": (_json, _json_replaced),
}
