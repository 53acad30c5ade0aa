"""Options and settings that leave tests out, runner by runner; and those that look alike."""

import pytest

from assay.checks.protected_config import ProtectedConfig
from assay.core.outcome import NotApplicable, Scored
from tests.checks.fake_workspace import FakeWorkspace

WORKFLOW = "on: push\njobs:\n  a:\n    steps:\n      - run: {}\n"
LEFT_OUT = [
    *(
        (f"{runner} --colors", option)
        for runner, option in (
            ("phpunit", "--exclude-group billing"),
            ("vendor/bin/phpunit", "--exclude-group billing"),
            ("./vendor/bin/phpunit", "--filter CartTest"),
            ("php vendor/bin/phpunit", "--testsuite unit"),
            ("vendor/bin/pest", "--exclude-filter slow"),
            ("php artisan test", "--group fast"),
            ("composer test --", "--exclude-testsuite slow"),
        )
    ),
    ("rspec", "--tag ~slow"),
    ("bin/rspec", "-e cart"),
    ("rails test", "-n /cart/"),
    ("mocha", "--grep slow --invert"),
    ("mocha --grep slow", "--invert"),
    ("node_modules/.bin/mocha", "--fgrep slow -i"),
    ("go test ./...", "-skip TestCart"),
    ("go test ./...", "-test.skip=TestCart"),
    ("ginkgo ./...", "--label-filter '!slow'"),
    ("cargo test", "-- --skip cart"),
    ("cargo test", "cart"),
    ("cargo test", "-- cart --exact"),
    ("cargo nextest run", "-E 'not test(cart)'"),
    ("dotnet test", "--filter Category!=Slow"),
    ("dotnet test", "--filter:FullyQualifiedName!~Cart"),
    ("dotnet vstest a.dll", "/TestCaseFilter:Name=x"),
    ("mvn verify", "-Dgroups=fast"),
    ("mvn test", "-Dsurefire.excludesFile=x.txt"),
    ("ctest", "-LE slow"),
    ("ctest", "--exclude-regex cart"),
    ("bats test", "--filter-tags '!slow'"),
    ("behave", "--tags=~slow"),
    ("playwright test", "--grep-invert slow"),
    ("xcodebuild test -scheme A", "-skip-testing:A/CartTests"),
    (".venv/bin/pytest", "--deselect tests/test_a.py"),
]


def judged(path: str, before: str | None, after: str) -> bool | None:
    """Whether a change passes; None if there is nothing to say."""
    found = ProtectedConfig().run(FakeWorkspace({} if before is None else {path: before}, {path: after}))
    assert isinstance(found, Scored | NotApplicable)
    return found.passed if isinstance(found, Scored) else None


def of_workflow(before: str, after: str) -> bool | None:
    return judged(".github/workflows/t.yml", WORKFLOW.format(before), WORKFLOW.format(after))


@pytest.mark.parametrize(("command", "option"), LEFT_OUT)
def test_an_option_that_leaves_tests_out(command: str, option: str) -> None:
    assert of_workflow(command, f"{command} {option}") is False
    assert of_workflow(f"{command} {option}", f"{command} {option} ") is not False


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("phpunit", "phpunit --colors --log-junit report.xml"),
        ("phpunit", "vendor/bin/phpunit"),
        ("vendor/bin/phpunit", "composer test"),
        ("composer install", "composer install --no-dev --exclude x"),
        ("ctest", "ctest --output-on-failure -j 4"),
        ("pytest", "pytest -n 4"),
        ("rspec", "rspec --format documentation -I lib"),
        ("rails test", "rails test -v"),
        ("cargo test", "cargo test --workspace --all-features"),
        ("cargo test", "cargo test -- --nocapture"),
        ("dotnet test", "dotnet test --logger trx -c Release"),
        ("mvn test", "mvn -B test -Dstyle.color=never"),
        ("go test ./...", "go test -race -v ./..."),
        ("behave", "behave --format plain"),
        ("playwright test", "playwright test --project=chromium --workers 2"),
        ("xcodebuild test -scheme A", "xcodebuild test -scheme A -destination x"),
        ("mocha", "mocha --reporter dot"),
    ],
)
def test_an_option_that_leaves_none_out(before: str, after: str) -> None:
    assert of_workflow(before, after) is not False


# --- composer.json and phpunit.xml ---


@pytest.mark.parametrize(
    ("before", "after", "passes"),
    [
        ('"phpunit"', '"phpunit --exclude-group billing"', False),
        ('["@php vendor/bin/phpunit"]', '["@php vendor/bin/phpunit --filter CartTest"]', False),
        ('["phpunit"]', '["phpunit || true"]', False),
        ('"phpunit"', '"echo ok"', False),
        ('"phpunit"', '["@php vendor/bin/phpunit --colors"]', True),
        ('["phpunit"]', '["phpstan", "phpunit"]', True),
    ],
)
def test_scripts_of_composer(before: str, after: str, passes: bool) -> None:
    old, new = (f'{{"scripts": {{"test": {script}}}}}' for script in (before, after))
    assert judged("composer.json", old, new) is passes


@pytest.mark.parametrize(
    "text", ["[]", '{"scripts": 1}', '{"scripts": {"test": null}}', "{", '{"require": {"a": "1"}}']
)
def test_a_composer_file_of_another_shape(text: str) -> None:
    assert judged("composer.json", '{"require": {"a": "2"}}', text) is not False


XML = """<?xml version="1.0"?>
<phpunit colors="true" failOnRisky="true">
  <testsuites><testsuite name="all"><directory>tests</directory></testsuite></testsuites>
</phpunit>
"""
SUITE = "<directory>tests</directory>"


@pytest.mark.parametrize("name", ["phpunit.xml", "app/phpunit.xml.dist", "phpunit.dist.xml", "phpunit-ci.xml"])
@pytest.mark.parametrize(
    ("old", "new", "passes"),
    [
        ("</phpunit>", "<groups><exclude><group>billing</group></exclude></groups></phpunit>", False),
        ("</phpunit>", "<groups><include><group>fast</group></include></groups></phpunit>", False),
        (SUITE, f"{SUITE}<exclude>tests/CartTest.php</exclude>", False),
        (SUITE, "<directory>tests/unit</directory>", False),
        (SUITE, '<directory suffix="CartTest.php">tests</directory>', False),
        (' failOnRisky="true"', "", False),
        (' failOnRisky="true"', ' failOnRisky="true" defaultTestSuite="fast"', False),
        (SUITE, f"{SUITE}<directory>more</directory>", True),
        (SUITE, "<directory>test</directory>", True),
        (SUITE, '<directory suffix="Test.php">./tests</directory>', True),
        ("</phpunit>", "<source><exclude><directory>src/x</directory></exclude></source></phpunit>", True),
        ('colors="true"', 'colors="false" cacheDirectory=".cache"', True),
        ("<testsuites>", "<!DOCTYPE a [<!ENTITY b 'c'>]><testsuites>", False),
    ],
)
def test_settings_of_phpunit(old: str, new: str, passes: bool, name: str) -> None:
    assert judged(name, XML, XML.replace(old, new)) is passes


def test_settings_of_phpunit_under_another_name() -> None:
    after = {"phpunit.xml.dist": XML.replace('colors="true"', 'colors="false"')}
    found = ProtectedConfig().run(FakeWorkspace({"phpunit.xml": XML}, after))
    assert isinstance(found, Scored)
    assert found.passed


def test_new_settings_of_phpunit() -> None:
    assert judged("phpunit.xml", None, XML) is True
    assert judged("phpunit.xml", None, XML.replace(SUITE, f"{SUITE}<exclude>tests/A.php</exclude>")) is False


# --- Maven and Gradle ---


@pytest.mark.parametrize(
    "added",
    ["<excludes><exclude>**/CartTest.java</exclude></excludes>", "<excludesFile>x.txt</excludesFile>"],
)
def test_surefire(added: str) -> None:
    pom = (
        "<project><build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><configuration>{}"
        "</configuration></plugin></plugins></build></project>"
    )
    assert judged("pom.xml", pom.format(""), pom.format(added)) is False
    assert judged("pom.xml", pom.format(""), pom.format("<argLine>-Xmx1g</argLine>")) is True


def test_properties_of_surefire() -> None:
    pom = "<project><properties>{}</properties></project>"
    excluded = "<surefire.excludes>**/CartTest.java</surefire.excludes>"
    assert judged("pom.xml", pom.format(""), pom.format(excluded)) is False


def test_gradle() -> None:
    task = "test {\n  useJUnitPlatform()\n}\n"
    filtered = task.replace("()", '()\n  filter { excludeTestsMatching "*Cart*" }', 1)
    assert judged("build.gradle", task, filtered) is False


NEXTEST = "[profile.default]\nretries = 0\n"


@pytest.mark.parametrize(
    ("before", "after", "passes"),
    [
        (None, "[profile.ci]\ndefault-filter = 'not test(total)'\n", False),
        (NEXTEST, f"{NEXTEST}default-filter = 'not test(total)'\n", False),
        (f"{NEXTEST}default-filter = 'all()'\n", f"{NEXTEST}default-filter = 'all()'\nfail-fast = false\n", True),
    ],
)
def test_what_nextest_leaves_out(before: str | None, after: str, passes: bool) -> None:
    files = {".config/nextest.toml": after}
    outcome = ProtectedConfig().run(
        FakeWorkspace({} if before is None else {".config/nextest.toml": before}, files)
    )
    assert isinstance(outcome, Scored)
    assert outcome.passed is passes
