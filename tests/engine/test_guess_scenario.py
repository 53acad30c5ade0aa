"""How a project's tests are run is guessed from its baseline."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pytest

from assay.engine.coding.guess_scenario import DEFAULT_SCORERS, Guess, guess_scenario
from assay.engine.coding.guess_tests import Project
from assay.engine.coding.score import placed_checks

PYTEST = "python3 -m pytest -q -p no:cacheprovider --junitxml=.assay-report.xml"
NODE = (
    "node --test --test-reporter=junit --test-reporter-destination=.assay-report.xml"
    " --test-reporter=spec --test-reporter-destination=stdout"
)


@dataclass
class FakeTools:
    venv: str | None = None
    modules: tuple[str, ...] = ()
    present: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()

    def virtual_environment(self) -> str | None:
        return self.venv

    def has_module(self, venv: str | None, name: str) -> bool:
        assert venv == self.venv
        return name in self.modules

    def folders(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if name in self.present]

    def toolchain(self, program: str) -> list[str]:  # noqa: ARG002
        return list(self.outside)

    def has_program(self, name: str) -> bool:
        return name in self.programs


def guess(files: Mapping[str, str], tools: FakeTools | None = None) -> Guess:
    contents = {path: text.encode() for path, text in files.items()}
    return guess_scenario(Project(tuple(contents), contents.get), tools or FakeTools())


def script(test: object) -> str:
    return json.dumps({"scripts": {"test": test}})


@pytest.mark.parametrize(
    ("files", "tools", "command"),
    [
        ({"pyproject.toml": "[tool.pytest.ini_options]", "test_a.py": ""}, FakeTools(), PYTEST),
        (
            {"pytest.ini": "[pytest]", "src/a.py": "", "tests/test_a.py": ""},
            FakeTools(),
            f"PYTHONPATH=src {PYTEST}",
        ),
        ({"tests/test_a.py": "import pytest"}, FakeTools(), PYTEST),
        ({"tests/test_a.py": "import unittest"}, FakeTools(modules=("pytest",)), PYTEST),
        ({"tests/test_a.py": "import unittest"}, FakeTools(), "python3 -m unittest"),
        ({"pyproject.toml": "[[[", "setup.cfg": "[tool:pytest]", "a_test.py": ""}, FakeTools(), PYTEST),
        ({"package.json": script("node --test test/")}, FakeTools(), f"{NODE} test/"),
        ({"package.json": script("jest --ci")}, FakeTools(), "jest --ci"),
        (
            {"go.mod": "module a", "a_test.go": ""},
            FakeTools(),
            "GOCACHE=/tmp/go-cache GOFLAGS=-mod=mod go test ./...",
        ),
        ({"Cargo.toml": ""}, FakeTools(), "cargo test --offline"),
        ({"Makefile": "all:\n\ntest: all\n\tpytest"}, FakeTools(), "make test"),
        ({"Makefile": "check:\n\ttrue"}, FakeTools(), "make check"),
    ],
)
def test_the_command(files: Mapping[str, str], tools: FakeTools, command: str) -> None:
    found = guess(files, tools)
    assert found.scenario.scorers[0].config["command"] == command
    assert found.told[0].startswith(f"the tests are run with: {command} (")
    placed_checks(found.scenario, "guess")


@pytest.mark.parametrize(
    "files",
    [
        {"README.md": "x"},
        {"package.json": script('echo "Error: no test specified" && exit 1')},
        {"package.json": script(7)},
        {"package.json": "[[["},
        {"go.mod": "module a"},
    ],
)
def test_without_tests_there_is_no_command(files: Mapping[str, str]) -> None:
    found = guess(files)
    assert [scorer.type for scorer in found.scenario.scorers] == list(DEFAULT_SCORERS)
    assert found.told[0] == "no tests were found, so none are run"


def test_what_the_tests_see_is_told() -> None:
    found = guess({"test_a.py": "import pytest"}, FakeTools(venv=".venv"))
    assert found.scenario.environment.venv == ".venv"
    assert found.told[1] == "the tests see .venv, read-only; nothing in there is compared or scored"
    found = guess({"package.json": script("jest")}, FakeTools(present=("node_modules",), outside=("/n",)))
    assert found.scenario.environment.folders == ["node_modules", "/n"]
