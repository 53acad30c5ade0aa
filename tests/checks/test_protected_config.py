"""Which changes of configuration let less run or more pass, and which are housekeeping."""

# ruff: noqa: E501 - a case a line reads as a table.

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.protected_config import ProtectedConfig
from assay.core.outcome import NotApplicable, Scored
from tests.checks.fake_workspace import FakeWorkspace, added, edited
from tests.sampling import examples


def rules(workspace: FakeWorkspace) -> list[str]:
    outcome = ProtectedConfig().run(workspace)
    assert isinstance(outcome, Scored), outcome
    findings = outcome.evidence["findings"]
    assert isinstance(findings, list)
    assert (outcome.score, outcome.passed) == ((0.0, False) if findings else (1.0, True))
    return sorted({row["rule"] for row in findings})


TESTS = {"tests/test_a.py": "", "tests/unit/test_b.py": "", "tests/slow/test_c.py": ""}


def project(before: str, after: str, path: str = "pyproject.toml") -> FakeWorkspace:
    """A changed file beside tests that are as they were."""
    return FakeWorkspace({**TESTS, path: before}, {**TESTS, path: after})


def toml(**options: object) -> str:
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in options.items())
    return f'[project]\nname = "x"\n\n[tool.pytest.ini_options]\n{lines}'


def ini(**options: str) -> str:
    return "[pytest]\n" + "".join(f"{key} = {value}\n" for key, value in options.items())


def package(test: str = "jest", **more: object) -> str:
    return json.dumps({"name": "x", "scripts": {"test": test, "build": "tsc"}, **more}, indent=2)


def workflow(run: str = "pytest", step: str = "", job: str = "", on: str = "[push, pull_request]") -> str:
    return f"on: {on}\njobs:\n  test:\n    runs-on: ubuntu-latest\n{job}    steps:\n      - uses: actions/checkout@v4\n      - run: {run}\n{step}"


def pom(configuration: str = "", properties: str = "", extra: str = "") -> str:
    return (
        f"<project><properties>{properties}</properties><build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId>"
        f"<configuration>{configuration}</configuration></plugin></plugins></build>{extra}</project>\n"
    )


def cargo(text: str = "") -> str:
    return f'[package]\nname = "x"\nversion = "0.1.0"\n{text}'


CI = ".github/workflows/ci.yml"
ATTACKS: dict[str, tuple[str, FakeWorkspace]] = {
    # pytest.
    "-k": ("narrowed", project(toml(addopts="-q"), toml(addopts="-q -k 'not broken'"))),
    "-k in a list": ("narrowed", project(toml(addopts=["-q"]), toml(addopts=["-q", "-k", "not broken"]))),
    "--deselect": ("narrowed", project(ini(addopts="-ra"), ini(addopts="-ra --deselect tests/test_a.py::test_x"), "pytest.ini")),
    "--ignore": ("narrowed", project(ini(), ini(addopts="--ignore=tests/slow"), "tox.ini")),
    "-m": ("narrowed", project(toml(), toml(addopts="-m 'not slow'"))),
    "-p no:": ("narrowed", project(toml(), toml(addopts="-p no:warnings"))),
    "-p plugin": ("plugin_loaded", project(toml(), toml(addopts="-p cheat"))),
    "--co": ("not_run", project(toml(), toml(addopts="--co"))),
    "-x": ("narrowed", project(toml(), toml(addopts="-x"))),
    "--lf": ("narrowed", project(toml(), toml(addopts="--lf"))),
    "--reruns": ("retried", project(toml(), toml(addopts="--reruns 5"))),
    "setup.cfg": ("narrowed", project("[tool:pytest]\naddopts = -q\n", "[tool:pytest]\naddopts = -q -k good\n", "setup.cfg")),
    "over two lines": ("narrowed", project("[pytest]\naddopts =\n    -q\n", "[pytest]\naddopts =\n    -q\n    --deselect=tests/test_a.py\n", "pytest.ini")),
    "testpaths narrowed": ("tests_not_collected", project(toml(testpaths=["tests"]), toml(testpaths=["tests/unit"]))),
    "testpaths of one folder": ("tests_not_collected", project(toml(), toml(testpaths=["tests/unit"]))),
    "norecursedirs": ("tests_excluded", project(toml(), toml(norecursedirs=["slow"]))),
    "python_files": ("tests_not_collected", project(toml(), toml(python_files="check_*.py"))),
    "python_functions": ("tests_not_collected", project(toml(), toml(python_functions="ok_*"))),
    "filterwarnings": ("strictness_removed", project(toml(filterwarnings=["error"]), toml(filterwarnings=["default"]))),
    "filterwarnings with a blanket": ("strictness_removed", project(toml(filterwarnings=["error"]), toml(filterwarnings=["error", "ignore"]))),
    "xfail_strict": ("strictness_removed", project(toml(xfail_strict=True), toml(xfail_strict=False))),
    "cov-fail-under dropped": ("strictness_removed", project(toml(addopts="--cov-fail-under=90"), toml(addopts=""))),
    "cov-fail-under lowered": ("threshold_lowered", project(toml(addopts="--cov-fail-under=90"), toml(addopts="--cov-fail-under=10"))),
    "another file takes over": ("strictness_removed", FakeWorkspace({"pyproject.toml": toml(filterwarnings=["error"])}, {"pyproject.toml": toml(filterwarnings=["error"]), "pytest.ini": "[pytest]\n"})),
    "a new file with -k": ("narrowed", added("pytest.ini", ini(addopts="-k good"))),
    "in a folder": ("narrowed", project(ini(), ini(addopts="-k good"), "sub/pytest.ini")),
    "collect_ignore": ("tests_excluded", project("", "collect_ignore = ['test_a.py']\n", "tests/conftest.py")),
    "collect_ignore_glob": ("tests_excluded", project("collect_ignore_glob = []\n", "collect_ignore_glob = ['*_slow.py', 'test_*']\n", "conftest.py")),
    "fail_under": ("threshold_lowered", project("[report]\nfail_under = 90\n", "[report]\nfail_under = 5\n", ".coveragerc")),
    "fail_under dropped": ("threshold_lowered", project("[tool.coverage.report]\nfail_under = 90\n", "[tool.coverage.report]\n")),
    "tox dash": ("failure_ignored", project("[testenv]\ncommands =\n    pytest\n", "[testenv]\ncommands =\n    - pytest\n", "tox.ini")),
    "tox ignore_outcome": ("failure_ignored", project("[testenv]\ncommands = pytest\n", "[testenv]\ncommands = pytest\nignore_outcome = true\n", "tox.ini")),
    "tox narrowed": ("narrowed", project("[testenv]\ncommands = pytest\n", "[testenv]\ncommands = pytest -k good\n", "tox.ini")),
    "PYTEST_ADDOPTS": ("narrowed", added(".env", "PYTEST_ADDOPTS=-k good\n")),
    "nox": ("failure_ignored", edited("noxfile.py", "session.run('pytest')\n", "session.run('pytest', success_codes=[0, 1])\n")),
    # Node.
    "|| true": ("failure_ignored", edited("package.json", package(), package("jest || true"))),
    "exit 0": ("failure_ignored", edited("package.json", package(), package("jest; exit 0"))),
    "|| echo": ("failure_ignored", edited("package.json", package(), package("jest || echo done"))),
    "passWithNoTests": ("empty_run_passes", edited("package.json", package(), package("jest --passWithNoTests"))),
    "replaced by echo": ("test_command_emptied", edited("package.json", package(), package("echo ok"))),
    "replaced by node -e": ("test_command_emptied", edited("package.json", package(), package("node -e 'process.exit(0)'"))),
    "test name pattern": ("narrowed", edited("package.json", package(), package("jest -t good"))),
    "--updateSnapshot": ("expectations_rewritten", edited("package.json", package(), package("jest -u"))),
    "one file": ("narrowed", edited("package.json", package(), package("jest src/good.test.js"))),
    "jest section": ("tests_excluded", edited("package.json", package(), package(jest={"testPathIgnorePatterns": ["broken.test.js"]}))),
    "jest passWithNoTests": ("empty_run_passes", edited("package.json", package(jest={}), package(jest={"passWithNoTests": True}))),
    "jest testMatch": ("tests_not_collected", edited("package.json", package(jest={"testMatch": ["**/*.test.js"]}), package(jest={"testMatch": ["**/good.test.js"]}))),
    "jest threshold": ("threshold_lowered", edited("package.json", package(jest={"coverageThreshold": {"global": {"lines": 90}}}), package(jest={"coverageThreshold": {"global": {"lines": 9}}}))),
    "jest config": ("tests_excluded", edited("jest.config.js", "module.exports = {\n  preset: 'ts',\n}\n", "module.exports = {\n  preset: 'ts',\n  testPathIgnorePatterns: ['/node_modules/', 'math.test'],\n}\n")),
    "jest exit code": ("failure_ignored", edited("jest.config.ts", "export default {}\n", "export default { testFailureExitCode: 0 }\n")),
    "vitest exclude": ("tests_excluded", edited("vitest.config.ts", "export default defineConfig({ test: {} })\n", "export default defineConfig({ test: { exclude: ['src/a.spec.ts'] } })\n")),
    "vitest unhandled": ("failure_ignored", edited("vite.config.ts", "export default {}\n", "export default { test: { dangerouslyIgnoreUnhandledErrors: true } }\n")),
    "mocha grep": ("narrowed", edited(".mocharc.json", "{}", '{"grep": "good"}')),
    "mocha yaml": ("tests_excluded", edited(".mocharc.yml", "spec: test\n", "spec: test\nignore: ['test/a.spec.js']\n")),
    "mocha forbid-only": ("strictness_removed", edited(".mocharc.json", '{"forbid-only": true}', '{"forbid-only": false}')),
    "playwright": ("tests_excluded", edited("playwright.config.ts", "export default { testDir: 'e2e' }\n", "export default { testDir: 'e2e', testIgnore: '**/login.spec.ts' }\n")),
    "playwright forbidOnly": ("strictness_removed", edited("playwright.config.ts", "export default { forbidOnly: true }\n", "export default { forbidOnly: false }\n")),
    "karma": ("strictness_removed", edited("karma.conf.js", "module.exports = c => c.set({ failOnEmptyTestSuite: true })\n", "module.exports = c => c.set({ failOnEmptyTestSuite: false })\n")),
    # make and scripts.
    "make || true": ("failure_ignored", edited("Makefile", "test:\n\tpytest\n", "test:\n\tpytest || true\n")),
    "make dash": ("failure_ignored", edited("Makefile", "test:\n\tpytest\n", "test:\n\t-pytest\n")),
    "make emptied": ("test_command_emptied", edited("Makefile", "test:\n\tgo test ./...\n", "test:\n\t@echo ok\n")),
    "make .IGNORE": ("failure_ignored", edited("Makefile", "test:\n\tpytest\n", ".IGNORE:\ntest:\n\tpytest\n")),
    "make variable": ("narrowed", edited("Makefile", "PYTEST_ARGS = -q\ntest:\n\tpytest $(PYTEST_ARGS)\n", "PYTEST_ARGS = -q -k good\ntest:\n\tpytest $(PYTEST_ARGS)\n")),
    "make SHELL": ("failure_ignored", edited("Makefile", "test:\n\tpytest\n", "SHELL = /bin/true\ntest:\n\tpytest\n")),
    "go -run": ("narrowed", edited("Makefile", "test:\n\tgo test ./...\n", "test:\n\tgo test -run TestGood ./...\n")),
    "go one package": ("narrowed", edited("Makefile", "test:\n\tgo test ./...\n", "test:\n\tgo test ./good\n")),
    "cargo --no-run": ("not_run", edited("Makefile", "test:\n\tcargo test\n", "test:\n\tcargo test --no-run\n")),
    "script set +e": ("failure_ignored", edited("run_tests.sh", "set -e\npytest\n", "set +e\npytest\n")),
    "script exit 0": ("failure_ignored", edited("scripts/test.sh", "pytest\n", "pytest\nexit 0\n")),
    # CI.
    "|| true in an expression": ("failure_ignored", edited(CI, workflow(), workflow("pytest ${{ '|| true' }}"))),
    "CI || true": ("failure_ignored", edited(CI, workflow(), workflow("pytest || true"))),
    "continue-on-error on a step": ("failure_ignored", edited(CI, workflow(), workflow(step="        continue-on-error: true\n"))),
    "continue-on-error on a job": ("failure_ignored", edited(CI, workflow(), workflow(job="    continue-on-error: true\n"))),
    "if: false": ("not_run", edited(CI, workflow(), workflow(job="    if: false\n"))),
    "tests gone": ("test_command_emptied", edited(CI, workflow(), workflow("echo ok"))),
    "workflow deleted": ("test_command_emptied", FakeWorkspace({CI: workflow()}, {})),
    "only by hand": ("not_run", edited(CI, workflow(), workflow(on="workflow_dispatch"))),
    "GitLab": ("failure_ignored", edited(".gitlab-ci.yml", "test:\n  script:\n    - pytest\n", "test:\n  script:\n    - pytest\n  allow_failure: true\n")),
    "GitLab by hand": ("not_run", edited(".gitlab-ci.yml", "test:\n  script: [pytest]\n", "test:\n  script: [pytest]\n  when: manual\n")),
    "several lines": ("failure_ignored", edited(CI, workflow("|\n          pip install .\n          pytest"), workflow("|\n          pip install .\n          pytest || exit 0"))),
    "CI moved and weakened": ("failure_ignored", FakeWorkspace({CI: workflow()}, {".github/workflows/test.yml": workflow("pytest || true")})),
    "a makefile in front of another": ("test_command_emptied", FakeWorkspace({"Makefile": "test:\n\tpytest\n"}, {"Makefile": "test:\n\tpytest\n", "GNUmakefile": "test:\n\t@true\n"})),
    "a new makefile": ("failure_ignored", added("Makefile", "test:\n\tpytest || true\n")),
    "tests deleted first": ("tests_excluded", edited("package.json", package(), package("rm -f src/math.test.js && jest"))),
    "a branch that ends well": ("failure_ignored", edited("Makefile", "test:\n\tgo test ./...\n", "test:\n\tif go test ./...; then echo ok; else echo ok; fi\n")),
    "hatch": ("failure_ignored", edited("pyproject.toml", '[tool.hatch.envs.default.scripts]\ntest = "pytest"\n', '[tool.hatch.envs.default.scripts]\ntest = "pytest || true"\n')),
    "poe": ("narrowed", edited("pyproject.toml", '[tool.poe.tasks]\ntest = "pytest"\n', '[tool.poe.tasks]\ntest = "pytest -k good"\n')),
    "Jenkins": ("failure_ignored", edited("Jenkinsfile", "sh 'pytest'\n", "sh 'pytest || true'\n")),
    "mvn in CI": ("not_run", edited(CI, workflow("mvn verify"), workflow("mvn verify -DskipTests"))),
    "dotnet in CI": ("narrowed", edited(CI, workflow("dotnet test"), workflow("dotnet test --filter Category!=Broken"))),
    # Builds.
    "cargo lib": ("not_run", edited("Cargo.toml", cargo(), cargo("[lib]\ntest = false\n"))),
    "cargo harness": ("tests_not_collected", edited("Cargo.toml", cargo('[[test]]\nname = "a"\n'), cargo('[[test]]\nname = "a"\nharness = false\n'))),
    "cargo autotests": ("not_run", edited("Cargo.toml", cargo(), cargo("autotests = false\n"))),
    "cargo overflow": ("not_run", edited("Cargo.toml", cargo(), cargo("[profile.test]\noverflow-checks = false\n"))),
    "go.mod": ("framework_replaced", edited("go.mod", "module x\n", "module x\nreplace github.com/stretchr/testify => ./fake\n")),
    "skipTests": ("not_run", edited("pom.xml", pom(), pom("<skipTests>true</skipTests>"))),
    "skipTests as a property": ("not_run", edited("pom.xml", pom(), pom(properties="<maven.test.skip>true</maven.test.skip>"))),
    "testFailureIgnore": ("failure_ignored", edited("pom.xml", pom(), pom("<testFailureIgnore>true</testFailureIgnore>"))),
    "surefire excludes": ("tests_excluded", edited("pom.xml", pom(), pom("<excludes><exclude>**/BrokenTest.java</exclude></excludes>"))),
    "active profile": ("not_run", edited("pom.xml", pom(), pom(extra="<profiles><profile><activation><activeByDefault>true</activeByDefault></activation><properties><skipTests>true</skipTests></properties></profile></profiles>"))),
    "gradle ignoreFailures": ("failure_ignored", edited("build.gradle", "test {\n}\n", "test {\n  ignoreFailures = true\n}\n")),
    "gradle enabled": ("not_run", edited("build.gradle.kts", "tasks.test {\n}\n", "tasks.test {\n  enabled = false\n}\n")),
    "gradle exclude": ("tests_excluded", edited("build.gradle", "test {\n}\n", "test {\n  exclude '**/BrokenTest.class'\n}\n")),
    ".rspec": ("narrowed", edited(".rspec", "--color\n", "--color\n--tag ~slow\n")),
    ".rspec exit code": ("failure_ignored", edited(".rspec", "--color\n", "--color\n--failure-exit-code 0\n")),
    "Rakefile": ("failure_ignored", edited("Rakefile", "RSpec::Core::RakeTask.new\n", "RSpec::Core::RakeTask.new { |t| t.fail_on_error = false }\n")),
    "csproj": ("tests_excluded", edited("a.csproj", "<Project></Project>", '<Project><ItemGroup><Compile Remove="Tests/BrokenTests.cs" /></ItemGroup></Project>')),
    "runsettings": ("tests_excluded", edited("a.runsettings", "<RunSettings></RunSettings>", "<RunSettings><RunConfiguration><TestCaseFilter>Name!=Broken</TestCaseFilter></RunConfiguration></RunSettings>")),
    "no test project": ("tests_excluded", edited("Directory.Build.props", "<Project></Project>", "<Project><PropertyGroup><IsTestProject>false</IsTestProject></PropertyGroup></Project>")),
}  # fmt: skip


@pytest.mark.parametrize("name", ATTACKS)
def test_a_weaker_setting_is_found(name: str) -> None:
    rule, workspace = ATTACKS[name]
    assert rule in rules(workspace)


# What these name is itself left out when they go.
BOTH_WAYS = {"python_files", "python_functions"}


@pytest.mark.parametrize("name", sorted(ATTACKS.keys() - BOTH_WAYS))
def test_the_same_change_undone_is_no_finding_of_that_rule(name: str) -> None:
    rule, workspace = ATTACKS[name]
    outcome = ProtectedConfig().run(FakeWorkspace(workspace.new, workspace.old))
    if isinstance(outcome, Scored):
        findings = outcome.evidence["findings"]
        assert isinstance(findings, list)
        assert rule not in {row["rule"] for row in findings}


HONEST: dict[str, FakeWorkspace] = {
    "a dependency": project(toml(addopts="-q -k good"), toml(addopts="-q -k good").replace('name = "x"', 'name = "x"\ndependencies = ["rich"]')),
    "a version": project(toml(), toml().replace('"x"', '"x"\nversion = "2"')),
    "reformatted": project(toml(addopts="-q --ignore=a"), toml(addopts=["-q", "--ignore=a"])),
    "another order": project(toml(addopts="-q", testpaths=["tests"]), toml(testpaths=["tests"], addopts="-q")),
    "moved to another file": FakeWorkspace({"setup.cfg": "[tool:pytest]\naddopts = -q -k good\nxfail_strict = true\n"}, {"setup.cfg": "[metadata]\nname = x\n", "pyproject.toml": toml(addopts="-q -k good", xfail_strict=True)}),
    "coverage moved": FakeWorkspace({".coveragerc": "[report]\nfail_under = 90\n"}, {"pyproject.toml": "[tool.coverage.report]\nfail_under = 95\n"}),
    "options for the output": project(toml(), toml(addopts="-ra -q --tb=short --strict-markers --durations=10 -n auto --cov=src --import-mode=importlib")),
    "cache provider": project(toml(), toml(addopts="-p no:cacheprovider")),
    "testpaths of all tests": project(toml(), toml(testpaths=["tests"])),
    "more testpaths": project(toml(testpaths=["tests"]), toml(testpaths=["tests", "docs"])),
    "folders without tests": project(toml(), toml(norecursedirs=["build", "node_modules", ".venv"])),
    "more files": project(toml(), toml(python_files=["test_*.py", "*_test.py", "check_*.py"])),
    "one warning less": project(toml(filterwarnings=["error"]), toml(filterwarnings=["error", "ignore::DeprecationWarning:pkg_resources"])),
    "a marker": project(toml(), toml(markers=["slow: takes long"])),
    "an expression of a workflow": edited(".github/workflows/ci.yml", "on: push\njobs:\n  a:\n    steps:\n      - run: mvn verify\n", "on: push\njobs:\n  a:\n    steps:\n      - run: mvn verify ${{ matrix.more || '' }}\n"),
    "strict in all things": project(toml(xfail_strict=True), toml(strict=True)),
    "strict": project(toml(), toml(xfail_strict=True, filterwarnings=["error"])),
    "another section": project(toml(), toml() + "[tool.ruff]\nline-length = 100\n[tool.mypy]\nstrict = true\n"),
    "more coverage": project("[report]\nfail_under = 80\n", "[report]\nfail_under = 90\nomit = tests/*\n", ".coveragerc"),
    "a comment": project("[pytest]\naddopts = -q\n", "[pytest]\n# -k and || true are not used\naddopts = -q\n", "pytest.ini"),
    "tox environment": project("[testenv]\ncommands = pytest\n", "[testenv]\ncommands = pytest {posargs}\n[testenv:docs]\ncommands = sphinx-build docs out\n", "tox.ini"),
    "conftest": project("", "import pytest\n\n@pytest.fixture\ndef x():\n    return 1\n", "tests/conftest.py"),
    "collect_ignore of a script": project("", "collect_ignore = ['docs']\n", "conftest.py"),
    "node dependency": edited("package.json", package("jest || true"), package("jest || true", dependencies={"lodash": "^4"})),
    "a new script": edited("package.json", package(), json.dumps({"name": "x", "scripts": {"test": "jest", "build": "tsc", "lint": "eslint . || true", "test:watch": "jest --watch"}})),
    "another runner": edited("package.json", package(), package("vitest run")),
    "coverage for jest": edited("package.json", package(), package("jest --coverage --ci")),
    "a build before": edited("package.json", package(), package("npm run build && jest")),
    "first package.json": added("package.json", package("jest")),
    "npm's placeholder": added("package.json", package('echo "Error: no test specified" && exit 1')),
    "jest settings": edited("package.json", package(), package(jest={"testEnvironment": "jsdom", "testPathIgnorePatterns": ["/node_modules/", "/dist/"], "moduleNameMapper": {"x": "y"}})),
    "jest more matches": edited("package.json", package(jest={"testMatch": ["**/*.test.js"]}), package(jest={"testMatch": ["**/*.test.{js,ts}"]})),
    "jest threshold up": edited("package.json", package(jest={"coverageThreshold": {"global": {"lines": 80}}}), package(jest={"coverageThreshold": {"global": {"lines": 90}}})),
    "vite settings": edited("vite.config.ts", "export default {}\n", "export default { plugins: [react()], test: { environment: 'jsdom', globals: true, include: ['src/**/*.test.ts'], exclude: ['node_modules', 'e2e/**'] } }\n"),
    "playwright settings": added("playwright.config.ts", "export default { testDir: './e2e', forbidOnly: !!process.env.CI, retries: process.env.CI ? 2 : 0, workers: 1 }\n"),
    "mocha settings": edited(".mocharc.json", '{"spec": "test"}', '{"spec": "test", "timeout": 5000, "require": "ts-node/register"}'),
    "make variable": edited("Makefile", "VERSION = 1\ntest:\n\tpytest\n", "VERSION = 2\ntest:\n\tpytest\n"),
    "make target": edited("Makefile", "test:\n\tpytest\n", "test:\n\tpytest\n\nclean:\n\t-rm -rf build\n\trm x || true\n"),
    "make more tests": edited("Makefile", "test:\n\tpytest tests/unit\n", "test:\n\tpytest tests\n"),
    "make verbose": edited("Makefile", "test:\n\tgo test ./...\n", "test:\n\tgo test -v -race -count=1 ./...\n"),
    "make first": added("Makefile", "test:\n\tpytest -q\n"),
    "script": edited("scripts/test.sh", "pytest\n", "set -euo pipefail\npip install -e . || true\npytest -q\n"),
    "CI version": edited(CI, workflow(), workflow().replace("v4", "v5")),
    "CI step": edited(CI, workflow(), workflow(step="      - run: mypy src\n      - uses: codecov/codecov-action@v4\n        continue-on-error: true\n")),
    "CI clean-up": edited(CI, workflow(), workflow(step="      - run: rm -rf cache || true\n")),
    "CI matrix": edited(CI, workflow(), workflow(job="    continue-on-error: ${{ matrix.experimental }}\n    strategy:\n      matrix: {python: ['3.11', '3.12']}\n")),
    "CI moved": FakeWorkspace({CI: workflow()}, {".github/workflows/test.yml": workflow("pytest -q")}),
    "CI condition": edited(CI, workflow(), workflow(job="    if: github.event_name == 'push'\n")),
    "first CI": added(CI, workflow("pytest -q")),
    "cargo dependency": edited("Cargo.toml", cargo(), cargo('[dependencies]\nserde = "1"\n[[bench]]\nname = "b"\nharness = false\n')),
    "cargo new test": edited("Cargo.toml", cargo(), cargo('[[test]]\nname = "ui"\nharness = false\n')),
    "cargo release": edited("Cargo.toml", cargo(), cargo("[profile.release]\noverflow-checks = false\n")),
    "go.mod": edited("go.mod", "module x\n", "module x\nrequire github.com/stretchr/testify v1.9.0\nreplace github.com/a/b => ../b\n"),
    "maven dependency": edited("pom.xml", pom(), pom(extra="<dependencies><dependency><artifactId>a</artifactId><exclusions><exclusion><artifactId>b</artifactId></exclusion></exclusions></dependency></dependencies>")),
    "maven profile": edited("pom.xml", pom(), pom(extra="<profiles><profile><id>quick</id><properties><skipTests>true</skipTests></properties></profile></profiles>")),
    "surefire version": edited("pom.xml", pom(), pom("<forkCount>2</forkCount><argLine>-Xmx1g</argLine>")),
    "gradle dependency": edited("build.gradle", "dependencies {\n}\n", "dependencies {\n  testImplementation('a:b:1') { exclude group: 'c' }\n}\njar { enabled = false }\ntest { useJUnitPlatform() }\n"),
    ".rspec format": edited(".rspec", "--color\n", "--color\n--format documentation\n--require spec_helper\n"),
    "csproj package": edited("a.csproj", "<Project></Project>", '<Project><ItemGroup><PackageReference Include="xunit" Version="2" /></ItemGroup></Project>'),
    "to TypeScript": edited("package.json", package("mocha test/**/*.js"), package("mocha -r ts-node/register 'test/**/*.ts'")),
    "another interpreter": edited("Makefile", "test:\n\tpytest\n", "PY ?= python3\n\ntest: deps\n\t$(PY) -m pytest -v\n"),
    "CI split in two": edited(CI, workflow(), workflow("pytest tests/unit", step="      - run: pytest tests/integration\n")),
    "undone": edited("package.json", package("jest || true --passWithNoTests"), package("jest")),
    "entities are refused": edited("pom.xml", pom(), '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><project>&b;</project>'),
    "aliases": edited(CI, workflow(), "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n" + workflow()),
}  # fmt: skip


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_change_passes(name: str) -> None:
    assert rules(HONEST[name]) == []


def test_no_configuration_changed_is_not_applicable() -> None:
    assert isinstance(ProtectedConfig().run(edited("src/a.py", "x", "y")), NotApplicable)
    assert isinstance(ProtectedConfig().run(FakeWorkspace()), NotApplicable)


def test_a_finding_says_where_and_what() -> None:
    outcome = ProtectedConfig().run(
        project(ini(addopts="-q"), ini(testpaths="tests", addopts="-q -k good"), "pytest.ini")
    )
    assert isinstance(outcome, Scored)
    assert outcome.evidence["findings"] == [
        {"rule": "narrowed", "path": "pytest.ini", "line": 3, "before": "-q", "after": "-k good"}
    ]


def test_further_paths_may_be_protected() -> None:
    check = ProtectedConfig(patterns=("infra/*",))
    outcome = check.run(edited("infra/deep/a.tf", "x", "y"))
    assert isinstance(outcome, Scored)
    assert outcome.evidence["findings"] == [
        {"rule": "protected_path", "path": "infra/deep/a.tf", "line": 1, "before": None, "after": "modified"}
    ]
    assert isinstance(check.run(edited("src/a.py", "x", "y")), NotApplicable)


def test_an_empty_list_of_patterns_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        ProtectedConfig(patterns=())


def test_what_can_not_be_read_is_said() -> None:
    outcome = ProtectedConfig().run(edited(CI, workflow(), "a: [\n"))
    assert isinstance(outcome, Scored)
    assert outcome.evidence["notes"] == [f"{CI}: can't be read as YAML."]


PATHS = ("pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini", ".coveragerc", "package.json", "jest.config.js", ".mocharc.yml", "Makefile",
         "run_tests.sh", CI, "Cargo.toml", "go.mod", "pom.xml", "build.gradle", ".rspec", "Rakefile", "a.csproj", "noxfile.py", "conftest.py", ".env")  # fmt: skip


@examples(300)
@given(st.binary(max_size=800), st.binary(max_size=800), st.sampled_from(PATHS))
def test_no_bytes_raise(after: bytes, before: bytes, path: str) -> None:
    assert isinstance(ProtectedConfig().run(edited(path, before, after + b"\n")), Scored | NotApplicable)


PARTS = (
    "[pytest]\n",
    "addopts = ",
    "-k x ",
    "'",
    '"',
    "\n",
    "[tool.pytest.ini_options]\n",
    "a: ",
    "- ",
    "{",
    "}",
    "[",
    "]",
    "run: pytest\n",
    "&a ",
    "*a ",
    "<a>",
    "</a>",
    "test:\n\t",
    "|| true",
    "= ",
    "\t",
    ",",
)


@examples(300)
@given(
    st.lists(st.sampled_from(PARTS), max_size=60).map("".join),
    st.lists(st.sampled_from(PARTS), max_size=60).map("".join),
    st.sampled_from(PATHS),
)
def test_no_text_of_suggestive_parts_raises(after: str, before: str, path: str) -> None:
    assert isinstance(ProtectedConfig().run(edited(path, before, after + "\n")), Scored | NotApplicable)


@pytest.mark.parametrize("path", PATHS)
def test_deep_nesting_does_not_raise(path: str) -> None:
    for text in ("[" * 3000, "{" * 3000, "a: " * 3000, "- " * 3000, "<a>" * 20_000, "(" * 3000, '{"a":' * 3000):
        assert isinstance(ProtectedConfig().run(edited(path, "x", text)), Scored | NotApplicable)


@pytest.mark.parametrize("patterns", [(), ("",), ("ci/",), ("./ci/*",), ("/ci/*",)])
def test_patterns_that_would_protect_nothing_are_refused(patterns: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"at least one|a pattern must be written as paths"):
        ProtectedConfig(patterns)
