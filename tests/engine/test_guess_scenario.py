"""How a project's tests are run is guessed from its baseline."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

import pytest

from assay.engine.coding.guess_scenario import DEFAULT_SCORERS, THOROUGH_SCORERS, Guess, guess_scenario
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
    generated: tuple[str, ...] = ()

    def virtual_environment(self) -> str | None:
        return self.venv

    def has_module(self, venv: str | None, name: str) -> bool:
        assert venv == self.venv
        return name in self.modules

    def folders(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if name in self.present]

    def toolchain(self, program: str) -> list[str]:  # noqa: ARG002
        return list(self.outside)

    def files(self, patterns: Iterable[str]) -> list[str]:
        return [path for path in self.generated if any(fnmatchcase(path.split("/")[-1], one) for one in patterns)]

    def has_program(self, name: str) -> bool:
        return name in self.programs


def guess(files: Mapping[str, str], tools: FakeTools | None = None) -> Guess:
    contents = {path: text.encode() for path, text in files.items()}
    return guess_scenario(Project(tuple(contents), contents.get), tools or FakeTools())


def script(test: object, **others: str) -> str:
    return json.dumps({"scripts": {"test": test, **others}})


UNITTEST = "python3 -m unittest discover{} -v -b 2> .assay-report.txt || {{ "
JEST = " --ci --json --outputFile=.assay-report.json"
CSPROJ = '<PackageReference Include="Microsoft.NET.Test.Sdk" />'


@pytest.mark.parametrize(
    ("files", "tools", "command", "report"),
    [
        ({"pyproject.toml": "[tool.pytest.ini_options]", "test_a.py": ""}, FakeTools(), PYTEST, "junit"),
        (
            {"pytest.ini": "[pytest]", "src/a.py": "", "tests/test_a.py": ""},
            FakeTools(),
            f"PYTHONPATH=src {PYTEST}",
            "junit",
        ),
        ({"tests/test_a.py": "import pytest"}, FakeTools(), PYTEST, "junit"),
        ({"tests/test_a.py": "import unittest"}, FakeTools(modules=("pytest",)), PYTEST, "junit"),
        ({"test_a.py": "import unittest"}, FakeTools(), UNITTEST.format(""), "unittest"),
        ({"tests/__init__.py": "", "tests/test_a.py": ""}, FakeTools(), UNITTEST.format(""), "unittest"),
        ({"tests/test_a.py": "import unittest"}, FakeTools(), UNITTEST.format(" -s tests"), "unittest"),
        ({"test.py": "import unittest"}, FakeTools(), "python3 -m unittest test -v", "unittest"),
        ({"test.py": "import unittest"}, FakeTools(modules=("pytest",)), f"{PYTEST} test.py", "junit"),
        ({"pyproject.toml": "[[[", "setup.cfg": "[tool:pytest]", "a_test.py": ""}, FakeTools(), PYTEST, "junit"),
        ({".pytest.ini": "[pytest]", "a_test.py": ""}, FakeTools(), PYTEST, "junit"),
        ({"package.json": script("node --test test/")}, FakeTools(), f"{NODE} test/", "junit"),
        (
            {"package.json": script("node --import tsx --test test/")},
            FakeTools(),
            f"{NODE.replace('node', 'node --import tsx', 1)} test/",
            "junit",
        ),
        ({"package.json": script("jest --ci")}, FakeTools(), f"jest --ci{JEST}", "jest"),
        ({"package.json": script("c8 jest")}, FakeTools(), f"c8 jest{JEST}", "jest"),
        ({"package.json": script("vitest")}, FakeTools(), "vitest run --reporter=json --output", "jest"),
        ({"package.json": script("mocha test")}, FakeTools(), "mocha test --reporter xunit --repor", "junit"),
        ({"package.json": script("tape test/*.js")}, FakeTools(), "tape test/*.js > .assay-report.txt ||", "tap"),
        ({"package.json": script("ava")}, FakeTools(), "ava --tap > .assay-report.txt ||", "tap"),
        ({"package.json": script("xo && ava")}, FakeTools(), "xo && (ava --tap > .assay-report.txt ||", "tap"),
        ({"package.json": script("tape a.js && tape b.js")}, FakeTools(), "tape a.js && tape b.js", None),
        ({"package.json": script("jest | cat")}, FakeTools(), "jest | cat", None),
        ({"package.json": script("mocha -R spec a && lint")}, FakeTools(), "(mocha a --reporter xunit", "junit"),
        ({"package.json": script("npm run a", a="jest")}, FakeTools(programs=("npm",)), f"jest{JEST}", "jest"),
        (
            {"package.json": script("npm run a -- b", a="jest")},
            FakeTools(programs=("npm",)),
            "npm run a -- b",
            None,
        ),
        (
            {"package.json": script("npm run a", a="jest", prea="x")},
            FakeTools(programs=("npm",)),
            "npm run a",
            None,
        ),
        ({"package.json": script("pnpm vitest run")}, FakeTools(), "vitest run --reporter=json", "jest"),
        ({"package.json": script("pnpm x")}, FakeTools(programs=("pnpm",)), "pnpm x", None),
        ({"package.json": script("yarn unit", unit="jest")}, FakeTools(), f"jest{JEST}", "jest"),
        ({"package.json": script("jest", pretest="tsc")}, FakeTools(), f"(tsc) && (jest{JEST})", "jest"),
        ({"package.json": script("a", posttest="npx aud --production")}, FakeTools(), "a", None),
        ({"package.json": script("a", posttest="b")}, FakeTools(), "(a) && (b)", None),
        (
            {"go.mod": "module a", "a_test.go": ""},
            FakeTools(),
            "GOCACHE=/tmp/go-cache GOFLAGS=-mod=mod go test -json ./... > .assay-report.json || {",
            "go",
        ),
        ({"Cargo.toml": ""}, FakeTools(), "RUSTC_BOOTSTRAP=1 cargo test --offline --no-fail-fast", "cargo"),
        ({"pom.xml": ""}, FakeTools(), "mvn -o -B -q test; code=$?", "junit"),
        ({"build.gradle.kts": "", "gradlew": ""}, FakeTools(), "./gradlew --offline --no-daemon", "junit"),
        ({"a/A.Tests.csproj": CSPROJ}, FakeTools(), "DOTNET_CLI_HOME=/tmp dotnet test --logger trx;", "junit"),
        ({"Package.swift": "", "Tests/A/a.swift": ""}, FakeTools(), "swift test --disable-sandbox", "junit"),
        ({"spec/a_spec.rb": ""}, FakeTools(), "rspec --format progress --format json", "rspec"),
        (
            {"spec/a_spec.rb": "", "Gemfile": ""},
            FakeTools(programs=("bundle",)),
            "bundle exec rspec --format progress",
            "rspec",
        ),
        (
            {"test/test_a.rb": "require 'minitest/autorun'", "Rakefile": "Rake::TestTask.new"},
            FakeTools(programs=("rake",)),
            "TESTOPTS=--verbose rake test > .assay-report.txt || {",
            "minitest",
        ),
        (
            {"test/test_a.rb": "require 'test/unit'"},
            FakeTools(),
            "ruby -Ilib -Itest -r./test/test_a.rb -e ''",
            None,
        ),
        ({"phpunit.xml.dist": ""}, FakeTools(), "php vendor/bin/phpunit --log-junit .assay-report.xml", "junit"),
        ({"Makefile": "all:\n\ntest: all\n\tpytest"}, FakeTools(), "make test", None),
        ({"Makefile": "check:\n\ttrue"}, FakeTools(), "make check", None),
    ],
)
def test_the_command(files: Mapping[str, str], tools: FakeTools, command: str, report: str | None) -> None:
    found = guess(files, tools)
    own, kept = found.scenario.scorers[:2]
    assert own.config["command"].startswith(command)
    assert own.config.get("report", {}).get("format") == report
    assert (own.config["regressions_only"], kept.type) == (True, "baseline_tests")
    assert kept.config["command"] == own.config["command"]
    assert found.told[0].startswith("the tests are run with: ")
    placed_checks(found.scenario, "guess")


@pytest.mark.parametrize(
    "files",
    [
        {"README.md": "x"},
        {"package.json": script('echo "Error: no test specified" && exit 1')},
        {"package.json": script(7)},
        {"package.json": "[[["},
        {"go.mod": "module a"},
        {"Makefile": "test := 1"},
    ],
)
def test_without_tests_there_is_no_command(files: Mapping[str, str]) -> None:
    found = guess(files)
    assert [scorer.type for scorer in found.scenario.scorers] == list(DEFAULT_SCORERS)
    assert found.told[0] == "no tests were found, so none are run; say how with --tests 'COMMAND'"


def test_the_user_says_how_the_tests_are_run() -> None:
    project = Project(("README.md",), lambda _: b"")
    found = guess_scenario(project, FakeTools(), "sh check.sh")
    assert [scorer.config.get("command") for scorer in found.scenario.scorers[:4]] == ["sh check.sh"] * 3 + [None]
    assert found.told[0] == "the tests are run with: sh check.sh (as you said)"


def test_how_many_runs_there_are_is_the_users_choice() -> None:
    project = Project(("pytest.ini", "test_a.py"), {"pytest.ini": b"[pytest]"}.get)
    quick, thorough = (guess_scenario(project, FakeTools(), depth=depth) for depth in ("quick", "thorough"))
    assert [scorer.type for scorer in quick.scenario.scorers] == ["command", *DEFAULT_SCORERS]
    assert set(THOROUGH_SCORERS) < {scorer.type for scorer in thorough.scenario.scorers}
    placed_checks(thorough.scenario, "guess")


def test_what_the_tests_see_and_what_is_missing_is_told() -> None:
    found = guess({"test_a.py": "import pytest"}, FakeTools(venv=".venv"))
    assert found.scenario.environment.venv == ".venv"
    assert found.told[1] == "the tests see .venv, read-only; nothing in there is compared or scored"
    tools = FakeTools(present=("node_modules",), outside=("/n",))
    found = guess({"package.json": script("jest")}, tools)
    assert found.scenario.environment.folders == ["node_modules", "/n"]
    assert found.told[1] == "node isn't installed here; install it, or say what to run with --tests 'COMMAND'"


def test_generated_files_are_those_that_the_baseline_ignores_and_does_not_have() -> None:
    files = {"test_a.py": "", ".gitignore": "_version.py\n", "kept/_version.py": ""}
    tools = FakeTools(generated=("a/_version.py", "kept/_version.py", "a/version.py", "a/x.so"))
    found = guess(files, tools)
    assert found.scenario.environment.generated == ["a/_version.py"]
    assert "a/_version.py, which git ignores, is taken from this checkout for all runs" in found.told
