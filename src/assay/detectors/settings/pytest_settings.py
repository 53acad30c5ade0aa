"""The settings that pytest takes from a folder's files, and what makes them weaker."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping

from assay.detectors.settings.commands import option_changes
from assay.detectors.settings.patterns import excluded, is_specific, not_included
from assay.detectors.settings.settings_text import ini, plain_text, table, toml
from assay.detectors.settings.weakening import Weakening, weakening, weakenings

# In the order in which pytest looks; the first one that is meant for it wins.
FILES = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
_DEFAULTS = {
    "python_files": ["test_*.py", "*_test.py"],
    "python_classes": ["Test*"],
    "python_functions": ["test_*"],
}
_STRICT = ("xfail_strict", "strict_xfail", "strict")
"""What fails a test that was expected to fail and does not: by its old name, its new one, or among others."""
Settings = Mapping[str, list[str]]
Read = Callable[[str], str | None]


def effective(read: Read) -> tuple[str, Settings]:
    """The file that counts and its settings, the values as lists. ``read`` gives a file's text by its name."""
    for name in FILES:
        text = read(name)
        settings = of_file(name, text) if text is not None else None
        if settings is not None:
            return name, settings
    return "", {}


def of_file(name: str, text: str) -> Settings | None:
    """pytest's settings in one file; None where it has none and is not pytest's own."""
    if name.endswith(".toml"):
        return _of_toml(name, text)
    section = "tool:pytest" if name == "setup.cfg" else "pytest"
    parsed = ini(text)
    if parsed is None or not parsed.has_section(section):
        return {} if name in ("pytest.ini", ".pytest.ini") else None
    return {key: _listed(key, value or "") for key, value in parsed.items(section)}


def compare(before: Settings, after: Settings, text: str, tests: tuple[str, ...]) -> Iterator[Weakening]:
    """The weakenings. ``text`` is the later file, for its lines; ``tests`` the baseline's tests below the
    folder.
    """
    options = option_changes(" ".join(before.get("addopts", [])), " ".join(after.get("addopts", [])))
    yield from weakenings(options, text, before.get("addopts"), "addopts")
    yield from _paths(before, after, text, tests)
    for key in ("norecursedirs", "collect_ignore", "collect_ignore_glob"):
        if fresh := excluded(before.get(key, []), after.get(key, []), tests):
            yield weakening("tests_excluded", text, key, before.get(key), fresh)
    for key, default in _DEFAULTS.items():
        if lost := not_included(_prefixes(key, before, default), _prefixes(key, after, default)):
            yield weakening("tests_not_collected", text, key, lost, after.get(key))
    yield from _warnings(before, after, text)
    if any(_on(before, key) for key in _STRICT) and not any(_on(after, key) for key in _STRICT):
        yield weakening("strictness_removed", text, "xfail_strict", "true", after.get("xfail_strict"))
    for key in ("reruns", "retries", "flaky_retries"):
        if after.get(key) and before.get(key) != after.get(key):
            yield weakening("retried", text, key, before.get(key), after.get(key))


def _of_toml(name: str, text: str) -> Settings | None:
    parsed = toml(text)
    if name != "pyproject.toml":
        found = table(parsed, "pytest")
        return {key: _values(key, value) for key, value in (found or {}).items()}
    found = table(parsed, "tool", "pytest", "ini_options") or table(parsed, "tool", "pytest")
    return {key: _values(key, value) for key, value in found.items()} if found is not None else None


def _values(key: str, value: object) -> list[str]:
    if isinstance(value, list):
        return [str(item) for item in value]
    return _listed(key, plain_text(value))


def _listed(key: str, value: str) -> list[str]:
    if key in ("filterwarnings", "markers"):
        return [line.strip() for line in value.split("\n") if line.strip()]
    try:
        return shlex.split(value, comments=key == "addopts")
    except ValueError:
        return value.split()


def _paths(before: Settings, after: Settings, text: str, tests: tuple[str, ...]) -> Iterator[Weakening]:
    old, new = before.get("testpaths", []), after.get("testpaths", [])
    if not new or old == new:
        return
    if old:
        lost = not_included(old, new)
    else:
        lost = [path for path in tests if not _below(path, new)][:5] or [path for path in new if is_specific(path)]
    if lost:
        yield weakening("tests_not_collected", text, "testpaths", old or lost, new)


def _below(path: str, folders: list[str]) -> bool:
    return any(
        folder in (".", "")
        or path == folder
        or path.startswith(folder.strip("./").rstrip("/") + "/")
        or "*" in folder
        for folder in folders
    )


def _warnings(before: Settings, after: Settings, text: str) -> Iterator[Weakening]:
    """Warnings that were errors and are none any more. Leaving out single ones is a common need."""
    was = [line for line in before.get("filterwarnings", []) if re.match(r"error\b", line)]
    now = after.get("filterwarnings", [])
    if was and (not any(re.match(r"error\b", line) for line in now) or "ignore" in now):
        yield weakening("strictness_removed", text, "filterwarnings", was, now)


def _prefixes(key: str, settings: Settings, default: list[str]) -> list[str]:
    """A name without a wildcard is the beginning of names, except for files."""
    found = settings.get(key, default)
    return (
        found if key == "python_files" else [name if re.search(r"[*?\[]", name) else f"{name}*" for name in found]
    )


def _on(settings: Settings, key: str) -> bool:
    return bool(settings.get(key)) and settings[key][0].lower() in ("true", "1", "yes", "on")
