"""Which functions each test calls, as far as the runner can be asked: so far pytest can.

The answer comes from a process that runs the agent's code. It only decides which tests are run on which mutant; a
wrong one makes a mutant look unnoticed on both sides, or costs time.
"""

import json
import re
from dataclasses import dataclass, field
from importlib.resources import files

from assay.evidence.workspace import Tree
from assay.formats.test_reports.model import uniform

_PYTEST = re.compile(r"(?<![\w./-])(?:py\.?test|-m\s+pytest)(?![\w-])")
_TEXT = files("assay.detectors.effects").joinpath("drivers/pytest_reach.py")


@dataclass(frozen=True, slots=True)
class Reach:
    """By the name of a test as the runner takes it, the functions that it calls: a path and a line each."""

    tests: dict[str, frozenset[tuple[str, int]]] = field(default_factory=dict)

    def functions(self) -> frozenset[tuple[str, int]]:
        return frozenset[tuple[str, int]]().union(*self.tests.values())

    def calling(self, path: str, line: int, among: frozenset[str]) -> list[str]:
        """The tests, out of those that passed, that call a function."""
        return sorted(
            name for name, called in self.tests.items() if (path, line) in called and uniform(name) in among
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
        tests = {
            str(name): frozenset((str(path), int(line)) for path, line in called) for name, called in found.items()
        }
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    return Reach(tests) if any(tests.values()) else None
