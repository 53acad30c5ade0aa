"""What a change around tests that lie in lines by their indentation can mean for them.

A new import or helper changes nothing about a test that doesn't name it. So the names that a change may have given
another meaning are collected, with everything that uses them; tests that use none of them say what they said.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

_WORD = re.compile(r"[A-Za-z_]\w*")
_FUNCTION = re.compile(r"(?:async[ ]+)?def[ ]+(\w+)")
_CLASS = re.compile(r"[ \t]*class[ ]+(\w+)")
_IMPORT = re.compile(r"import[ ]|from[ ]")
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)[ ]*(?::[^=\n]{1,200})?=(?!=)")
_CLOSER = re.compile(r"[)\]}]")
_QUOTES = re.compile(r'"""|\'\'\'')
# A runner calls or reads these without any test naming them.
_SPECIAL = re.compile(r"pytest|setup|set_up|teardown|tear_down|load_tests|collect_|__|run$|id$", re.IGNORECASE)
# What may have an effect on all tests when a module is imported.
_EFFECT = re.compile(
    r"skip|xfail|exit|pytest|unittest|mock|patch|exec|eval|compile|globals|locals|builtins|setattr|delattr|modules|"
    r"autouse|usefixtures|hook|plugin|(?<!name)(?<!file)__(?!name__|file__)|:=|\bos\b|\bsys\b"
)
_MOST_PAIRS = 4_000_000


@dataclass(frozen=True, slots=True)
class _Unit:
    """A statement of the module with its lines: an import, an assignment, a function, a class or anything else."""

    lines: tuple[str, ...]

    @property
    def words(self) -> frozenset[str]:
        return frozenset(word for line in self.lines for word in _WORD.findall(line))

    def names(self) -> frozenset[str] | None:
        """The names that it binds; None where it may mean something for tests that name none of them."""
        head = next((line for line in self.lines if not line.startswith("@")), "")
        if _IMPORT.match(head):
            return _imported(" ".join(line.partition("#")[0] for line in self.lines))
        function = _FUNCTION.match(head)
        if function is not None:
            return self._function(function[1], head)
        if _CLASS.match(head):
            return self._class()
        assigned = _ASSIGNED.match(head)
        if assigned is None or _SPECIAL.match(assigned[1]) or any(map(_EFFECT.search, self.lines)):
            return None
        return frozenset({assigned[1]})

    def _function(self, name: str, head: str) -> frozenset[str] | None:
        around = [line for line in self.lines if line.startswith("@")]
        if _SPECIAL.match(name) or any(map(_EFFECT.search, [*around, head])) or "autouse" in "".join(self.lines):
            return None
        return frozenset({name})

    def _class(self) -> frozenset[str] | None:
        """All classes in it, which their tests belong to."""
        if any("pytest.skip" in line or "allow_module_level" in line for line in self.lines):
            return None
        found = (_CLASS.match(line) for line in self.lines)
        return frozenset(one[1] for one in found if one is not None)


def _imported(text: str) -> frozenset[str] | None:
    """The names that an import binds; None for all names of a module, and for what changes the language."""
    if "*" in text or ";" in text or text.startswith("from __future__"):
        return None
    parts = text.rpartition(" import ")[2].removeprefix("import ").strip("() \t\\").split(",")
    words = [_WORD.findall(part) for part in parts]
    plain = text.startswith("import ")
    bound = (each[-1] if "as" in each or not plain else each[0] for each in words if each)
    return frozenset(bound)


def changed_meanings(before: Sequence[str], after: Sequence[str]) -> frozenset[str] | None:
    """The names that may mean something else now, given the lines around the tests; None if it can't be told."""
    old, new = list(_units(before)), list(_units(after))
    split = _split(old, new)
    if split is None:
        return None
    changed, common = split
    affected: set[str] = set()
    for unit in changed:
        names = unit.names()
        if names is None:
            return None
        affected |= names
    return _spread(affected, common)


def _spread(affected: set[str], common: list[_Unit]) -> frozenset[str] | None:
    """The names, and those of everything that uses them."""
    waiting = [(unit, unit.words) for unit in common] if affected else []
    grown = True
    while grown:
        grown = False
        for unit, words in waiting:
            if words.isdisjoint(affected):
                continue
            names = unit.names()
            if names is None:
                return None
            grown |= not names <= affected
            affected |= names
    return frozenset(affected)


def _split(old: list[_Unit], new: list[_Unit]) -> tuple[list[_Unit], list[_Unit]] | None:
    """The units that only one side has, and those of both; None where comparing takes too long."""
    if len(old) * len(new) > _MOST_PAIRS:
        return None
    changed: list[_Unit] = []
    common: list[_Unit] = []
    for kind, *at in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            common += old[at[0] : at[1]]
        else:
            changed += [*old[at[0] : at[1]], *new[at[2] : at[3]]]
    return changed, common


def _units(lines: Sequence[str]) -> Iterator[_Unit]:
    waiting: list[str] = []
    open_text = False
    for line in lines:
        begins = not open_text and line[:1] not in (" ", "\t") and not _CLOSER.match(line)
        if begins and line.startswith("#"):
            continue
        decorated = bool(waiting) and waiting[-1].startswith("@")
        if begins and waiting and not decorated:
            yield _Unit(tuple(waiting))
            waiting = []
        waiting.append(line)
        open_text ^= len(_QUOTES.findall(line)) % 2 == 1
    if waiting:
        yield _Unit(tuple(waiting))
