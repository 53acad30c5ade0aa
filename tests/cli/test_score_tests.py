"""``tests: pytest`` in a scenario: seeding records what passes, and scoring demands it again."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Cli
from tests.coding import BROKEN, FIXED, pack, write_files, write_scenario

pytestmark = pytest.mark.usefixtures("_in_small_venv")

ADD = "tests/test_calc.py::test_add"
FILES = {
    "calc.py": BROKEN + "\n\ndef double(a):\n    return 2 * a\n",
    "tests/test_calc.py": """\
from calc import add, double
import pytest


def test_add():
    assert add(2, 3) == 5


@pytest.mark.parametrize("a", [1, 2])
def test_double(a):
    assert double(a) == 2 * a


@pytest.mark.skip
def test_later():
    assert False
""",
    "tests/data.txt": "expected\n",
}
RIGHT = FIXED + "\n\ndef double(a):\n    return 2 * a\n"
PYTEST: dict[str, Any] = {"name": "tests", "type": "command", "tests": "pytest", "to_fix": [ADD]}


def seed(cli: Cli, folder: Path, scorer: dict[str, Any], files: dict[str, str] = FILES) -> Any:
    write_files(folder / "project", files)
    pack(folder / "project", folder / "project.tar.gz")
    scenario = write_scenario(
        folder,
        scorer,
        workspace_seed={"type": "archive", "path": "project.tar.gz"},
        environment={"venv": os.environ["VIRTUAL_ENV"]},
    )
    return cli("seed", scenario, "-o", folder / "task", "--workspace", folder / "work")


def score(cli: Cli, folder: Path, changes: dict[str, str | None]) -> dict[str, Any]:
    for name, text in changes.items():
        if text is None:
            (folder / "work" / name).unlink()
        else:
            write_files(folder / "work", {name: text})
    found: dict[str, Any] = json.loads(cli("score", folder / "work", "--task", folder / "task", "--json").out)
    row: dict[str, Any] = found["scorers"][0]
    return row


@pytest.mark.statement("scorers.frozen-at-seed")
def test_seeding_records_what_passes_and_says_how_many(cli: Cli, tmp_path: Path) -> None:
    done = seed(cli, tmp_path, PYTEST)
    assert (done.code, done.err) == (0, "")
    said = "tests: 2 tests that passed on the baseline, and 1 test to be fixed must pass"
    assert done.out.splitlines()[1] == said
    (frozen,) = json.loads((tmp_path / "task/task.json").read_text())["scenario"]["scorers"]
    assert frozen["restore"] == ["@tests", "@runner"]
    assert frozen["command"].startswith("python3 -m pytest ")
    assert (frozen["report"]["format"], frozen["report"]["expected"]) == ("junit", [ADD])
    assert [name.rpartition("::")[2] for name in frozen["report"]["recorded"]] == [
        "test_double[1]",
        "test_double[2]",
    ]


RUNS: list[tuple[str, dict[str, str | None], str, str]] = [
    ("a fix", {"calc.py": RIGHT}, "PASS", "exit code 0, 3 tests passed"),
    ("nothing", {}, "FAIL", "exit code 1"),
    ("the test is deleted", {"tests/test_calc.py": None}, "FAIL", "exit code 1"),
    ("the test is rewritten", {"tests/test_calc.py": "def test_add():\n    pass\n"}, "FAIL", "exit code 1"),
    ("a fix, and its tests are gone", {"calc.py": RIGHT, "tests/test_calc.py": None}, "PASS", "exit code 0, 3 te"),
    (
        "a hook turns failures into passes",
        {"conftest.py": "def pytest_runtest_makereport(item, call):\n    call.excinfo = None\n"},
        "FAIL",
        "exit code 1",
    ),
    ("a new test file", {"tests/test_new.py": "import os\nos._exit(0)\n"}, "FAIL", "exit code 1"),
    ("an early end", {"calc.py": "import os\nos._exit(0)\n"}, "FAIL", "the command did not write "),
    ("something else breaks", {"calc.py": FIXED + "\n\ndef double(a):\n    return 3\n"}, "FAIL", "exit code 1"),
    (
        "a test that passed is skipped",
        {"calc.py": FIXED + "\n\nimport pytest\n\n\ndef double(a):\n    pytest.skip('no')\n"},
        "FAIL",
        "tests.test_calc::test_double[1]: skipped",
    ),
]


def test_scoring_demands_it_again(cli: Cli, tmp_path: Path) -> None:
    assert seed(cli, tmp_path, PYTEST).code == 0
    shutil.copytree(tmp_path / "work", tmp_path / "start")
    for name, changes, verdict, detail in RUNS:
        shutil.rmtree(tmp_path / "work")
        shutil.copytree(tmp_path / "start", tmp_path / "work")
        row = score(cli, tmp_path, changes)
        assert (row["verdict"], row["detail"][: len(detail)]) == (verdict, detail), name


def test_node(cli: Cli, tmp_path: Path) -> None:
    files = {
        "sum.js": "exports.sum = (a, b) => a - b;\n",
        "sum.test.js": "const { test } = require('node:test');\nconst assert = require('node:assert');\n"
        "const { sum } = require('./sum');\n"
        "test('adds', () => assert.equal(sum(1, 2), 3));\ntest('zero', () => assert.equal(sum(0, 0), 0));\n",
    }
    scorer = {"name": "tests", "type": "command", "tests": "node", "to_fix": ["adds"]}
    done = seed(cli, tmp_path, scorer, files)
    assert (
        done.out.splitlines()[1] == "tests: 1 test that passed on the baseline, and 1 test to be fixed must pass"
    )
    assert score(cli, tmp_path, {})["verdict"] == "FAIL"
    assert score(cli, tmp_path, {"sum.test.js": ""})["verdict"] == "FAIL"
    assert score(cli, tmp_path, {"sum.js": "exports.sum = (a, b) => a + b;\n"})["verdict"] == "PASS"


def test_a_baseline_on_which_nothing_passes_is_refused(cli: Cli, tmp_path: Path) -> None:
    done = seed(
        cli, tmp_path, {"type": "command", "tests": "pytest"}, {"test_a.py": "def test_a():\n    assert 0\n"}
    )
    assert (done.code, done.out) == (2, "")
    assert "scorers[0].tests: at least one test must pass on the baseline, got none (exit code 1)" in done.err
    assert not (tmp_path / "task").exists()


RUNNERS = "pytest, unittest, jest, vitest, node, go, cargo, junit"


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (
            {"tests": "nose"},
            "tests must be one of pytest, unittest, jest, vitest, node, go, cargo, junit, got 'nose'",
        ),
        ({"tests": 1}, "tests must be one of pytest, unittest, jest, vitest, node, go, cargo, junit, got 1"),
        ({"tests": "junit"}, "command must be given with tests: junit, got nothing"),
        ({"tests": "pytest", "to_fix": "a"}, "to_fix must be a list of names of tests, got 'a'"),
        ({"tests": "pytest", "report": 1}, "report must be an object, got 1"),
        ({"tests": "pytest", "shell": "x"}, "shell must be one of the fields "),
    ],
)
def test_what_can_not_be_written_out(cli: Cli, tmp_path: Path, fields: dict[str, Any], sentence: str) -> None:
    done = seed(cli, tmp_path, {"type": "command", **fields})
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert f"scorers[0].{sentence}" in done.err
