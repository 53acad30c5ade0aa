"""Guess how a project's tests are run, from its baseline and from what this machine has.

A command that writes a report says which tests passed, so every layout gets one where its runner can write it.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Final, Protocol

XML, JSON, TEXT = ".assay-report.xml", ".assay-report.json", ".assay-report.txt"
_PYTHON_TESTS = ("test_*.py", "*_test.py", "tests.py", "conftest.py")
_PLACEHOLDER = "no test specified"
_LOOKED_AT = 200


class Tools(Protocol):
    """This machine's tools to run tests with."""

    def virtual_environment(self) -> str | None:
        """A virtual environment for the project's Python: a path, relative if it is in the repository."""

    def has_module(self, venv: str | None, name: str) -> bool:
        """Whether a module can be imported in a virtual environment, or in the system's Python."""

    def folders(self, names: Iterable[str]) -> list[str]:
        """Those of these folders that exist in the repository, or in the home of the user if they begin with ~."""

    def toolchain(self, program: str) -> list[str]:
        """The folders that a program needs and that commands wouldn't see; empty if it is in the system."""

    def files(self, patterns: Iterable[str]) -> list[str]:
        """The files of the repository's folder with such a name, outside of hidden folders and of packages."""

    def has_program(self, name: str) -> bool:
        """Whether a program is installed, for everybody or in the project's node_modules."""


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
class TestCommand:
    """How the tests are run, and why it seems so. ``runner`` is the one whose tests we can add to.

    ``program`` is what must be installed for it.
    """

    command: str
    why: str
    report: Mapping[str, str] | None = None
    venv: str | None = None
    folders: tuple[str, ...] = ()
    runner: str | None = None
    program: str | None = None
    shown: str = field(default="", compare=False)


def guess_tests(project: Project, tools: Tools) -> TestCommand | None:
    """The first layout that fits; None if none does."""
    return next((found for guess in _GUESSES if (found := guess(project, tools)) is not None), None)


def _printed(command: str, path: str) -> str:
    """A command whose output becomes the report, and is shown if it fails."""
    return f"{command} > {path} || {{ code=$?; cat {path}; exit $code; }}"


def _collected(command: str, pattern: str) -> str:
    """A command that writes a report for each class, put together into one."""
    gather = f"find . -path '{pattern}' -exec sed 's/<?xml[^>]*?>//' {{}} +"
    return f"{command}; code=$?; {{ echo '<testsuites>'; {gather}; echo '</testsuites>'; }} > {XML}; exit $code"


# --- Python ---


def _python(project: Project, tools: Tools) -> TestCommand | None:
    tests = project.named(*_PYTHON_TESTS)
    alone = [] if tests else project.named("test.py")[:1]
    if not tests and not alone:
        return None
    venv = tools.virtual_environment()
    settings = _pytest_settings(project)
    wants_pytest = settings is not None or any("pytest" in project.text(path) for path in tests[:_LOOKED_AT])
    path = (
        "PYTHONPATH=src " if any(one.startswith("src/") and one.endswith(".py") for one in project.paths) else ""
    )
    first = (tests or alone)[0]
    if wants_pytest or tools.has_module(venv, "pytest"):
        why = f"{settings} configures pytest" if settings is not None else f"{first} and others are for pytest"
        why = why if wants_pytest else "pytest is installed"
        command = " ".join([f"{path}python3 -m pytest -q -p no:cacheprovider --junitxml={XML}", *alone])
        return TestCommand(command, why, {"path": XML, "format": "junit"}, venv, runner="pytest")
    what = _unittest_arguments(project, first, alone)
    shown = f"{path}python3 -m unittest{what}"
    command = f"{path}python3 -m unittest{what or ' discover'} -v -b 2> {TEXT}"
    command = f"{command} || {{ code=$?; cat {TEXT} >&2; exit $code; }}"
    why = f"{first} and others, and pytest isn't installed"
    report = {"path": TEXT, "format": "unittest"}
    return TestCommand(command, why, report, venv, runner=None if alone else "unittest", shown=shown)


def _unittest_arguments(project: Project, first: str, alone: list[str]) -> str:
    if alone:
        return f" {alone[0].removesuffix('.py').replace('/', '.')}"
    folder = first.partition("/")[0]
    return "" if first == folder or f"{folder}/__init__.py" in project.paths else f" discover -s {folder}"


def _pytest_settings(project: Project) -> str | None:
    """The file with pytest's settings; None if there is none."""
    found = next((name for name in ("pytest.ini", ".pytest.ini") if project.read(name) is not None), None)
    if found is not None:
        return found
    try:
        tool = tomllib.loads(project.text("pyproject.toml")).get("tool", {})
    except tomllib.TOMLDecodeError:
        tool = {}
    if isinstance(tool, dict) and "pytest" in tool:
        return "pyproject.toml"
    sections = (("tox.ini", "[pytest]"), ("setup.cfg", "[tool:pytest]"))
    return next((name for name, section in sections if section in project.text(name)), None)


# --- JavaScript ---

_BEFORE: Final = r"^(?:cross-env |\w+=\S+ |nyc |c8 |npx (?:--no-install )?)*+"
_NODE_TEST: Final = re.compile(r"^node\b(?:(?!--test-)[^;&|])*?\s--test\b")
_SPEC: Final = "--test-reporter=spec --test-reporter-destination=stdout"
# Commands run without a network.
_ONLINE: Final = re.compile(r"\b(?:npx|aud|audit|publish)\b")
# Reporters for people.
_PRETTY: Final = re.compile(r"(?<=\s)(?:--reporter|-R)[ =](?:spec|dot|min|list|progress)(?:\s|$)")
_MANAGER: Final = re.compile(
    r"\b(pnpm|yarn|bun|npm)(?: run| exec| test)? (?:--silent )?([\w:.-]+)|\bbunx ([\w.-]+)"
)
_JEST: Final = {"path": JSON, "format": "jest"}
_JUNIT: Final = {"path": XML, "format": "junit"}
_ADDED: Final = {
    "jest": (f" --ci --json --outputFile={JSON}", _JEST, "jest"),
    "vitest": (f" --reporter=json --outputFile={JSON}", _JEST, "vitest"),
    "mocha": (f" --reporter xunit --reporter-option output={XML}", _JUNIT, None),
}


def _javascript(project: Project, tools: Tools) -> TestCommand | None:
    """The test script of package.json, as the baseline has it."""
    try:
        scripts = json.loads(project.text("package.json"))["scripts"]
        script = scripts["test"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(script, str) or not script.strip() or _PLACEHOLDER in script:
        return None
    folders = (*tools.folders(("node_modules",)), *tools.toolchain("node"))
    plain = _without_managers(script.strip(), scripts, tools)
    command, report, runner = _with_report(plain)
    around = [scripts.get(name) for name in ("pretest", "posttest")]
    around = [None if isinstance(one, str) and _ONLINE.search(one) else one for one in around]
    before, after = (
        f"({_without_managers(one, scripts, tools)})" if isinstance(one, str) and one.strip() else ""
        for one in around
    )
    command = " && ".join(
        part for part in (before, command if not (before or after) else f"({command})", after) if part
    )
    why = "the test script of package.json"
    why += " between pretest and posttest" if before and after else " after pretest" if before else ""
    return TestCommand(command, why, report, folders=folders, runner=runner, program="node")


def _with_report(script: str) -> tuple[str, Mapping[str, str] | None, str | None]:
    """A script with a report, if one of its steps is nothing but a runner's command."""
    steps = [_step(step.strip()) for step in script.split("&&")]
    known = [(report, runner) for _, report, runner in steps if report is not None]
    if re.search(r"[;|<>(]|(?<!&)&(?!&)", script) or len(known) != 1:
        return script, None, None
    commands = (f"({command})" if report and len(steps) > 1 else command for command, report, _ in steps)
    return " && ".join(commands), *known[0]


def _step(script: str) -> tuple[str, Mapping[str, str] | None, str | None]:
    if _NODE_TEST.match(script):
        reporters = f" --test-reporter=junit --test-reporter-destination={XML} {_SPEC}"
        return _NODE_TEST.sub(lambda found: f"{found[0]}{reporters}", script), _JUNIT, "node"
    script = _PRETTY.sub("", script)
    for runner, (options, report, name) in _ADDED.items():
        if re.match(rf"{_BEFORE}{runner}\b(?!.*--(?:reporter|json|watch))", script):
            run = re.sub(r"\bvitest\b(?! run)", "vitest run", script) if runner == "vitest" else script
            return f"{run}{options}", report, name
    if re.match(rf"{_BEFORE}(?:tape|ava)\b", script):
        tap = " --tap" if re.match(rf"{_BEFORE}ava\b(?!.*--tap)", script) else ""
        return _printed(f"{script}{tap}", TEXT), {"path": TEXT, "format": "tap"}, None
    return script, None, None


def _without_managers(script: str, scripts: Mapping[str, Any], tools: Tools, depth: int = 4) -> str:
    """A script that needs no package manager that isn't installed, and none for a script: what it would run."""

    def instead(found: re.Match[str]) -> str:
        manager, name = found[1] or "bun", found[2] or found[3]
        inner = scripts.get(name)
        is_all = not ({f"pre{name}", f"post{name}"} & scripts.keys()) and not script[found.end() :].startswith(
            " --"
        )
        if depth == 0 or (tools.has_program(manager) and not (manager == "npm" and inner and is_all)):
            return found[0]
        return f"({_without_managers(inner, scripts, tools, depth - 1)})" if isinstance(inner, str) else name

    replaced = _MANAGER.sub(instead, script)
    return replaced[1:-1] if re.fullmatch(r"\([^()]*\)", replaced) else replaced


# --- Compiled languages ---


def _go(project: Project, tools: Tools) -> TestCommand | None:
    if "go.mod" not in project.paths or not project.named("*_test.go"):
        return None
    plain = "GOCACHE=/tmp/go-cache GOFLAGS=-mod=mod go test"
    report = {"path": JSON, "format": "go"}
    folders = tuple(tools.toolchain("go"))
    command, shown = _printed(f"{plain} -json ./...", JSON), f"{plain} ./..."
    return TestCommand(
        command, "go.mod and files of tests", report, folders=folders, runner="go", program="go", shown=shown
    )


def _rust(project: Project, tools: Tools) -> TestCommand | None:
    if "Cargo.toml" not in project.paths:
        return None
    command = "RUSTC_BOOTSTRAP=1 cargo test --offline --no-fail-fast -- -Z unstable-options --format json"
    report = {"path": JSON, "format": "cargo"}
    folders = tuple(tools.toolchain("cargo"))
    shown = "cargo test --offline"
    return TestCommand(
        _printed(command, JSON), "Cargo.toml", report, folders=folders, program="cargo", shown=shown
    )


def _maven(project: Project, tools: Tools) -> TestCommand | None:
    if "pom.xml" not in project.paths:
        return None
    cache = tools.folders(("~/.m2",))
    local = f" -Dmaven.repo.local={cache[0]}/repository" if cache else ""
    command = _collected(f"mvn -o -B -q{local} test", "*surefire-reports/TEST-*.xml")
    folders = (*cache, *tools.toolchain("mvn"))
    return TestCommand(command, "pom.xml", _JUNIT, folders=folders, program="mvn", shown="mvn -o test")


def _gradle(project: Project, tools: Tools) -> TestCommand | None:
    if not project.named("build.gradle", "build.gradle.kts"):
        return None
    program = "./gradlew" if "gradlew" in project.paths else "gradle"
    cache = tools.folders(("~/.gradle",))
    dependencies = f"GRADLE_RO_DEP_CACHE={cache[0]}/caches " if cache else ""
    command = f"{dependencies}{program} --offline --no-daemon --continue -g /tmp/gradle test"
    collected = _collected(command, "*test-results/*TEST-*.xml")
    needs = None if program == "./gradlew" else "gradle"
    return TestCommand(
        collected, "build.gradle", _JUNIT, folders=tuple(cache), program=needs, shown=f"{program} test"
    )


def _dotnet(project: Project, tools: Tools) -> TestCommand | None:
    tests = [path for path in project.named("*.csproj", "*.fsproj") if "Test.Sdk" in project.text(path)]
    if not tests:
        return None
    command = _collected("DOTNET_CLI_HOME=/tmp dotnet test --logger trx", "*TestResults/*.trx")
    folders = (*tools.folders(("~/.nuget",)), *tools.toolchain("dotnet"))
    return TestCommand(
        command, f"{tests[0]} has tests", _JUNIT, folders=folders, program="dotnet", shown="dotnet test"
    )


def _swift(project: Project, tools: Tools) -> TestCommand | None:
    if "Package.swift" not in project.paths or not any(path.startswith("Tests/") for path in project.paths):
        return None
    command = f"swift test --disable-sandbox --xunit-output {XML}"
    folders = tuple(tools.toolchain("swift"))
    return TestCommand(command, "Package.swift and Tests", _JUNIT, folders=folders, program="swift")


# --- Ruby and PHP ---


def _ruby(project: Project, tools: Tools) -> TestCommand | None:
    bundle = "bundle exec " if "Gemfile" in project.paths and tools.has_program("bundle") else ""
    specs = project.named("*_spec.rb")
    folders = tuple(tools.folders(("vendor/bundle",)))
    if specs:
        command = f"{bundle}rspec --format progress --format json --out {JSON}"
        report = {"path": JSON, "format": "rspec"}
        return TestCommand(command, f"{specs[0]} and others", report, folders=folders, program="rspec")
    tests = project.named("test_*.rb", "*_test.rb")
    if not tests:
        return None
    rake = re.search(r"TestTask|task[ (]+:test\b|^task test\b", project.text("Rakefile"), re.MULTILINE)
    files = " ".join(f"-r./{path}" for path in tests if not path.endswith("_helper.rb"))
    plain = f"{bundle}rake test" if rake and tools.has_program("rake") else f"ruby -Ilib -Itest {files} -e ''"
    why = f"{tests[0]} and others"
    if not any("minitest" in project.text(path).lower() for path in project.named("*.rb")[:_LOOKED_AT]):
        return TestCommand(plain, why, folders=folders, program="ruby")
    verbose = f"TESTOPTS=--verbose {plain}" if rake else f"{plain} -- --verbose"
    report = {"path": TEXT, "format": "minitest"}
    return TestCommand(_printed(verbose, TEXT), why, report, folders=folders, program="ruby", shown=plain)


def _php(project: Project, tools: Tools) -> TestCommand | None:
    settings = project.named("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml")
    if not settings and not project.named("*Test.php"):
        return None
    command = f"php vendor/bin/phpunit --log-junit {XML}"
    folders = tuple(tools.folders(("vendor",)))
    why = settings[0] if settings else "files of tests"
    return TestCommand(command, why, _JUNIT, folders=folders, program="php", shown="vendor/bin/phpunit")


def _make(project: Project, _tools: Tools) -> TestCommand | None:
    name = next((name for name in ("Makefile", "GNUmakefile", "makefile") if name in project.paths), "Makefile")
    target = re.search(r"^(test|check)\s*:(?!=)", project.text(name), re.MULTILINE)
    if target is None:
        return None
    has_test = re.search(r"^test\s*:(?!=)", project.text(name), re.MULTILINE)
    wanted = "test" if has_test else "check"
    return TestCommand(f"make {wanted}", f"the {name} has the target {wanted}", program="make")


_GUESSES: Final[tuple[Callable[[Project, Tools], TestCommand | None], ...]] = (
    *(_python, _javascript, _go, _rust, _maven, _gradle, _dotnet, _swift, _ruby, _php, _make),
)
