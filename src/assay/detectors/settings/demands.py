"""Demands on a setting, by what is weaker: the words that the table of tools is written in."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from assay.detectors.settings.patterns import excluded, is_specific, not_included
from assay.detectors.settings.settings_text import Flat

_TRUE = frozenset(("true", "yes", "1", "on", "enable", "error"))
_BROAD = re.compile(r"ALL|all|[A-Z]{1,4}|\*|#\.\*#|~\.\*~")
# To leave tests out of a build is what many do.
_TESTS = re.compile(r"tests?\b|spec|stories|__\w+__")
_NUMBERS = {"0": "off", "1": "warn", "2": "error", "false": "none", "true": "error"}
_USUAL_ROOT = re.compile(r"src|test|spec|lib|app|packages|<rootDir>/?$|^\./?$")
_USUAL_ENDINGS = ("Test.php", ".php")
_LOCAL = (".", "/", "<rootDir>")


@dataclass(frozen=True, slots=True)
class SettingChange:
    """One setting's values; ``settings`` are all of those after. ``had``: there was such a file before."""

    was: list[str]
    now: list[str]
    settings: Flat
    had: bool = True


Weaker = Callable[[SettingChange], list[str] | None]


@dataclass(frozen=True, slots=True)
class SettingDemand:
    """``weaker`` gives the values of a key that are weaker than before; nothing where they are as strict."""

    keys: str
    weaker: Weaker
    rule: str

    def is_on(self, key: str) -> bool:
        return _is(self.keys, key)


def demand(keys: str | Iterable[str], weaker: Weaker, rule: str = "checker_weakened") -> SettingDemand:
    """A demand on keys: a pattern of whole ones, or all of their names."""
    pattern = keys if isinstance(keys, str) else "|".join(map(re.escape, sorted(keys)))
    return SettingDemand(pattern, weaker, rule)


def _is(pattern: str, key: str) -> bool:
    return re.fullmatch(pattern, key) is not None


def stays_on(change: SettingChange) -> list[str] | None:
    """A setting that is gone may be part of a setting for everything, or stand in a file that this one extends."""
    if not _is_on(change.was) or _is_on(change.now):
        return None
    strict = next((values for key, values in change.settings.items() if key.rpartition(".")[2] == "strict"), [])
    implied = not change.now and (_is_on(strict) or "extends" in change.settings)
    return None if implied else change.now or ["(gone)"]


def stays_off(change: SettingChange) -> list[str] | None:
    return change.now if _is_on(change.now) and not _is_on(change.was) else None


def is_not_disabled(change: SettingChange) -> list[str] | None:
    """Unlike ``stays_on``, true is what counts where nothing was said."""
    disabled = change.now[:1] == ["false"] or (bool(change.was) and not change.now)
    return change.now if disabled and change.was[:1] != ["false"] else None


def keeps_all(change: SettingChange) -> list[str] | None:
    """Nothing that was selected may go, unless something broader comes."""
    lost = [one for one in change.was if not any(_covers(other, one) for other in change.now)]
    return [f"without {' '.join(lost)}"] if lost else None


def adds_nothing(change: SettingChange) -> list[str] | None:
    return [one for one in change.now if one not in change.was]


def ignores_nothing_broad(change: SettingChange) -> list[str] | None:
    return [one for one in change.now if one not in change.was and _BROAD.fullmatch(one)]


def excludes_no_code(change: SettingChange) -> list[str] | None:
    return [one for one in excluded(change.was, change.now) if not _TESTS.search(one)]


def excludes_no_tests(change: SettingChange) -> list[str] | None:
    return excluded(change.was, change.now)


def collects_as_much(change: SettingChange) -> list[str] | None:
    less = not_included(change.was, change.now) if change.was else all(map(is_specific, change.now))
    return change.now if less else None


def keeps_roots(change: SettingChange) -> list[str] | None:
    unusual = not any(map(_USUAL_ROOT.search, change.now))
    return change.now if unusual else collects_as_much(change)


def selects_nothing(change: SettingChange) -> list[str] | None:
    return change.now if change.now != ["false"] else None


def keeps_folders(change: SettingChange) -> list[str] | None:
    """No folder may go where nothing new is there but parts of it."""
    gone, fresh = set(change.was) - set(change.now), set(change.now) - set(change.was)
    parts = all(any(one.startswith(f"{path.rstrip('/')}/") for path in gone) for one in fresh)
    return change.now or ["(gone)"] if gone and parts else None


def adds_no_ending(change: SettingChange) -> list[str] | None:
    return [one for one in change.now if one not in (*change.was, *_USUAL_ENDINGS)]


def chooses_no_fewer(change: SettingChange) -> list[str] | None:
    return change.now if not change.was or set(change.was) - set(change.now) else None


def of_a_file(weaker: Weaker) -> Weaker:
    """Only where there was such a file, and is one still."""
    return lambda change: weaker(change) if change.had and change.settings else None


def takes_nothing_local(change: SettingChange) -> list[str] | None:
    """Programs of the workspace would take the place of a part of the runner itself."""
    return change.now if change.now and (change.now[0] == "true" or change.now[0].startswith(_LOCAL)) else None


def has_none_of(*values: str) -> Weaker:
    return lambda change: change.now if change.now[:1] and change.now[0] in values else None


def ranks(*levels: str) -> Weaker:
    """``levels`` are from the weakest to the strongest. A rule that is gone is as strict as the tool has it."""

    def weaker(change: SettingChange) -> list[str] | None:
        old, level = _rank(change.was, levels), _rank(change.now, levels)
        return change.now if level is not None and old is not None and level < old else None

    return weaker


def does_not_fall(change: SettingChange) -> list[str] | None:
    return change.now if change.was and change.now and _number(change.now) < _number(change.was) else None


def does_not_rise(change: SettingChange) -> list[str] | None:
    return change.now if change.was and change.now and _number(change.now) > _number(change.was) else None


def is_above(change: SettingChange) -> list[str] | None:
    """The largest number that was demanded; none is 0."""
    return change.now if change.was and _largest(change.now) < _largest(change.was) else None


def is_not_above(change: SettingChange) -> list[str] | None:
    return change.now if change.had and _largest(change.now) > _largest(change.was) else None


def _covers(chosen: str, other: str) -> bool:
    return chosen in ("ALL", "all") or other.startswith(chosen)


def _is_on(values: list[str]) -> bool:
    return values[:1] != [] and values[0].lower() in _TRUE


def _rank(values: list[str], levels: tuple[str, ...]) -> int | None:
    first = values[0].lower() if values else ""
    word = first if first in levels else _NUMBERS.get(first, first)
    return levels.index(word) if word in levels else None


def _number(values: list[str]) -> float:
    if values[0] == "max":
        return 99.0
    found = re.match(r"-?\d+(?:\.\d+)?", values[0])
    return float(found[0]) if found is not None else 0.0


def _largest(values: list[str]) -> float:
    found = re.findall(r"\d+(?:\.\d+)?", " ".join(values))
    return max(map(float, found), default=0.0)
