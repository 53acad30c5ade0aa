"""Which functions and lines tests run, as far as the runner can be asked.

pytest can be asked for each test. Of ``node --test`` it is known for all tests together: a line that none of them
runs isn't worth a mutant. Other runners aren't asked.

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
_NODE = re.compile(r"(?<![\w./-])node\s++(?:(?!--test(?![\w-]))--?[\w-]++(?:=\S++)?\s++)*+--test(?![\w-])")
_JAVASCRIPT = (".js", ".mjs", ".cjs")
_ANSWER = "reached.json"
_NODE_TEXT = files("assay.detectors.effects").joinpath("drivers/node_lines.cjs")
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

    def can_reach(self, path: str) -> bool:
        """Whether a mutant in a file may be reached."""
        return any(path == called for reached in self.tests.values() for called, _ in reached.calls)

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
class Lines:
    """The lines of JavaScript that any test runs, by file. Nothing is known of other files."""

    lines: Mapping[str, frozenset[int]]

    def can_reach(self, path: str) -> bool:
        return path in self.lines or not path.endswith(_JAVASCRIPT)

    def has(self, mutant: Mutant) -> bool:
        known = self.lines.get(mutant.path)
        if known is None:
            return self.can_reach(mutant.path)
        return not known.isdisjoint(range(mutant.first, mutant.last + 1))


@dataclass(frozen=True, slots=True)
class NodeWatch:
    """Has V8 count what runs, in a folder whose name nobody knows before, and sums it up at the end."""

    folder: str

    @property
    def answer(self) -> str:
        return f"{self.folder}/{_ANSWER}"

    def setting(self) -> str:
        """The words before the command."""
        told = f'"$ASSAY_AT/lines.cjs" "$ASSAY_AT/counts" "${{ASSAY_AT%/*}}" "$ASSAY_AT/{_ANSWER}"'
        return (
            f'ASSAY_AT="$PWD/{self.folder}"; export NODE_V8_COVERAGE="$ASSAY_AT/counts"; '
            f"trap 'unset NODE_V8_COVERAGE; node {told} > /dev/null 2>&1' EXIT; "
        )

    def on(self, tree: Tree) -> Tree:
        added = {f"{self.folder}/lines.cjs": _NODE_TEXT.read_bytes()}
        return Tree(tree.side, tree.swapped, tree.without, {**tree.files, **added})


@dataclass(frozen=True, slots=True)
class Watch:
    """The plugin in a folder of its own, whose name nobody knows before."""

    folder: str

    @property
    def answer(self) -> str:
        return f"{self.folder}/{_ANSWER}"

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


def runs_node(command: str) -> bool:
    """Whether a command runs node's own test runner by its name."""
    return _NODE.search(command) is not None


def read_lines(data: bytes | None) -> Lines | None:
    """What was summed up for node; None if there is nothing, or something else."""
    try:
        found = json.loads(data or b"")
        lines = {str(path): frozenset(map(int, numbers)) for path, numbers in found.items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    return Lines(lines) if lines else None


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
