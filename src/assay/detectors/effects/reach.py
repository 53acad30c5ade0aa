"""Which functions and lines each test runs, as far as the runner can be asked: so far pytest can.

The answer comes from a process that runs the agent's code. It only decides which tests are run on which mutant; a
wrong one makes a mutant look unnoticed on both sides, or costs time.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from assay.detectors.effects.mutants import Mutant
from assay.evidence.workspace import Tree
from assay.formats.test_reports.model import uniform

_PYTEST = re.compile(r"(?<![\w./-])(?:py\.?test|-m\s+pytest)(?![\w-])")
_TEXT = files("assay.detectors.effects").joinpath("drivers/pytest_reach.py")


@dataclass(frozen=True, slots=True)
class Reached:
    """What a test runs: functions by path and line, with whether their lines are unknown, and lines of files."""

    calls: Mapping[tuple[str, int], bool]
    lines: Mapping[str, frozenset[int]]

    def has(self, mutant: Mutant) -> bool:
        whole = self.calls.get((mutant.path, mutant.function))
        if whole is None or whole:
            return bool(whole)
        known = self.lines.get(mutant.path, frozenset())
        return not known.isdisjoint(range(mutant.first, mutant.last + 1))


@dataclass(frozen=True, slots=True)
class Reach:
    """What each test runs, by its name as the runner takes it."""

    tests: Mapping[str, Reached]

    def paths(self) -> set[str]:
        return {path for reached in self.tests.values() for path, _ in reached.calls}

    def has(self, mutant: Mutant) -> bool:
        """Whether any test gets to a mutant."""
        return any(reached.has(mutant) for reached in self.tests.values())

    def reaching(self, mutant: Mutant, among: frozenset[str], surely: frozenset[str] = frozenset()) -> list[str]:
        """The tests out of some that get to a mutant, and those out of others whether they do or not."""
        return sorted(
            name
            for name, one in self.tests.items()
            if uniform(name) in surely or (uniform(name) in among and one.has(mutant))
        )


@dataclass(frozen=True, slots=True)
class Watch:
    """The plugin in a folder of its own, whose name nobody knows before."""

    folder: str

    @property
    def answer(self) -> str:
        return f"{self.folder}/reached.json"

    def setting(self, noting: bool) -> str:
        """The words before the command."""
        plugin = (
            f'export PYTHONPATH="$PWD/{self.folder}${{PYTHONPATH:+:$PYTHONPATH}}" PYTEST_PLUGINS={self._name}; '
        )
        if noting:
            return f'{plugin}export ASSAY_TO="$PWD/{self.answer}"; '
        return f'{plugin}export ASSAY_ONLY="$PWD/{self.folder}/only.json"; '

    def on(self, tree: Tree, only: list[str] | None = None) -> Tree:
        """The tree with the plugin, and with the names of the tests to run."""
        added = {f"{self.folder}/{self._name}.py": _TEXT.read_bytes()}
        if only is not None:
            added[f"{self.folder}/only.json"] = json.dumps(only).encode()
        return Tree(tree.side, tree.swapped, tree.without, {**tree.files, **added})

    @property
    def _name(self) -> str:
        return f"plugin_{self.folder.lstrip('.')}"


def can_be_watched(command: str) -> bool:
    """Whether a command runs pytest by its name."""
    return _PYTEST.search(command) is not None


def read_reach(data: bytes | None) -> Reach | None:
    """What the plugin wrote; None if there is nothing, or something else."""
    try:
        found = json.loads(data or b"")
        tests = {str(name): _reached(told) for name, told in found.items()}
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None
    return Reach(tests) if any(one.calls for one in tests.values()) else None


def _reached(told: Any) -> Reached:
    calls = {(str(path), int(line)): bool(whole) for path, line, whole in told["calls"]}
    lines = {str(path): frozenset(map(int, numbers)) for path, numbers in told["lines"].items()}
    return Reached(calls, lines)
