"""tox, coverage, nox and ``collect_ignore``: the settings around pytest."""

import ast
import re
from collections.abc import Iterator, Mapping

from assay.detectors.settings.commands import command_changes
from assay.detectors.settings.patterns import excluded
from assay.detectors.settings.settings_text import ini, table, toml
from assay.detectors.settings.weakening import Weakening, line_of, weakening, weakenings

_TASK_TOOLS = ("hatch", "poe", "pdm", "taskipy", "rye", "uv", "pixi", "invoke")
_IGNORED = ("ignore_outcome", "ignore_errors")


def tox(name: str, before: str | None, after: str | None) -> Iterator[Weakening]:
    """Commands of tox, in its own file or in pyproject.toml."""
    old, new = _environments(name, before or ""), _environments(name, after or "")
    for section, settings in new.items():
        earlier = old.get(section, {})
        if old and section in old:
            was, now = earlier.get("commands", ""), settings.get("commands", "")
            yield from weakenings(command_changes(was, now, is_test=False), after or "", was)
            yield from _dashes(was, now, after or "")
        for key in _IGNORED:
            if settings.get(key, "").lower() == "true" and earlier.get(key, "").lower() != "true":
                yield weakening("failure_ignored", after or "", key, earlier.get(key), f"{key} = true")


def tasks(before: str | None, after: str | None) -> Iterator[Weakening]:
    """Commands that pyproject.toml gives names, for hatch, poe, pdm, taskipy and others."""
    old, new = _tasks(before or ""), _tasks(after or "")
    for name, command in new.items():
        if name in old and command != old[name]:
            last = name.rpartition(".")[2]
            changes = command_changes(old[name], command, is_test="test" in last)
            yield from weakenings(changes, after or "", old[name], last)


def _tasks(text: str) -> dict[str, str]:
    tool = table(toml(text), "tool") or {}
    found: dict[str, str] = {}
    waiting: list[tuple[str, object]] = [(name, tool[name]) for name in _TASK_TOOLS if name in tool]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(f"{path}.{key}", inner) for key, inner in value.items()]
        elif ".scripts." in path or ".tasks." in path:
            found[path] = _flat(value)
    return found


def collect_ignore(before: str, after: str, tests: tuple[str, ...]) -> Iterator[Weakening]:
    """Lists in a conftest.py of what not to collect."""
    old, new = _ignored(before), _ignored(after)
    for name, patterns in new.items():
        if fresh := excluded(old.get(name, []), patterns, tests):
            yield Weakening(
                "tests_excluded", line_of(after, name), " ".join(old.get(name, [])) or None, " ".join(fresh)
            )


def _environments(name: str, text: str) -> Mapping[str, dict[str, str]]:
    """The environments of tox with their settings."""
    if name.endswith(".toml"):
        return _toml_environments(toml(text))
    parsed = ini(text)
    if parsed is None:
        return {}
    sections = [section for section in parsed.sections() if section.startswith("testenv")]
    return {section: {key: value or "" for key, value in parsed.items(section)} for section in sections}


def _toml_environments(settings: dict[str, object] | None) -> Mapping[str, dict[str, str]]:
    legacy = (table(settings, "tool", "tox") or {}).get("legacy_tox_ini")
    if isinstance(legacy, str):
        return _environments("tox.ini", legacy)
    native = table(settings, "tool", "tox", "env") or table(settings, "env") or {}
    base = table(settings, "tool", "tox", "env_run_base") or table(settings, "env_run_base")
    environments = {**native, **({"base": base} if base else {})}
    return {
        name: {key: _flat(value) for key, value in environment.items()}
        for name, environment in environments.items()
        if isinstance(environment, dict)
    }


def _flat(value: object) -> str:
    if isinstance(value, list):
        return "\n".join(" ".join(map(str, item)) if isinstance(item, list) else str(item) for item in value)
    return str(value)


def _dashes(before: str, after: str, text: str) -> Iterator[Weakening]:
    """``- pytest``: tox goes on whatever the command says."""
    known = {"".join(line.split()) for line in before.split("\n")}
    for line in after.split("\n"):
        if re.match(r"\s*-\s", line) and "".join(line.split()) not in known:
            yield weakening("failure_ignored", text, line.strip(), line.strip().lstrip("- "), line.strip())


def demanded_coverage(name: str, text: str) -> float | None:
    """The coverage that a file demands, in percent."""
    value: object = None
    if name.endswith(".toml"):
        value = (table(toml(text), "tool", "coverage", "report") or {}).get("fail_under")
    elif (parsed := ini(text)) is not None:
        for section in ("report", "coverage:report"):
            if parsed.has_section(section):
                value = parsed.get(section, "fail_under", fallback=value)
    try:
        return float(str(value)) if value is not None else None
    except ValueError:
        return None


def _ignored(text: str) -> dict[str, list[str]]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[str, list[str]] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            if names and names[0] in ("collect_ignore", "collect_ignore_glob"):
                texts = [
                    part.value
                    for part in ast.walk(node.value)
                    if isinstance(part, ast.Constant) and isinstance(part.value, str)
                ]
                found.setdefault(names[0], []).extend(texts)
    return found
