"""``assay audit --repeat``: does a verifier say the same of the same output?"""

import json
from pathlib import Path

import pytest

from tests.cli.running import Cli
from tests.sandbox.backends import need
from tests.tasks import JOB, PASS, StepSpec, run_arguments, trials_of, write_steps, write_task

# Another digit with every run.
LOTTERY = "$(head -c 4 /dev/urandom | od -An -tu4 | tr -d ' ')"


@pytest.fixture(autouse=True)
def _bubblewrap() -> None:
    need("bubblewrap")


def job_of(cli: Cli, tmp_path: Path, verifier: str) -> Path:
    task = write_task(tmp_path / "task", verifier=verifier)
    cli(*run_arguments(task, "true", tmp_path / "jobs", "--quiet"))
    return tmp_path / "jobs" / JOB


def test_a_steady_verifier(cli: Cli, tmp_path: Path) -> None:
    job = job_of(cli, tmp_path, f"echo '{{}}' > /logs/verifier/details.json; {PASS}")
    (trial,) = trials_of(job)
    found = cli("audit", job, "--repeat", 3)
    assert found == (0, f"{trial.folder.name}  steady: 3 verifier runs gave 1 with the same details\n", "")
    assert len(trial.gradings) == 4


def test_a_flaky_verifier_is_named(cli: Cli, tmp_path: Path) -> None:
    job = job_of(cli, tmp_path, f"echo 0.{LOTTERY} > /logs/verifier/reward.txt")
    (trial,) = trials_of(job)
    found = cli("audit", trial.folder, "--repeat", 3)
    assert found.code == 1
    assert found.out.startswith(
        f"{trial.folder.name}  flaky: the same output got different rewards; rewards of the last 3 runs: "
    )
    (report,) = json.loads(cli("report", job, "--json").out)["jobs"]
    assert report["evaluation"]["flaky"] == [trial.folder.name]


def test_flaky_against_the_first_grading(cli: Cli, tmp_path: Path) -> None:
    """One more verification is enough, where it contradicts the run itself."""
    job = job_of(cli, tmp_path, f"echo 0.{LOTTERY} > /logs/verifier/reward.txt")
    assert cli("audit", job, "--repeat", 1).code == 1


def test_a_verifier_that_sometimes_breaks(cli: Cli, tmp_path: Path) -> None:
    """No reward is not a reward of 0: a verifier that gives 0 at times and nothing at others is flaky."""
    verifier = f"[ $(({LOTTERY} % 2)) = 0 ] && echo 0 > /logs/verifier/reward.txt"
    job = job_of(cli, tmp_path, verifier)
    found = cli("audit", job, "--repeat", 12)
    assert found.code == 1
    assert "flaky: the same output got different rewards; rewards of the last 12 runs: 0, no reward" in found.out


def test_rewards_that_agree_with_details_that_do_not(cli: Cli, tmp_path: Path) -> None:
    job = job_of(cli, tmp_path, f'echo "{{\\"at\\": {LOTTERY}}}" > /logs/verifier/details.json; {PASS}')
    found = cli("audit", job, "--repeat", 2)
    assert found.code == 1
    assert found.out.endswith("same reward (1) but different details in 2 verifier runs\n")


def test_each_step_has_its_own_verdict(cli: Cli, tmp_path: Path) -> None:
    steps = [StepSpec("sound"), StepSpec("odd", verifier=f"echo 0.{LOTTERY} > /logs/verifier/reward.txt")]
    task = write_steps(tmp_path / "task", steps)
    cli(*run_arguments(task, "oracle", tmp_path / "jobs", "--quiet"))
    lines = cli("audit", tmp_path / "jobs" / JOB, "--repeat", 2).out.splitlines()
    assert [" step sound  steady" in lines[0], " step odd  flaky" in lines[1]] == [True, True]


@pytest.mark.parametrize("times", ["0", "-1", "x", "1.5"])
def test_so_many_times(cli: Cli, tmp_path: Path, times: str) -> None:
    found = cli("audit", tmp_path, "--repeat", times)
    assert (found.code, found.out) == (2, "")
    assert f"must be a whole number of at least 1, got {times!r}" in found.err


def test_no_trials(cli: Cli, tmp_path: Path) -> None:
    found = cli("audit", tmp_path, "--repeat", 2)
    assert (found.code, found.err) == (
        2,
        f"assay: {tmp_path} must be a trial or a job with finished trials, but it is neither\n",
    )


def test_what_can_not_be_verified_is_said_and_the_rest_goes_on(cli: Cli, tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_task(tmp_path / "set" / name, verifier=PASS)
    cli(*run_arguments(tmp_path / "set", "true", tmp_path / "jobs", "--quiet"))
    first, second = trials_of(tmp_path / "jobs" / JOB)
    (first.folder / "workspace.tar.gz").unlink()
    found = cli("audit", tmp_path / "jobs" / JOB, "--repeat", 2)
    assert f"{first.folder} can't be graded again" in found.err
    assert second.folder.name in found.out
    assert found.code == 1


def test_repeating_in_pieces_goes_on_where_it_was_killed(cli: Cli, tmp_path: Path) -> None:
    task = write_task(tmp_path / "task", verifier=PASS)
    cli(*run_arguments(task, "true", tmp_path / "jobs", "--quiet", "-k", 4))
    job = tmp_path / "jobs" / JOB
    pieces = [cli("audit", job, "--repeat", 2, "--again", "A", "--shard", f"{number}/2") for number in (1, 2)]
    assert [one.code for one in pieces] == [0, 0]
    assert sum(one.out.count("steady: 2 verifier runs gave 1") for one in pieces) == 4
    for trial in trials_of(job):
        assert [one["again"] for one in trial.gradings] == [None, "A.1", "A.2"]
    (trial.folder / "gradings" / "0003.json").unlink()
    again = cli("audit", job, "--repeat", 2, "--again", "A")
    assert sorted(again.out.splitlines()) == sorted("".join(one.out for one in pieces).splitlines())
    assert all([one["again"] for one in trial.gradings] == [None, "A.1", "A.2"] for trial in trials_of(job))


def test_pieces_are_for_repeating(cli: Cli, tmp_path: Path) -> None:
    found = cli("audit", tmp_path, "--shard", "1/2")
    assert (found.code, found.err) == (
        2,
        "assay: --again and --shard are for --repeat, which grades; an audit without it only reads\n",
    )
