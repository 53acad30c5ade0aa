"""pytest and unittest: each test by itself, with the lines that it runs."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.detectors.effects.asking import driver_text
from assay.detectors.effects.reach import Calls, Reach
from assay.detectors.effects.suite import SuiteResult
from assay.detectors.effects.watch.model import WatchQuestion, Way, on_top
from assay.evidence.workspace import Tree
from assay.formats.test_reports.model import uniform

_PYTEST = re.compile(r"(?<![\w./-])(?:py\.?test|-m\s+pytest)(?![\w-])")
_UNITTEST = re.compile(r"(?<![\w./-])-m\s+unittest(?![\w-])")
_TRACER = "python_reach.py"


@dataclass(frozen=True, slots=True)
class PythonWatch:
    """``text`` is loaded as the module ``name``, because of ``loading`` or by its name alone."""

    folder: str
    name: str
    text: bytes
    loading: str = ""

    chooses = "those that reach the mutant"
    is_light = False
    is_proven = True
    forks = True

    @property
    def answer(self) -> str:
        return f"{self.folder}/reached.json"

    def noting(self, tree: Tree, wanted: bytes | None = None) -> Way:
        way = Way(self._with(tree), self._setting) if wanted is None else self._only(tree, wanted)
        return Way(way.tree, f'{way.setting}export ASSAY_TO="$PWD/{self.answer}"; ', (self.answer,))

    def choosing(self, tree: Tree, choices: list[str], reach: Reach) -> Way:  # noqa: ARG002 - as all of them
        return self._only(tree, self.wanted(choices))

    def wanted(self, choices: Sequence[str] = (), files: Sequence[str] = (), others: Sequence[str] = ()) -> bytes:  # noqa: ARG002
        return json.dumps({"names": choices, "files": files}).encode()

    def each(self, tree: Tree) -> Way:
        return Way(self._with(tree), f'{self._setting}export ASSAY_EACH="$PWD/{self.folder}"; ')

    def _only(self, tree: Tree, wanted: bytes) -> Way:
        there = f"{self.folder}/only.json"
        return Way(on_top(self._with(tree), {there: wanted}), f'{self._setting}export ASSAY_ONLY="$PWD/{there}"; ')

    def read(self, ran: SuiteResult) -> Reach | None:
        return read_calls(ran.files.get(self.answer))

    @property
    def _setting(self) -> str:
        return f'export PYTHONPATH="$PWD/{self.folder}${{PYTHONPATH:+:$PYTHONPATH}}"{self.loading}; '

    def _with(self, tree: Tree) -> Tree:
        return on_top(tree, {f"{self.folder}/{self.name}.py": self.text})


def pytest_watch(asked: WatchQuestion) -> PythonWatch | None:
    """If a command runs pytest by its name."""
    if _PYTEST.search(asked.suite.command) is None:
        return None
    name = f"plugin_{asked.folder.lstrip('.')}"
    return PythonWatch(asked.folder, name, driver_text(_TRACER, "pytest_reach.py"), f" PYTEST_PLUGINS={name}")


def unittest_watch(asked: WatchQuestion) -> PythonWatch | None:
    """If a command runs unittest as a module, which then loads what every Python loads first."""
    if _UNITTEST.search(asked.suite.command) is None:
        return None
    return PythonWatch(asked.folder, "sitecustomize", driver_text(_TRACER, "unittest_reach.py"))


def read_calls(data: bytes | None) -> Reach | None:
    """Read a driver's notes; None if there is nothing, or something else."""
    try:
        found = json.loads(data or b"")
        tests = {str(name): _calls(told) for name, told in found.items()}
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None
    if not any(one.calls for one in tests.values()):
        return None
    return Reach(tests, {name: frozenset({uniform(name)}) for name in tests})


def _calls(told: Any) -> Calls:
    calls = {(str(path), int(line)): bool(whole) for path, line, whole in told["calls"]}
    lines = {str(path): frozenset(map(int, numbers)) for path, numbers in told["lines"].items()}
    return Calls(calls, lines)
