"""``assay run`` follows the evaluation: a reward that it can't use is in its last line and its exit code."""

import json
from pathlib import Path

import pytest

from tests.cli.running import Cli
from tests.sandbox.backends import need
from tests.tasks import JOB, StepSpec, run_arguments, write_steps, write_task

pytestmark = pytest.mark.usefixtures("_bubblewrap")


@pytest.fixture
def _bubblewrap() -> None:
    need("bubblewrap")


def writes(reward: str) -> str:
    return f"echo '{reward}' > /logs/verifier/reward.json"


@pytest.mark.statement("evaluation.flags-in-reports", "evaluation.malformed-reward")
@pytest.mark.parametrize(
    ("reward", "mean", "code", "last"),
    [
        # The verifier does so on the untouched workspace, too: it is to blame.
        ('{"reward": 1.5}', 1.5, 1, "result: 1 broken"),
        ('{"reward": true}', 1.0, 1, "result: 1 broken"),
        ('{"score": 1}', 1, 1, "result: 1 broken"),
        ('{"reward": 0.5}', 0.5, 0, "result: mean 0.5000 of 1 run; 1 partial"),
    ],
)
def test_what_harbor_takes_and_the_evaluation_does_not(
    cli: Cli, tmp_path: Path, reward: str, mean: float, code: int, last: str
) -> None:
    task = write_task(tmp_path / "task", verifier=writes(reward))
    found = cli(*run_arguments(task, "nop", tmp_path / "jobs", "--quiet"))
    assert (found.code, found.out.splitlines()[-1]) == (code, last)
    report = json.loads(cli("report", tmp_path / "jobs" / JOB, "--json").out)["jobs"][0]
    group = report["evals"]["nop__adhoc"]
    assert group["harbor"]["metrics"] == [{"mean": mean}]
    assert group["counts"] == report["counts"]
    assert (group["counts"]["broken"], group["n"]) == (code, 1 - code)


def test_unusable_output_is_the_agents_and_no_broken_measurement(cli: Cli, tmp_path: Path) -> None:
    task = write_task(
        tmp_path / "task", verifier=writes('{"reward": 1}'), instruction="Write /workspace/a.json.\n"
    )
    found = cli(*run_arguments(task, "nop", tmp_path / "jobs", "--quiet"))
    assert (found.code, found.out.splitlines()[-1]) == (1, "result: mean 0.0000 of 1 run; 1 unusable")


def test_a_trial_with_steps_is_one_trial(cli: Cli, tmp_path: Path) -> None:
    steps = [
        StepSpec("one", verifier=writes('{"reward": 1}')),
        StepSpec("two", verifier=writes('{"reward": 0.5}')),
    ]
    write_steps(tmp_path / "task", steps)
    found = cli(*run_arguments(tmp_path / "task", "nop", tmp_path / "jobs", "--quiet"))
    assert (found.code, found.out.splitlines()[-1]) == (0, "result: mean 0.7500 of 1 run; 1 partial")
    assert "gradings: 1 trial graded, 0 graded again" in found.out
    again = cli("grade", tmp_path / "jobs" / JOB)
    assert [line.split("  ", 1)[1] for line in again.out.splitlines()] == [
        "grading 4  reward 1",
        "grading 5  reward 0.5",
        "grading 6  reward 0.75",
    ]
    report = json.loads(cli("report", tmp_path / "jobs" / JOB, "--json", "--grading", "latest").out)["jobs"][0]
    assert (report["evaluation"]["graded"], report["evaluation"]["graded_again"]) == (1, 1)
    assert (report["counts"]["total"], report["counts"]["partial"]) == (1, 1)
