"""``--profile`` and ``--schema-forbids-reward``: asked for, recorded, and kept when graded again."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.builders import edit_json
from tests.cli.running import Cli
from tests.sandbox.backends import need
from tests.tasks import JOB, run_arguments, trials_of, write_task

pytestmark = pytest.mark.usefixtures("_bubblewrap")

GENEROUS = "echo '{\"reward\": 1.5}' > /logs/verifier/reward.json"
WRITES = "echo '{}' > /workspace/a.json"
TOML = '[metadata.output]\npath = "/workspace/a.json"\nschema = "s.json"\n'


@pytest.fixture
def _bubblewrap() -> None:
    need("bubblewrap")


def reported(cli: Cli, jobs: Path) -> Any:
    return json.loads(cli("report", jobs / JOB, "--json").out)["jobs"][0]


@pytest.mark.statement("harbor.profiles")
def test_a_job_under_the_strict_profile(cli: Cli, tmp_path: Path) -> None:
    jobs = tmp_path / "jobs"
    task = write_task(tmp_path / "task", verifier=GENEROUS)
    arguments = run_arguments(task, "nop", jobs, "--quiet", "--profile", "strict")
    assert cli(*arguments).code == 1
    (trial,) = trials_of(jobs / JOB)
    assert (trial.rewards, trial.exception) == (None, "ValidationError")
    assert trial.gradings[0]["provenance"]["profile"] == reported(cli, jobs)["profile"] == "strict"
    assert cli("audit", jobs / JOB, "--quiet").out == f"{JOB}: consistent, byte for byte\n"
    # The same job goes on under the same rules only.
    assert cli(*arguments).code == 1
    refused = cli(*run_arguments(task, "nop", jobs, "--quiet"))
    assert (refused.code, refused.err.startswith(f"assay: {jobs / JOB} belongs to a job with other options")) == (
        2,
        True,
    )


def test_a_job_under_the_default_profile_does_not_go_on_under_another(cli: Cli, tmp_path: Path) -> None:
    task = write_task(tmp_path / "task", verifier=GENEROUS)
    arguments = run_arguments(task, "nop", tmp_path / "jobs", "--quiet")
    cli(*arguments)
    assert cli(*arguments, "--profile", "strict").code == 2
    assert cli(*arguments, "--schema-forbids-reward").code == 2


def test_grading_again_follows_the_first_grading_unless_asked(cli: Cli, tmp_path: Path) -> None:
    jobs = tmp_path / "jobs"
    cli(
        *run_arguments(
            write_task(tmp_path / "task", verifier=GENEROUS), "nop", jobs, "--quiet", "--profile", "strict"
        )
    )
    cli("grade", jobs / JOB)
    cli("grade", jobs / JOB, "--profile", "harbor-0.13.1")
    (trial,) = trials_of(jobs / JOB)
    assert [(one["provenance"]["profile"], one["rewards"]) for one in trial.gradings] == [
        ("strict", None),
        ("strict", None),
        ("harbor-0.13.1", {"reward": 1.5}),
    ]


@pytest.mark.statement("evaluation.schema-may-forbid")
def test_a_schema_violation_may_forfeit_the_reward(cli: Cli, tmp_path: Path) -> None:
    jobs = tmp_path / "jobs"
    task = write_task(tmp_path / "task", verifier="echo 1 > /logs/verifier/reward.txt", toml=TOML)
    (task / "s.json").write_text('{"required": ["a"]}')
    cli(*run_arguments(task, WRITES, jobs, "--quiet"))
    cli("grade", jobs / JOB, "--schema-forbids-reward")
    (trial,) = trials_of(jobs / JOB)
    first, second = trial.gradings
    assert (first["result"]["reward"], first["reason_code"]) == (1.0, None)
    assert (second["result"]["reward"], second["reason_code"]) == (0.0, "reward_for_schema_violation")
    recorded = [one["provenance"]["schema_forbids_reward"] for one in (first, second)]
    assert recorded == [False, True]
    # Another rule is another question: the verifier isn't flaky.
    assert second["flaky"] is False


def test_an_unknown_profile_is_refused(cli: Cli, tmp_path: Path) -> None:
    task = write_task(tmp_path / "task")
    found = cli(*run_arguments(task, "nop", tmp_path / "jobs", "--profile", "lenient"))
    assert (found.code, len(found.err.splitlines())) == (2, 1)
    assert found.err.startswith("assay: argument --profile: invalid choice: 'lenient'")


def test_a_grading_under_rules_that_nobody_knows_here_is_not_followed(cli: Cli, tmp_path: Path) -> None:
    jobs = tmp_path / "jobs"
    cli(*run_arguments(write_task(tmp_path / "task", verifier=GENEROUS), "nop", jobs, "--quiet"))
    (trial,) = trials_of(jobs / JOB)
    edit_json(
        trial.folder / "gradings" / "0001.json", lambda record: record["provenance"].update(profile="lenient")
    )
    found = cli("grade", trial.folder)
    assert (found.code, found.out) == (2, "")
    assert "the profile of the first grading must be one of harbor-0.6, harbor-0.13.1" in found.err
    assert cli("grade", trial.folder, "--profile", "strict").code == 0
