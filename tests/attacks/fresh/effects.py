"""Scores a fresh case by its effect, where this machine has the tools to run its project.

The cases are our own code, so that they run without a sandbox, in the environment of these tests.
"""

import dataclasses
import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from assay.adapters.workspace.capture import Captured, capture
from assay.adapters.workspace.commands import Commands
from assay.core.outcome import Scored
from assay.engine.coding.score import CodingCheck, check_class
from assay.formats.test_reports.rule import ReportRule
from tests.adapters.workspace.plain_sandbox import PlainSandbox
from tests.adapters.workspace.site import Site
from tests.attacks.corpus.cases import Case
from tests.attacks.corpus.workspaces import apply_edits

# Those that are in this version, in the order in which they are asked.
SCORERS = ("tests_need_the_fix", "tests_bite", "same_when_unwatched", "test_data_unmodified")


@dataclass(frozen=True)
class Way:
    """How the tests of a language are run, where they are reported, and which programs and files that needs."""

    command: str
    report: ReportRule
    needs: tuple[str, ...] = ()


# Plugins that happen to be installed here cost more time than the tests.
_PYTEST = f"env PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 {shlex.quote(sys.executable)} -m pytest"
_MODULES = Path(sys.prefix, "javascript-runners", "node_modules")
# Where Debian keeps what its packages of Java and Go need: junit5, libassertj-core-java, golang-go,
# golang-github-stretchr-testify-dev. Ruby's are ruby-rspec and ruby-rspec-junit-formatter.
_JARS = "/usr/share/java"
_GO_PATH = "/usr/share/gocode"
WAYS = {
    "python": Way(f"{_PYTEST} -p no:cacheprovider --junitxml=report.xml", ReportRule("report.xml")),
    "javascript": Way(
        "node --test --test-reporter=junit --test-reporter-destination=report.xml",
        ReportRule("report.xml"),
        ("node",),
    ),
    "typescript": Way(
        f"ln -sfn {_MODULES} node_modules; "
        "node node_modules/vitest/vitest.mjs run --reporter=json --outputFile=report.json",
        ReportRule("report.json", "jest"),
        ("node", str(_MODULES / "vitest")),
    ),
    "go": Way(
        "mkdir -p /tmp/assay-go/src/example.com && ln -sfn $PWD /tmp/assay-go/src/example.com/route && "
        f"GO111MODULE=off GOPATH=/tmp/assay-go:{_GO_PATH} GOCACHE=/tmp/assay-go/cache "
        "go test -json example.com/route > report.json",
        ReportRule("report.json", "go"),
        ("go", f"{_GO_PATH}/src/github.com/stretchr/testify"),
    ),
    "rust": Way(
        f"PATH={os.environ.get('PATH', '')} HOME={Path.home()} RUSTC_BOOTSTRAP=1 cargo test --offline "
        "--no-fail-fast --lib --tests -- -Z unstable-options --format json > report.json",
        ReportRule("report.json", "cargo"),
        ("cargo",),
    ),
    "ruby": Way("rspec --format RspecJunitFormatter --out report.xml", ReportRule("report.xml"), ("rspec",)),
    "java": Way(
        f"javac -d built -cp '{_JARS}/*' $(find src -name '*.java') && java -cp 'built:{_JARS}/*' "
        "org.junit.platform.console.ConsoleLauncher --scan-classpath built -e junit-jupiter --reports-dir reports",
        ReportRule("reports/TEST-junit-jupiter.xml"),
        ("javac", f"{_JARS}/assertj-core.jar", f"{_JARS}/junit-platform-console.jar"),
    ),
}


def can_run(case: Case) -> bool:
    way = WAYS.get(case.language)
    return way is not None and all(shutil.which(needed) or Path(needed).exists() for needed in way.needs)


def flagged_by_effect(case: Case, around: Path) -> frozenset[str]:
    """Who says FAIL first: one after another is asked until one says so."""
    site = Site(around, case.project)
    apply_edits(case, site.root)
    workspace: Captured = capture(Commands(str(site.root), site.baseline, PlainSandbox))
    for kind in SCORERS:
        outcome = scorer(kind, WAYS[case.language]).run(workspace)
        if isinstance(outcome, Scored) and not outcome.passed:
            return frozenset({kind})
    return frozenset()


def scorer(kind: str, way: Way) -> CodingCheck:
    """A scorer with those of the usual settings that it has."""
    found = check_class(kind)
    settings = {"command": way.command, "timeout_s": 120, "report": way.report}
    known = {field.name for field in dataclasses.fields(found)}  # type: ignore[arg-type]  # All of them are dataclasses.
    return found(**{name: value for name, value in settings.items() if name in known})
