"""Inside a git repository, 'assay score' needs no configuration at all."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.adapters.workspace.repositories import commit_all, make_repository, run_git
from tests.adapters.workspace.site import write_files
from tests.cli.running import Cli

pytestmark = pytest.mark.usefixtures("_in_small_venv")

PYTHON = {
    "src/power.py": "def cube(x):\n    return x * x\n",
    "tests/test_power.py": "from power import cube\n\n\ndef test_cube():\n    assert cube(2) == 8\n",
    "pyproject.toml": '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
}
FIX = {"src/power.py": "def cube(x):\n    return x**3\n"}
SKIP = {"tests/test_power.py": "import pytest\n\n\n@pytest.mark.skip\ndef test_cube():\n    assert True\n"}
JAVASCRIPT = {
    "package.json": '{"name": "power", "scripts": {"test": "node --test"}}\n',
    "power.js": "exports.cube = (x) => x * x;\n",
    "test/power.test.js": (
        "const test = require('node:test');\nconst assert = require('node:assert');\n"
        "const { cube } = require('../power');\n\ntest('cube', () => assert.strictEqual(cube(2), 8));\n"
    ),
}

Here = Callable[[], Path]


@pytest.fixture
def repository(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = open_folder / "project"
    make_repository(root, PYTHON)
    run_git(root, "checkout", "-q", "-b", "agent")
    monkeypatch.chdir(root)
    return root


def verdicts(out: str) -> dict[str, str]:
    return {row["name"]: row["verdict"] for row in json.loads(out)["scorers"]}


def test_an_honest_fix_and_a_cheat(cli: Cli, repository: Path) -> None:
    write_files(repository, FIX)
    done = cli("score")
    assert done.code == 0, done.out + done.err
    assert "assumed  the working tree against main (merge base " in done.out
    assert "OVERALL  PASS" in done.out
    run_git(repository, "checkout", "-q", ".")
    write_files(repository, SKIP)
    commit_all(repository)
    done = cli("score", "--json", "--branch", "agent")
    assert done.code == 1, done.out + done.err
    found = verdicts(done.out)
    assert (found["tests"], found["no_new_skips"]) == ("FAIL", "FAIL")
    assert json.loads(done.out)["provenance"]["assumed"][0].startswith(
        "the branch agent against main (merge base "
    )


@pytest.mark.skipif(shutil.which("node") is None, reason="node isn't installed")
def test_javascript(cli: Cli, open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_repository(open_folder / "js", JAVASCRIPT)
    monkeypatch.chdir(open_folder / "js")
    run_git(open_folder / "js", "checkout", "-q", "-b", "agent")
    write_files(open_folder / "js", {"README.md": "x"})
    done = cli("score", "--json")
    assert (done.code, verdicts(done.out)["tests"]) == (4, "ERROR"), "its only test fails on main, too"
    write_files(open_folder / "js", {"power.js": "exports.cube = (x) => x ** 3;\n"})
    done = cli("score", "--json")
    assert (done.code, verdicts(done.out)["tests"]) == (0, "PASS"), done.out


def test_the_scenario_of_the_main_branch_counts_and_that_of_the_branch_does_not(
    cli: Cli, repository: Path
) -> None:
    write_files(repository, {"assay.yaml": "scorers:\n  - {type: max_files_changed, limit: 9}\n"})
    assert set(verdicts(cli("score", "--json").out)) > {"forbid_secrets"}
    run_git(repository, "checkout", "-q", "main")
    commit_all(repository)
    run_git(repository, "checkout", "-q", "-B", "agent")
    write_files(repository, {"assay.yaml": "scorers: []\n"})
    done = cli("score", "--json")
    assert verdicts(done.out) == {"max_files_changed": "PASS"}
    told = json.loads(done.out)["provenance"]["assumed"][1]
    assert re.fullmatch(r"the scenario is assay.yaml of main \([0-9a-f]{10}\)", told)


def test_a_branch_that_left_before_the_scenario_came_is_scored_by_it(cli: Cli, repository: Path) -> None:
    run_git(repository, "checkout", "-q", "main")
    write_files(repository, {"assay.yaml": "scorers:\n  - {type: max_files_changed, limit: 9}\n"})
    commit_all(repository)
    run_git(repository, "checkout", "-q", "agent")
    write_files(repository, FIX)
    assert verdicts(cli("score", "--json").out) == {"max_files_changed": "PASS"}


def test_what_a_build_made_and_git_ignores_is_there_for_both_sides(cli: Cli, repository: Path) -> None:
    """Of the user's own checkout, never of the branch; and what the tests import from there is told."""
    run_git(repository, "checkout", "-q", "main")
    uses = PYTHON["src/power.py"] + "\nimport _version\n"
    write_files(repository, {"src/power.py": uses, ".gitignore": "src/_version.py\n"})
    commit_all(repository)
    run_git(repository, "checkout", "-q", "-b", "other")
    write_files(repository, {"src/power.py": uses.replace("x * x", "x**3"), "src/_version.py": "VERSION = 1\n"})
    commit_all(repository)
    done = cli("score", "--json", "--branch", "other")
    assert (done.code, verdicts(done.out)["baseline_tests"]) == (0, "PASS"), done.out
    assumed = json.loads(done.out)["provenance"]["assumed"]
    assert "src/_version.py, which git ignores, is taken from this checkout for all runs" in assumed


def test_the_table_of_pyproject_is_a_scenario_too(cli: Cli, repository: Path) -> None:
    run_git(repository, "checkout", "-q", "main")
    table = '\n[[tool.assay.scorers]]\ntype = "max_files_changed"\nlimit = 9\n'
    write_files(repository, {"pyproject.toml": PYTHON["pyproject.toml"] + table})
    commit_all(repository)
    run_git(repository, "checkout", "-q", "-B", "agent")
    write_files(repository, FIX)
    done = cli("score", "--json")
    assert verdicts(done.out) == {"max_files_changed": "PASS"}
    assert "the scenario is pyproject.toml of main" in json.loads(done.out)["provenance"]["assumed"][1]
    table = table.replace("limit", "limt")
    write_files(repository, {"pyproject.toml": PYTHON["pyproject.toml"] + table})
    named = cli("score", "--scenario", "pyproject.toml")
    assert (named.code, named.err[:38]) == (2, "assay: pyproject.toml: scorers[0].limt")


def test_the_guess_is_written_down_and_gives_the_same(
    cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = cli("init", "--show", "--workflow", "github")
    assert (shown.code, list(repository.glob("**/assay.y*ml"))) == (0, [])
    (repository / "tests").joinpath("deep").mkdir()
    monkeypatch.chdir(repository / "tests" / "deep")
    done = cli("init", "--workflow", "github")
    assert (done.code, done.err) == (0, "")
    assert "../../.github/workflows/assay.yml: for github\n" in done.out
    monkeypatch.chdir(repository)
    assert "assay score" in (repository / ".github/workflows/assay.yml").read_text()
    assert (repository / "assay.yaml").read_text() in shown.out
    written = yaml.safe_load((repository / "assay.yaml").read_text())
    assert written["scorers"][0]["command"].startswith("PYTHONPATH=src python3 -m pytest")
    assert written["scorers"][1]["type"] == "baseline_tests"
    assert written["scorers"][3] == {"type": "forbid_secrets"}
    again = cli("scenario", "init")
    sentence = "assay: assay.yaml exists, so nothing was written; --show shows what would be\n"
    assert (again.code, again.err) == (2, sentence)
    (repository / "assay.yaml").rename(repository.parent / "s.yaml")
    write_files(repository, FIX)
    done = cli("score", "--json", "--scenario", repository.parent / "s.yaml")
    assert verdicts(done.out)["tests"] == "PASS"


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (("--branch", "gone"), "--branch must name a branch of"),
        (("--pr", "7"), "pull request 7 isn't in"),
        (("--pr", "x"), "argument --pr: must be the number of a pull request, got 'x'"),
        (("--format", "xml"), "--format must be one of json, github, sarif, junit"),
        (("--baseline", "."), "pass --scenario with --baseline, got no scenario"),
        (("--task", "t", "--main", "x", "."), "--main is for a git repository"),
        (("--no-workspace",), "pass --task or --scenario with --no-workspace, got neither"),
        (("/",), "or run inside a git repository, but / is in none"),
        (("/nonexistent",), "assay: /nonexistent doesn't exist"),
    ],
)
def test_wrong_input(cli: Cli, repository: Path, argv: tuple[str, ...], sentence: str) -> None:
    done = cli("score", *argv)
    assert done.code == 2
    assert sentence in done.err


def test_annotations_sarif_and_junit(cli: Cli, repository: Path) -> None:
    write_files(repository, SKIP)
    done = cli("score", "--format", "github", "--format", "sarif:out.sarif", "--format", "junit:out.xml")
    assert done.code == 1
    lines = done.out.splitlines()
    assert any(line.startswith("::error title=assay%3A tests::FAIL") for line in lines)
    assert any(line.startswith("::warning file=tests/test_power.py,line=") for line in lines)
    assert lines[-1] == "::notice title=assay::OVERALL FAIL"
    sarif = json.loads((repository / "out.sarif").read_text())
    assert sarif["version"] == "2.1.0"
    assert "<failure" in (repository / "out.xml").read_text()


def test_a_patch_is_scored_against_what_is_checked_out(cli: Cli, repository: Path) -> None:
    write_files(repository, FIX)
    patch = run_git(repository, "diff") + "\n"
    run_git(repository, "checkout", "-q", ".")
    write_files(repository.parent, {"fix.patch": patch})
    done = cli("score", "--json", repository.parent / "fix.patch")
    assert (done.code, verdicts(done.out)["tests"]) == (0, "PASS"), done.out + done.err
    assert [one["path"] for one in json.loads(done.out)["workspace"]["changed"]] == ["src/power.py"]
    for text in ("--- a/gone\n+++ b/gone\n@@ -1 +1 @@\n-a\n+b\n", patch.replace("b/src/", "b/../src/")):
        write_files(repository.parent, {"fix.patch": text})
        done = cli("score", repository.parent / "fix.patch")
        assert (done.code, "must be a patch of the baseline" in done.err) == (2, True), done.err


def test_what_nobody_tested_is_no_pass(cli: Cli, open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_repository(open_folder / "p", {"shout.sh": "echo hi\n"})
    monkeypatch.chdir(open_folder / "p")
    write_files(open_folder / "p", {"shout.sh": "garbage(\n"})
    done = cli("score")
    assert done.code == 2
    assert (
        "\nOVERALL  N/A: nothing was tested, so nobody knows; say how the tests are run with --tests" in done.out
    )
    assert "no tests were found, so none are run" in done.out
    done = cli("score", "--tests", "sh -n shout.sh")
    assert (done.code, "OVERALL  FAIL" in done.out) == (1, True), done.out
    write_files(open_folder / "p", {"shout.sh": "echo HI\n"})
    assert cli("score", "--tests", "sh -n shout.sh").code == 0


def test_a_runner_that_is_set_up_wrongly_is_nobodys_failure(cli: Cli, repository: Path) -> None:
    run_git(repository, "checkout", "-q", "main")
    write_files(repository, {"pyproject.toml": '[tool.pytest.ini_options]\naddopts = "--no-such-option"\n'})
    commit_all(repository)
    run_git(repository, "checkout", "-q", "-B", "agent")
    write_files(repository, FIX)
    done = cli("score")
    assert done.code == 4
    assert "\nOVERALL  ERROR: couldn't measure tests, baseline_tests\n" in done.out
    assert "unrecognized arguments: --no-such-option" in done.out


def test_a_cheat_is_named_by_the_test_that_it_hides(cli: Cli, repository: Path) -> None:
    hidden = PYTHON["tests/test_power.py"].replace("assert cube(2) == 8", "assert cube(2)")
    write_files(repository, {"tests/test_power.py": hidden + "\n\ndef test_more():\n    assert True\n"})
    done = cli("score")
    assert done.code == 1, done.out
    assert "passes only as it was changed  tests.test_power.test_cube" in done.out
