"""The clinical examples: every run comes out as its folder is called, and together they use all six checks."""

import json
import shutil
from pathlib import Path

import pytest
import yaml

from assay.engine.criteria.complete_run import kinds
from tests.builders import REPO
from tests.cli.running import Cli

EXAMPLES = REPO / "examples" / "clinical"
TASKS = ("eligibility", "prior-authorisation", "scheduling")
SCORES = {
    ("eligibility", "passing"): 1.0,
    ("eligibility", "partial"): 0.625,
    ("eligibility", "failing"): 0.0,
    ("prior-authorisation", "passing"): 1.0,
    ("prior-authorisation", "partial"): pytest.approx(0.4333333333333333),
    ("prior-authorisation", "failing"): 0.0,
    ("scheduling", "passing"): 1.0,
    ("scheduling", "partial"): pytest.approx(0.55),
    ("scheduling", "failing"): 0.0,
}
VERDICTS = {"passing": ("pass", 0), "partial": ("partial", 1), "failing": ("fail", 1)}


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def test_every_example_is_looked_at_and_every_check_is_used() -> None:
    files = sorted(EXAMPLES.glob("*/criteria.yaml"))
    assert tuple(file.parent.name for file in files) == TASKS
    used = {one["assertion"]["assert"] for file in files for one in yaml.safe_load(file.read_text())["criteria"]}
    assert used == set(kinds())


@pytest.mark.parametrize("task", TASKS)
def test_lint_finds_nothing(cli: Cli, task: str) -> None:
    assert cli("criteria", "lint", EXAMPLES / task / "criteria.yaml").code == 0


@pytest.mark.parametrize(("task", "run"), SCORES)
def test_runs_come_out_as_they_are_called(cli: Cli, tmp_path: Path, task: str, run: str) -> None:
    playground = shutil.copy(EXAMPLES / task / "playground.yaml", tmp_path)
    assert cli("playground", "load", playground, "--from", EXAMPLES / task / run).code == 0
    found = cli("verify", EXAMPLES / task / "criteria.yaml", "--playground", playground, "--json")
    said = json.loads(found.out)
    assert (said["verdict"], found.code) == VERDICTS[run]
    assert said["score"] == SCORES[task, run]
    assert not any("unsupported" in one["details"] for one in said["criterion_runs"])
