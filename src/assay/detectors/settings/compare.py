"""Settings of linters and type checkers that got weaker: strictness, levels, rules and what they leave out."""

import re
from collections.abc import Iterator

from assay.detectors.settings.patterns import excluded
from assay.detectors.settings.settings_text import Flat
from assay.detectors.settings.tools import TOOLS, Strictness, Tool
from assay.detectors.settings.weakening import Weakening, weakening

_TRUE = frozenset(("true", "yes", "1", "on", "enable", "error"))
_BROAD = re.compile(r"ALL|all|[A-Z]{1,4}|\*|#\.\*#|~\.\*~")
# To leave tests out of a build is what many do.
_TESTS = re.compile(r"tests?\b|spec|stories|__\w+__")
_NUMBERS = {"0": "off", "1": "warn", "2": "error", "false": "none", "true": "error"}


def tools_of(path: str) -> list[Tool]:
    return [tool for tool in TOOLS if tool.files.search(path)]


def settings_of(path: str, text: str | None) -> Flat:
    """All settings of the tools that a file is for."""
    return {key: values for tool in tools_of(path) for key, values in _own(tool, tool.read(text or "")).items()}


def weaker_settings(path: str, before: str | None, after: str | None, elsewhere: Flat) -> Iterator[Weakening]:
    """A file's settings that demand less than before. Settings that are all new weaken nothing.

    ``elsewhere`` has the settings of other changed files, where something that is gone here may be now.
    """
    if before is None:
        return
    for tool in tools_of(path):
        old, new = (_own(tool, tool.read(text or "")) for text in (before, after))
        for key in sorted({*old, *new}):
            was, now = old.get(key, []), new.get(key, elsewhere.get(key, []))
            if was != now and (weaker := _weaker(tool.demands, key, was, now, new)) is not None:
                yield weakening("checker_weakened", after or "", key.rpartition(".")[2], was, [f"{key}:", *weaker])


def _own(tool: Tool, settings: Flat) -> Flat:
    prefix = f"{tool.prefix}." if tool.prefix else ""
    return {key.removeprefix(prefix): values for key, values in settings.items() if key.startswith(prefix)}


def _weaker(demands: Strictness, key: str, was: list[str], now: list[str], new: Flat) -> list[str] | None:
    """The values that are weaker; None where a key is as strict as before."""
    if _is(demands.strict, key) and _is_on(was) and not _is_on(now):
        # What is gone may be part of a setting for everything, or stand in a file that this one extends.
        implied = not now and (_is_on(_of(new, "strict")) or "extends" in new)
        return None if implied else now or ["(gone)"]
    if _is(demands.lax, key) and _is_on(now) and not _is_on(was):
        return now
    lists = (
        (demands.excludes, _excluded),
        (demands.ignores, _ignored),
        (demands.disables, _added),
        (demands.selects, _unselected),
    )
    for pattern, weaker in lists:
        if _is(pattern, key):
            return weaker(was, now) or None
    return _lower(demands, key, was, now)


def _excluded(was: list[str], now: list[str]) -> list[str]:
    return [one for one in excluded(was, now) if not _TESTS.search(one)]


def _ignored(was: list[str], now: list[str]) -> list[str]:
    return [one for one in _added(was, now) if _BROAD.fullmatch(one)]


def _added(was: list[str], now: list[str]) -> list[str]:
    return [one for one in now if one not in was]


def _unselected(was: list[str], now: list[str]) -> list[str]:
    lost = [one for one in was if not any(_covers(other, one) for other in now)]
    return [f"without {' '.join(lost)}"] if lost else []


def _lower(demands: Strictness, key: str, was: list[str], now: list[str]) -> list[str] | None:
    for pattern, ranks in demands.levels:
        if _is(pattern, key) and was:
            old, level = _rank(was, ranks), _rank(now, ranks)
            # A rule that is gone is as strict as the tool has it.
            return now if level is not None and old is not None and level < old else None
    if _is(demands.numbers, key) and was and now:
        old_number, number = _number(was), _number(now)
        return now if (number > old_number if demands.rises else number < old_number) else None
    return None


def _covers(chosen: str, other: str) -> bool:
    return chosen in ("ALL", "all") or other.startswith(chosen)


def _is(pattern: str, key: str) -> bool:
    return bool(pattern) and re.fullmatch(pattern, key) is not None


def _is_on(values: list[str]) -> bool:
    return values[:1] != [] and values[0].lower() in _TRUE


def _of(settings: Flat, name: str) -> list[str]:
    return next((values for key, values in settings.items() if key.rpartition(".")[2] == name), [])


def _rank(values: list[str], ranks: tuple[str, ...]) -> int | None:
    first = values[0].lower() if values else ""
    word = first if first in ranks else _NUMBERS.get(first, first)
    return ranks.index(word) if word in ranks else None


def _number(values: list[str]) -> float:
    if values[0] == "max":
        return 99.0
    found = re.match(r"-?\d+(?:\.\d+)?", values[0])
    return float(found[0]) if found is not None else 0.0
