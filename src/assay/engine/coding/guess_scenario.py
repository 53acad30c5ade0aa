"""Guess a scenario for a repository that has none: how its tests are run, and which scorers fit every project.

Everything is read from the baseline, never from what the agent left: or the agent would choose its own tests.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Protocol

from assay.dialects.scorers.scenario import Environment, Scenario

REPORT = ".assay-report.xml"
DEFAULT_SCORERS = (
    "forbid_secrets",
    "no_new_skips",
    "assertions_not_weakened",
    "protected_config",
    "runner_tampering",
    "suspicious_source",
)
_PYTHON_TESTS = ("test_*.py", "*_test.py", "tests.py", "conftest.py")
_NODE_TEST = re.compile(r"^node\s+--test\b")
_PLACEHOLDER = "no test specified"
_LOOKED_AT = 200


class Tools(Protocol):
    """This machine's tools to run tests with."""

    def virtual_environment(self) -> str | None:
        """A virtual environment for the project's Python: a path, relative if it is in the repository."""

    def has_module(self, venv: str | None, name: str) -> bool:
        """Whether a module can be imported in a virtual environment, or in the system's Python."""

    def folders(self, names: Iterable[str]) -> list[str]:
        """Those of these folders that exist in the repository."""

    def toolchain(self, program: str) -> list[str]:
        """The folders that a program needs and that commands wouldn't see; empty if it is in the system."""


@dataclass(frozen=True, slots=True)
class Project:
    """The baseline of a project."""

    paths: tuple[str, ...]
    read: Callable[[str], bytes | None]

    def text(self, path: str) -> str:
        return (self.read(path) or b"").decode(errors="replace")

    def named(self, *patterns: str) -> list[str]:
        """The files whose name matches a pattern, those further up first."""
        found = [path for path in self.paths if any(fnmatchcase(path.rpartition("/")[2], one) for one in patterns)]
        return sorted(found, key=lambda path: (path.count("/"), path))


@dataclass(frozen=True, slots=True)
class Guess:
    """A scenario, and in words what it was guessed from."""

    scenario: Scenario
    told: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _TestCommand:
    """How the tests are run, and why it seems so."""

    command: str
    why: str
    report: Mapping[str, str] | None = None
    venv: str | None = None
    folders: tuple[str, ...] = ()


def guess_scenario(project: Project, tools: Tools) -> Guess:
    """A scenario with the project's tests and the scorers that need no configuration."""
    tests = next((found for guess in _GUESSES if (found := guess(project, tools)) is not None), None)
    scorers: list[dict[str, Any]] = [{"name": kind, "type": kind} for kind in DEFAULT_SCORERS]
    told = [f"the default scorers: {', '.join(DEFAULT_SCORERS)}"]
    environment = Environment()
    if tests is None:
        told.insert(0, "no tests were found, so none are run")
    else:
        report = {} if tests.report is None else {"report": dict(tests.report)}
        scorers.insert(0, {"name": "tests", "type": "command", "command": tests.command, **report})
        told.insert(0, f"the tests are run with: {tests.command} ({tests.why})")
        environment = Environment(venv=tests.venv, folders=list(tests.folders))
        shown = [folder for folder in (tests.venv, *tests.folders) if folder is not None]
        if shown:
            told.insert(1, f"the tests see {', '.join(shown)}, read-only; nothing in there is compared or scored")
    text = json.dumps({"scorers": scorers, "environment": environment.model_dump(exclude_defaults=True)})
    return Guess(Scenario.model_validate_json(text), tuple(told))


def _python(project: Project, tools: Tools) -> _TestCommand | None:
    tests = project.named(*_PYTHON_TESTS)
    if not tests:
        return None
    venv = tools.virtual_environment()
    settings = _pytest_settings(project)
    wants_pytest = settings is not None or any("pytest" in project.text(path) for path in tests[:_LOOKED_AT])
    path = (
        "PYTHONPATH=src " if any(one.startswith("src/") and one.endswith(".py") for one in project.paths) else ""
    )
    if wants_pytest or tools.has_module(venv, "pytest"):
        why = f"{settings} configures pytest" if settings is not None else f"{tests[0]} and others are for pytest"
        why = why if wants_pytest else "pytest is installed"
        command = f"{path}python3 -m pytest -q -p no:cacheprovider --junitxml={REPORT}"
        return _TestCommand(command, why, {"path": REPORT, "format": "junit"}, venv)
    return _TestCommand(
        f"{path}python3 -m unittest", f"{tests[0]} and others, and pytest isn't installed", venv=venv
    )


def _pytest_settings(project: Project) -> str | None:
    """The file with pytest's settings; None if there is none."""
    if project.read("pytest.ini") is not None:
        return "pytest.ini"
    try:
        tool = tomllib.loads(project.text("pyproject.toml")).get("tool", {})
    except tomllib.TOMLDecodeError:
        tool = {}
    if isinstance(tool, dict) and "pytest" in tool:
        return "pyproject.toml"
    sections = (("tox.ini", "[pytest]"), ("setup.cfg", "[tool:pytest]"))
    return next((name for name, section in sections if section in project.text(name)), None)


def _javascript(project: Project, tools: Tools) -> _TestCommand | None:
    """The test script of package.json, as the baseline has it."""
    try:
        package = json.loads(project.text("package.json"))
        script = package["scripts"]["test"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(script, str) or not script.strip() or _PLACEHOLDER in script:
        return None
    folders = (*tools.folders(("node_modules",)), *tools.toolchain("node"))
    why = "the test script of package.json"
    if _NODE_TEST.match(script):
        reporters = f"--test-reporter=junit --test-reporter-destination={REPORT}"
        shown = "--test-reporter=spec --test-reporter-destination=stdout"
        command = _NODE_TEST.sub(f"node --test {reporters} {shown}", script)
        return _TestCommand(command, why, {"path": REPORT, "format": "junit"}, folders=folders)
    return _TestCommand(script, why, folders=folders)


def _go(project: Project, tools: Tools) -> _TestCommand | None:
    if "go.mod" not in project.paths or not project.named("*_test.go"):
        return None
    command = "GOCACHE=/tmp/go-cache GOFLAGS=-mod=mod go test ./..."
    return _TestCommand(command, "go.mod and files of tests", folders=tuple(tools.toolchain("go")))


def _rust(project: Project, tools: Tools) -> _TestCommand | None:
    if "Cargo.toml" not in project.paths:
        return None
    return _TestCommand("cargo test --offline", "Cargo.toml", folders=tuple(tools.toolchain("cargo")))


def _make(project: Project, _tools: Tools) -> _TestCommand | None:
    if re.search(r"^(test|check):", project.text("Makefile"), re.MULTILINE) is None:
        return None
    target = "test" if re.search(r"^test:", project.text("Makefile"), re.MULTILINE) else "check"
    return _TestCommand(f"make {target}", f"the Makefile has the target {target}")


_GUESSES: tuple[Callable[[Project, Tools], _TestCommand | None], ...] = (_python, _javascript, _go, _rust, _make)
