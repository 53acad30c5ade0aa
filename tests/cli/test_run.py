"""``assay run``: whole jobs in real sandboxes."""

import errno
import json
import os
import random
import re
import shutil
import signal
from collections.abc import Iterator
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.jobs import trial_folder
from assay.adapters.tasks.task_folder import harbor_checksums
from assay.cli.main import main
from tests.builders import REPO, edit_json
from tests.cli.running import Cli, start_assay
from tests.sandbox.backends import eventually, need
from tests.sandbox.killing import end_sleepers, none_asleep, sleepers
from tests.tasks import (
    ANSWER,
    FAIL,
    HARBOR_JOB,
    JOB,
    PASS,
    Attempt,
    StepSpec,
    key_order,
    run_arguments,
    script,
    trials_of,
    write_steps,
    write_task,
)

pytestmark = pytest.mark.usefixtures("_bubblewrap")

EXAMPLES = REPO / "examples" / "tasks"


@pytest.fixture
def _bubblewrap() -> None:
    need("bubblewrap")


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    return tmp_path / "jobs"


@pytest.fixture
def forever() -> Iterator[str]:
    """A number of seconds by which the sleepers of a test are known. Should any be left, they are ended."""
    seconds = str(random.randrange(10**8, 10**9))
    yield seconds
    end_sleepers(seconds)


def by_task(job: Path) -> dict[str, list[Attempt]]:
    found: dict[str, list[Attempt]] = {}
    for trial in trials_of(job):
        found.setdefault(trial.result["task_name"], []).append(trial)
    return found


def result_of(job: Path) -> Any:
    return json.loads((job / "result.json").read_text())


def test_the_oracle_is_worth_1_and_an_idle_agent_is_not(cli: Cli, jobs: Path) -> None:
    sound = [EXAMPLES / name for name in ("capital", "tidy-contacts", "voltage-drop", "two-steps")]
    for agent, expected in (("oracle", 1.0), ("nop", 0.0)):
        found = cli("run", *sound, "-a", agent, "--jobs-dir", jobs, "--job-name", agent, "--quiet")
        rewards = {name: trial.rewards for name, (trial,) in by_task(jobs / agent).items()}
        scores = {name: None if reward is None else reward["reward"] for name, reward in rewards.items()}
        assert (len(scores), set(scores.values())) == (4, {expected}), scores
        assert found.err == ""
        # Where a task asks for a file of JSON, an idle agent hands in nothing that can be used.
        assert found.code == (0 if agent == "oracle" else 1)


def test_broken_flaky_and_wrong_are_told_apart(cli: Cli, tmp_path: Path, jobs: Path) -> None:
    tasks = tmp_path / "set"
    write_task(tasks / "wrong")
    write_task(tasks / "broken", verifier="exit 3")
    write_task(tasks / "unusable", verifier="echo perhaps > /logs/verifier/reward.txt")
    write_task(tasks / "unparseable", verifier=PASS, instruction="Write /workspace/answer.json.")
    write_task(tasks / "slow", verifier="sleep 60", toml="[verifier]\ntimeout_sec = 1.0\n")
    found = cli(*run_arguments(tasks, "true", jobs, "--quiet"))
    assert found.code == 1
    assert found.err == ""
    trials = {name: trial for name, (trial,) in by_task(jobs / JOB).items()}
    assert {name: (trial.rewards, trial.exception) for name, trial in trials.items()} == {
        "wrong": ({"reward": 0}, None),
        "broken": (None, "RewardFileNotFoundError"),
        "unusable": (None, "VerifierOutputParseError"),
        "unparseable": ({"reward": 1.0}, None),
        "slow": (None, "VerifierTimeoutError"),
    }
    assert {name: (trial.reward, trial.reason) for name, trial in trials.items()} == {
        "wrong": (0.0, None),
        "broken": (None, "reward_missing"),
        "unusable": (None, "reward_malformed"),
        "unparseable": (0.0, "reward_for_unparseable_output"),
        "slow": (None, "reward_missing"),
    }
    report = json.loads(cli("report", jobs / JOB, "--json").out)["jobs"][0]
    counts = {name: count for name, count in report["counts"].items() if count}
    assert counts == {"total": 5, "failed": 1, "unusable": 1, "broken": 3}
    assert [(group["mean"], group["n"]) for group in report["evals"].values()] == [(0.0, 2)]
    assert (report["evaluation"]["unparseable"], report["evaluation"]["incomplete"]) == (1, 3)
    assert {trouble["what"]: (trouble["state"], trouble["cause"]) for trouble in report["troubles"]} == {
        "": ("unusable", "agent"),
        "RewardFileNotFoundError": ("broken", "verifier"),
        "VerifierOutputParseError": ("broken", "verifier"),
        "VerifierTimeoutError": ("broken", "verifier"),
    }
    for kind in ("RewardFileNotFoundError", "VerifierOutputParseError", "VerifierTimeoutError"):
        assert kind in found.out


@pytest.mark.statement("harbor.dataset-name")
def test_a_dataset_is_named_after_the_folder_that_its_path_leads_to(
    cli: Cli, tmp_path: Path, jobs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_task(tmp_path / "real" / "a")
    (tmp_path / "link").symlink_to("real")
    monkeypatch.chdir(tmp_path / "real")
    for name, path in {"dot": ".", "linked": "../link"}.items():
        assert cli("run", path, "-a", "oracle", "--jobs-dir", jobs, "--job-name", name, "--quiet").code == 0
        assert list(result_of(jobs / name)["stats"]["evals"]) == ["oracle__real"]
        audited = cli("audit", "--quiet", jobs / name)
        assert audited.out == f"{name}: consistent, byte for byte\n"


def test_the_checksums_of_tasks_are_harbors(cli: Cli, tmp_path: Path, jobs: Path) -> None:
    task = write_task(tmp_path / "task")
    assert cli("run", task, "-a", "oracle", "--jobs-dir", jobs, "--job-name", JOB, "--quiet").code == 0
    expected = harbor_checksums(str(task))
    lock = json.loads((jobs / JOB / "lock.json").read_text())
    assert [trial["task"]["digest"] for trial in lock["trials"]] == [f"sha256:{expected.package}"]
    [trials] = by_task(jobs / JOB).values()
    assert [trial.result["task_checksum"] for trial in trials] == [expected.tree]


@pytest.mark.statement("harbor.attempts-option")
def test_the_order_and_the_sources(cli: Cli, tmp_path: Path, jobs: Path) -> None:
    for name in ("b", "a"):
        write_task(tmp_path / "set" / name)
    alone = write_task(tmp_path / "alone")
    found = cli(
        "run", alone, tmp_path / "set", "-a", "oracle", "-k", 2, "--jobs-dir", jobs, "--job-name", JOB, "--quiet"
    )
    assert found.code == 0
    lock = json.loads((jobs / JOB / "lock.json").read_text())
    planned = [(trial["task"]["name"], trial["task"].get("source")) for trial in lock["trials"]]
    assert planned == [("alone", None), ("a", "set"), ("b", "set")] * 2
    sources = {name: {trial.result["source"] for trial in trials} for name, trials in by_task(jobs / JOB).items()}
    assert sources == {"alone": {None}, "a": {"set"}, "b": {"set"}}
    config = json.loads((jobs / JOB / "config.json").read_text())
    assert [dataset["path"] for dataset in config["datasets"]] == [str(tmp_path / "set")]
    assert [task["path"] for task in config["tasks"]] == [str(alone)]
    evals = result_of(jobs / JOB)["stats"]["evals"]
    assert {key: group["n_trials"] for key, group in evals.items()} == {"oracle__adhoc": 2, "oracle__set": 4}
    assert all(group["pass_at_k"] == {"2": 1.0} for group in evals.values())


def test_the_agent_has_the_instruction_in_three_places(cli: Cli, tmp_path: Path, jobs: Path) -> None:
    text = "Write it down.\nGrüße, 'quoted' $HOME\n"
    task = write_task(
        tmp_path / "task",
        instruction=text,
        verifier='[ "$(cat one)" = "$(cat two)" ] && [ "$(cat two)" = "$(cat three)" ] && cp one /logs/verifier/;'
        + PASS,
    )
    agent = 'cat > one; cat "$ASSAY_INSTRUCTION_FILE" > two; printf %s "$ASSAY_INSTRUCTION" > three; pwd'
    assert cli(*run_arguments(task, agent, jobs, "--quiet")).code == 0
    (trial,) = trials_of(jobs / JOB)
    assert trial.text("verifier/one") == text
    assert trial.text("agent/output.txt") == "/workspace\n"


def test_the_name_and_the_model_of_an_agent(cli: Cli, tmp_path: Path, jobs: Path) -> None:
    task = write_task(tmp_path / "task", verifier=PASS)
    assert cli(*run_arguments(task, "/bin/true --now", jobs, "-m", "maker/great-1", "--quiet")).code == 0
    (trial,) = trials_of(jobs / JOB)
    assert trial.result["agent_info"] == {
        "name": "true",
        "version": "1.0.0",
        "model_info": {"name": "great-1", "provider": "maker"},
    }
    assert list(result_of(jobs / JOB)["stats"]["evals"]) == ["true__great-1__adhoc"]


@pytest.fixture(scope="module")
def like_harbors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A job of the tasks that the recorded job of harbor had, run in the same way."""
    need("bubblewrap")
    root = tmp_path_factory.mktemp("like-harbors")
    tasks = root / "ds"
    write_task(tasks / "t-json", verifier='echo \'{"correct": 1, "speed": 0.25}\' > /logs/verifier/reward.json')
    write_task(tasks / "t-pass", verifier=PASS)
    write_task(tasks / "t-fail", verifier=FAIL)
    write_task(tasks / "t-none", verifier="true")
    write_task(tasks / "t-list", verifier="echo '[1]' > /logs/verifier/reward.json")
    write_task(tasks / "t-slow", verifier="sleep 60", toml="[verifier]\ntimeout_sec = 1.0\n")
    weak = "echo 0.4 > /logs/verifier/reward.txt"
    steps = [StepSpec("one"), StepSpec("two", verifier=weak, toml="min_reward = 0.5\n"), StepSpec("three")]
    write_steps(tasks / "t-multi", steps)
    assert main(run_arguments(tasks, "oracle", root / "jobs", "-k", 2, "--quiet")) == 1
    return root / "jobs" / JOB


@pytest.mark.parametrize("name", ["config.json", "lock.json", "result.json"])
def test_the_files_of_a_job_are_harbors(like_harbors: Path, name: str) -> None:
    mine, theirs = (json.loads((folder / name).read_text()) for folder in (like_harbors, HARBOR_JOB))
    assert key_order(mine) == key_order(theirs)


@pytest.mark.parametrize("task", ["t-json", "t-pass", "t-fail", "t-none", "t-list", "t-slow", "t-multi"])
def test_the_files_of_a_trial_are_harbors(like_harbors: Path, task: str) -> None:
    mine, theirs = (by_task(folder)[task][0] for folder in (like_harbors, HARBOR_JOB))
    assert key_order(mine.result) == key_order(theirs.result)
    one, other = (json.loads((trial.folder / "config.json").read_text()) for trial in (mine, theirs))
    assert key_order(one) == key_order(other)
    # The artifact a.txt was its agent's own.
    kept = {path.relative_to(theirs.folder) for path in theirs.folder.rglob("*") if path.name != "a.txt"}
    assert kept <= {path.relative_to(mine.folder) for path in mine.folder.rglob("*")}


def test_the_rewards_are_harbors(like_harbors: Path) -> None:
    mine, theirs = (
        {name: [(trial.rewards, trial.exception) for trial in trials] for name, trials in by_task(folder).items()}
        for folder in (like_harbors, HARBOR_JOB)
    )
    assert mine == theirs
    groups = [result_of(folder)["stats"]["evals"]["oracle__ds"] for folder in (like_harbors, HARBOR_JOB)]
    for field in ("n_trials", "n_errors", "metrics", "pass_at_k"):
        assert groups[0][field] == groups[1][field]


def test_harbors_result_follows_from_the_trials(cli: Cli, like_harbors: Path) -> None:
    assert cli("audit", "--quiet", like_harbors) == (0, f"{JOB}: consistent, byte for byte\n", "")


def test_attempts_that_start_together_are_in_the_order_in_which_they_are_read_again(
    cli: Cli, tmp_path: Path, jobs: Path
) -> None:
    """Which attempt a trial was is not recorded: those at the same task are read in the order of their start."""
    task = write_task(tmp_path / "task", verifier="echo 0.$(date +%N) > /logs/verifier/reward.txt")
    assert cli(*run_arguments(task, "true", jobs, "-k", 8, "-n", 8, "--quiet")).code == 0
    assert cli("audit", "--quiet", jobs / JOB).out == f"{JOB}: consistent, byte for byte\n"


def test_steps_stop_early(like_harbors: Path) -> None:
    for trial in by_task(like_harbors)["t-multi"]:
        assert [step["step_name"] for step in trial.result["step_results"]] == ["one", "two"]
        assert [grading["step"] for grading in trial.gradings] == ["one", "two", None]
        assert (trial.folder / "steps" / "two" / "workspace.tar.gz").exists()
        assert not (trial.folder / "steps" / "three").exists()


def test_what_is_tried_again(cli: Cli, tmp_path: Path, jobs: Path) -> None:
    """One folder stays: what was tried before is discarded, and counted."""
    task = write_task(tmp_path / "task", verifier="echo '[]' > /logs/verifier/reward.json")
    found = cli(*run_arguments(task, "true", jobs, "-r", 2))
    assert found.code == 1
    (trial,) = trials_of(jobs / JOB)
    assert trial.exception == "ValidationError"
    assert result_of(jobs / JOB)["stats"]["n_retries"] == 2
    assert len([name for name in os.listdir(jobs / JOB) if "__" in name]) == 1
    assert len(re.findall("ValidationError, trying again", found.err)) == 2


@pytest.mark.parametrize(
    ("verifier", "toml"),
    [("true", ""), (": > /logs/verifier/reward.txt", ""), ("echo x > /logs/verifier/reward.txt", ""),
     ("sleep 9", "[verifier]\ntimeout_sec = 0.5\n")],
)  # fmt: skip
def test_what_is_not_tried_again(cli: Cli, tmp_path: Path, jobs: Path, verifier: str, toml: str) -> None:
    task = write_task(tmp_path / "task", verifier=verifier, toml=toml)
    found = cli(*run_arguments(task, "true", jobs, "-r", 3))
    assert (found.code, result_of(jobs / JOB)["stats"]["n_retries"]) == (1, 0)


def test_a_task_that_can_not_be_used_is_named_while_the_others_run(cli: Cli, tmp_path: Path, jobs: Path) -> None:
    tasks = tmp_path / "set"
    write_task(tasks / "good")
    write_task(tasks / "typo", toml="[agent]\ntimeout_sec = 'five'\n")
    write_task(tasks / "image", dockerfile="FROM debian:12\nRUN apt-get install -y gcc\n")
    write_task(tasks / "variable", toml='[verifier.env]\nKEY = "${SURELY_NOT_SET_ANYWHERE}"\n')
    write_task(tasks / "user", toml='[agent]\nuser = "alice"\n')
    write_task(tasks / "untested")
    shutil.rmtree(tasks / "untested" / "tests")
    found = cli(*run_arguments(tasks, "oracle", jobs, "--quiet"))
    complaints = found.err.splitlines()
    assert found.code == 1
    assert list(by_task(jobs / JOB)) == ["good"]
    assert len(complaints) == 5
    for name, said in (
        ("typo", "task.toml: agent.timeout_sec must be a valid number"),
        ("image", "Dockerfile:2: RUN apt-get install -y gcc: this needs an image; pass --isolation container"),
        ("variable", "SURELY_NOT_SET_ANYWHERE"),
        ("user", "agent.user must be root or a number, unless the task runs in an image, got 'alice'"),
        ("untested", "must have a verifier, tests/test.sh or tests/verify.py, but it has neither"),
    ):
        assert any(name in line and said in line and line.startswith("assay: ") for line in complaints), said


def refused(found: Any, *said: str) -> None:
    """Nothing was run, and one line says why."""
    assert found.code == 2
    assert found.out == ""
    assert len(found.err.splitlines()) <= 2
    for words in said:
        assert words in found.err
    assert "Traceback" not in found.err


def test_nothing_can_be_run(cli: Cli, tmp_path: Path, jobs: Path) -> None:
    task = write_task(tmp_path / "task", toml='[verifier]\ntimeout_sec = "long"\n')
    refused(
        cli(*run_arguments(task, "oracle", jobs)),
        'task.toml: verifier.timeout_sec must be a valid number, unable to parse string as a number, got "long"',
        "none of the tasks can be run",
    )
    assert not jobs.exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ["--isolation", "prayer"],
            "isolation must be one of auto, bubblewrap, namespaces, container, process, "
            "engine-elsewhere, kubernetes, got 'prayer'",
        ),
        (["-k", "0"], "must be a whole number of at least 1, got '0'"),
        (["-n", "-1"], "must be a whole number of at least 1, got '-1'"),
        (["-r", "-1"], "must be a whole number of at least 0, got '-1'"),
        (["-a", "  "], "--agent must be oracle, nop or a shell command, got an empty string"),
    ],
)
def test_options_that_can_not_be(cli: Cli, tmp_path: Path, jobs: Path, options: list[str], said: str) -> None:
    task = write_task(tmp_path / "task")
    refused(cli("run", task, "-a", "oracle", "--jobs-dir", jobs, *options), said)


def test_folders_without_tasks(cli: Cli, tmp_path: Path) -> None:
    refused(cli("run", tmp_path / "nowhere", "-a", "oracle"), f"the folder {tmp_path}/nowhere doesn't exist")
    refused(
        cli("run", tmp_path, "-a", "oracle"),
        "must be a task or a folder of tasks, but neither it nor a folder below has a task.toml",
    )


def test_an_isolation_that_is_not_there(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = write_task(tmp_path / "task")
    monkeypatch.setenv("PATH", str(tmp_path))
    refused(cli("run", task, "-a", "oracle", "--isolation", "container"), "isolation container isn't available: ")
    refused(cli("run", task, "-a", "oracle", "--isolation", "bubblewrap"), "bwrap is not installed")


def test_a_working_folder_inside_the_system(cli: Cli, tmp_path: Path, jobs: Path) -> None:
    """/usr/src/app is what many images use. It works, or is refused in a sentence. No trial is lost to it."""
    task = write_task(
        tmp_path / "task",
        dockerfile="FROM debian:12\nWORKDIR /usr/src/app\n",
        solution="echo right > /usr/src/app/answer.txt",
        verifier=f"grep -q right /usr/src/app/answer.txt && {PASS}",
    )
    found = cli(*run_arguments(task, "oracle", jobs, "--quiet"))
    if found.code == 2:
        refused(found, "/usr/src/app")
    else:
        assert [trial.rewards for trial in trials_of(jobs / JOB)] == [{"reward": 1.0}]


def test_a_verifier_that_is_a_link(cli: Cli, tmp_path: Path, jobs: Path) -> None:
    """Tests may be shared by link. Either they are there for the verifier, or the task is refused."""
    task = write_task(tmp_path / "task", verifier=PASS)
    (task / "tests" / "test.sh").rename(tmp_path / "shared.sh")
    (task / "tests" / "test.sh").symlink_to("../../shared.sh")
    found = cli(*run_arguments(task, "true", jobs, "--quiet"))
    if found.code == 2:
        refused(found, "test.sh")
    else:
        assert [trial.rewards for trial in trials_of(jobs / JOB)] == [{"reward": 1.0}]


def test_an_instruction_that_no_variable_can_hold(cli: Cli, tmp_path: Path, jobs: Path) -> None:
    task = write_task(tmp_path / "task", instruction="one\0two", verifier=PASS)
    found = cli(*run_arguments(task, "true", jobs, "--quiet"))
    if found.code == 2:
        refused(found, "instruction.md")
    else:
        assert [trial.rewards for trial in trials_of(jobs / JOB)] == [{"reward": 1.0}]


def test_a_long_instruction_in_another_script(cli: Cli, tmp_path: Path, jobs: Path) -> None:
    task = write_task(
        tmp_path / "task", instruction="漢" * 60_000, verifier="[ $(wc -c < got) = 180000 ] && " + PASS
    )
    assert cli(*run_arguments(task, "cat > got", jobs, "--quiet")).code == 0


class TestTakingUpAgain:
    """The same command with the same job name goes on where a job stopped."""

    @pytest.fixture
    def tasks(self, tmp_path: Path) -> Path:
        for name in ("a", "b", "c"):
            write_task(tmp_path / "set" / name)
        return tmp_path / "set"

    @pytest.fixture
    def stopped(self, cli: Cli, tasks: Path, jobs: Path) -> Path:
        """A job of which one trial is missing, and one was never finished."""
        assert cli(*run_arguments(tasks, "oracle", jobs, "--quiet")).code == 0
        trials = by_task(jobs / JOB)
        shutil.rmtree(trials["b"][0].folder)
        (trials["c"][0].folder / "result.json").unlink()
        return jobs / JOB

    def test_what_is_finished_stays(self, cli: Cli, tasks: Path, stopped: Path) -> None:
        before = by_task(stopped)["a"][0]
        kept = {path: path.read_bytes() for path in before.folder.rglob("*") if path.is_file()}
        recorded = result_of(stopped)
        found = cli(*run_arguments(tasks, "oracle", stopped.parent, "-n", 2))
        assert found.code == 0
        assert "3 trials, 1 of them already finished" in found.err
        assert {path: path.read_bytes() for path in kept} == kept
        assert {name: len(trials) for name, trials in by_task(stopped).items()} == {"a": 1, "b": 1, "c": 1}
        assert len([name for name in os.listdir(stopped) if "__" in name]) == 3
        again = result_of(stopped)
        assert (again["id"], again["started_at"]) == (recorded["id"], recorded["started_at"])
        assert cli("audit", "--quiet", stopped).out == f"{JOB}: consistent, byte for byte\n"

    def test_a_finished_job_is_only_reported(self, cli: Cli, tasks: Path, jobs: Path) -> None:
        assert cli(*run_arguments(tasks, "oracle", jobs, "--quiet")).code == 0
        ids = {trial.result["id"] for trial in trials_of(jobs / JOB)}
        assert cli(*run_arguments(tasks, "oracle", jobs, "--quiet")).code == 0
        assert {trial.result["id"] for trial in trials_of(jobs / JOB)} == ids

    @pytest.mark.parametrize(
        "options", [["-k", "2"], ["-r", "1"], ["-m", "x"], ["--agent", "nop"], ["--isolation", "process"]]
    )
    def test_another_configuration_is_refused(
        self, cli: Cli, tasks: Path, stopped: Path, options: list[str]
    ) -> None:
        if "process" in options:
            need("process")
        before = sorted(os.listdir(stopped))
        refused(
            cli(*run_arguments(tasks, "oracle", stopped.parent, *options)),
            "belongs to a job with other options",
        )
        assert sorted(os.listdir(stopped)) == before

    def test_other_tasks_are_refused(self, cli: Cli, tasks: Path, stopped: Path) -> None:
        refused(cli(*run_arguments(tasks / "a", "oracle", stopped.parent)), "belongs to a job with other options")

    def test_folders_of_somebody_else_are_left_alone(self, cli: Cli, tasks: Path, stopped: Path) -> None:
        (stopped / "my notes").mkdir()
        (stopped / "my notes" / "text").write_text("mine")
        assert cli(*run_arguments(tasks, "oracle", stopped.parent, "--quiet")).code == 0
        assert (stopped / "my notes" / "text").read_text() == "mine"

    @pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"job_name": 1}'])
    def test_a_configuration_that_can_not_be_read(self, cli: Cli, tasks: Path, stopped: Path, text: str) -> None:
        (stopped / "config.json").write_text(text)
        refused(cli(*run_arguments(tasks, "oracle", stopped.parent)), str(stopped))

    @pytest.mark.parametrize("text", ["", "{}", '{"task_name": '])
    def test_a_trial_that_can_not_be_read(self, cli: Cli, tasks: Path, stopped: Path, text: str) -> None:
        trial = by_task(stopped)["a"][0]
        (trial.folder / "result.json").write_text(text)
        refused(cli(*run_arguments(tasks, "oracle", stopped.parent)), trial.folder.name, "can't be read")

    def test_retries_are_counted_on(self, cli: Cli, tasks: Path, jobs: Path) -> None:
        arguments = run_arguments(tasks, "oracle", jobs, "--quiet")
        cli(*arguments)
        edit_json(jobs / JOB / "result.json", lambda content: content["stats"].update(n_retries=7))
        cli(*arguments)
        assert result_of(jobs / JOB)["stats"]["n_retries"] == 7


def scratch(folder: Path) -> list[str]:
    """What is left of temporary files."""
    return [name for name in os.listdir(folder) if name.startswith("assay-") and not name.endswith(".lock")]


def test_a_second_runner_on_the_same_job_is_refused(
    tmp_path: Path, jobs: Path, open_folder: Path, forever: str
) -> None:
    task = write_task(tmp_path / "task", verifier=PASS)
    first = start_assay(*run_arguments(task, f"sleep {forever}", jobs), tmp=open_folder)
    try:
        assert eventually(lambda: sleepers(forever))
        inside = scratch(open_folder)
        second = start_assay(*run_arguments(task, f"sleep {forever}", jobs), tmp=open_folder)
        _, said = second.communicate(timeout=120)
        assert second.returncode == 2
        assert said == f"assay: the job {jobs / JOB} is already running; wait for it or stop it\n"
        assert scratch(open_folder) == inside
    finally:
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=120)


@pytest.mark.parametrize(
    ("isolation", "signals"),
    [
        ("bubblewrap", [signal.SIGINT]),
        ("process", [signal.SIGINT]),
        ("bubblewrap", [signal.SIGTERM]),
        ("bubblewrap", [signal.SIGHUP]),
        ("bubblewrap", [signal.SIGINT] * 4),
    ],
)
def test_ctrl_c(
    tmp_path: Path, jobs: Path, open_folder: Path, forever: str, isolation: str, signals: list[signal.Signals]
) -> None:
    """It ends at once with 130, leaves nothing running, and the job can be taken up again."""
    need(isolation)
    # Under nohup, what is started here would ignore it, too.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    tasks = tmp_path / "set"
    for name in ("a", "b", "c", "d"):
        write_task(tasks / name, verifier=PASS)
    arguments = run_arguments(tasks, f"sleep {forever}", jobs, "-n", 2, "--isolation", isolation)
    running = start_assay(*arguments, tmp=None if isolation == "process" else open_folder)
    assert eventually(lambda: sleepers(forever))
    for number in signals:
        running.send_signal(number)
    out, err = running.communicate(timeout=120)
    assert running.returncode == 130
    assert out == ""
    assert err.endswith(f"assay: interrupted; run the same command with --job-name {JOB} to resume\n")
    assert "Traceback" not in err
    assert none_asleep(forever)
    assert scratch(open_folder) == []
    assert trials_of(jobs / JOB) == []
    assert result_of(jobs / JOB)["finished_at"] is None


def test_after_ctrl_c_the_record_is_true_and_the_job_goes_on(
    cli: Cli, tmp_path: Path, jobs: Path, open_folder: Path
) -> None:
    task = write_task(tmp_path / "task", verifier=PASS)
    arguments = run_arguments(task, "sleep 0.1", jobs, "-k", 20, "-n", 1)
    running = start_assay(*arguments, tmp=open_folder)
    assert eventually(lambda: len(trials_of(jobs / JOB)) >= 3)
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=120)
    assert running.returncode == 130
    done = {trial.result["id"] for trial in trials_of(jobs / JOB)}
    assert 3 <= len(done) < 20
    assert cli("audit", "--quiet", jobs / JOB).code == 0
    recorded = result_of(jobs / JOB)["stats"]
    assert recorded["n_completed_trials"] == len(done)
    assert recorded["n_running_trials"] == 0
    again = start_assay(*arguments, tmp=open_folder)
    again.communicate(timeout=120)
    assert again.returncode == 0
    assert {trial.result["id"] for trial in trials_of(jobs / JOB)} > done
    assert len(trials_of(jobs / JOB)) == 20


def test_lines_for_those_who_watch(cli: Cli, tmp_path: Path, jobs: Path) -> None:
    for name in ("good", "bad"):
        write_task(tmp_path / "set" / name, verifier=PASS if name == "good" else "true")
    found = cli(*run_arguments(tmp_path / "set", "true", jobs, "-n", 1))
    lines = found.err.splitlines()
    assert lines[0] == f"{jobs / JOB}: 2 trials, in bubblewrap"
    assert re.fullmatch(
        r"1/2  bad__\w{7}  broken  no reward \(RewardFileNotFoundError\) \(caused by the verifier\)  .*", lines[1]
    )
    assert re.fullmatch(r"2/2  good__\w{7}  passed  reward 1  \d+\.\d s", lines[2])
    assert found.out.startswith(f"{JOB} · harbor-0.13.1 · finished\n")


UNPARSEABLE = "Write /workspace/answer.json."


@pytest.mark.parametrize(
    ("verifier", "agent", "said"),
    [
        (PASS, "true", r"unusable  reward 1 \(0 in the evaluation: reward_for_unparseable_output\)"),
        (FAIL, "true", r"unusable  reward 0 \(the output can't be used\)"),
        (FAIL, "echo '{}' > answer.json", r"failed  reward 0"),
        (
            "echo 2 > /logs/verifier/reward.txt",
            "true",
            r"unusable  reward 2 \(0 in the evaluation: reward_out_of_range, caused by the agent\)",
        ),
        (
            "echo 2 > /logs/verifier/reward.txt",
            "echo '{}' > answer.json",
            r"broken  reward 2 \(no reward in the evaluation: reward_out_of_range, caused by the verifier\)",
        ),
        (
            "echo nan > /logs/verifier/reward.txt",
            "echo '{}' > answer.json",
            r"broken  reward nan \(no reward in the evaluation: reward_not_finite, caused by the verifier\)",
        ),
    ],
)
def test_the_line_says_where_the_evaluation_does_not_agree(
    cli: Cli, tmp_path: Path, jobs: Path, verifier: str, agent: str, said: str
) -> None:
    task = write_task(tmp_path / "task", verifier=verifier, instruction=UNPARSEABLE)
    found = cli(*run_arguments(task, agent, jobs))
    assert re.fullmatch(rf"1/1  task__\w{{7}}  {said}  \d+\.\d s", found.err.splitlines()[1])


def test_the_line_says_how_a_measurement_broke(cli: Cli, tmp_path: Path, jobs: Path) -> None:
    task = write_task(tmp_path / "task")
    script(task / "tests" / "test.sh", "true", "/no/such/interpreter")
    found = cli(*run_arguments(task, "exit 1", jobs))
    assert "  broken  no reward (MeasurementError: the sandbox couldn't start the command: " in found.err
    assert found.code == 1


def test_a_disk_that_is_full_stops_the_job(
    cli: Cli, tmp_path: Path, jobs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_space(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(trial_folder, "write_durably", no_space)
    found = cli(*run_arguments(write_task(tmp_path / "task"), "true", jobs, "--quiet"))
    assert (found.code, found.err) == (
        2,
        f"assay: the job {jobs / JOB} stopped: No space left on device; run the same command with --job-name"
        f" {JOB} to resume it\n",
    )


def test_a_verifier_in_python(cli: Cli, tmp_path: Path, jobs: Path) -> None:
    task = write_task(tmp_path / "task")
    (task / "tests" / "test.sh").unlink()
    (task / "tests" / "verify.py").write_text("open('/logs/verifier/reward.txt', 'w').write('1')\n")
    assert cli(*run_arguments(task, "true", jobs, "--quiet")).code == 0


def test_one_task_alone(cli: Cli, tmp_path: Path, jobs: Path) -> None:
    task = write_task(tmp_path / "task", verifier=ANSWER)
    found = cli(*run_arguments(task, "echo right > answer.txt", jobs, "--quiet"))
    assert (found.code, found.err) == (0, "")
    assert result_of(jobs / JOB)["stats"]["evals"]["echo__adhoc"]["metrics"] == [{"mean": 1.0}]


@pytest.mark.parametrize("name", ["", ".", "..", "../elsewhere", "a/b", "/absolute"])
def test_a_job_name_is_the_name_of_one_folder(cli: Cli, tmp_path: Path, jobs: Path, name: str) -> None:
    task = write_task(tmp_path / "task", verifier=PASS)
    found = cli("run", task, "-a", "nop", "--jobs-dir", jobs, "--job-name", name)
    assert (found.code, found.err) == (
        2,
        f"assay: --job-name must be a folder name without a path, got {name!r}; pass the path with --jobs-dir\n",
    )
    assert not jobs.exists()


def test_jobs_without_a_name_are_two_even_in_the_same_second(
    cli: Cli, tmp_path: Path, jobs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the second would take up the first and show its results as its own."""
    task = write_task(tmp_path / "task", verifier=PASS)
    monkeypatch.setattr("assay.cli.options.tasks.datetime", _StoppedClock)
    for _ in range(3):
        assert cli("run", task, "-a", "nop", "--jobs-dir", jobs, "--quiet").code == 0
    assert sorted(os.listdir(jobs)) == [f"2026-01-02__03-04-05{end}" for end in ("", "-2", "-3")]


class _StoppedClock(datetime):
    @classmethod
    def now(cls, tz: tzinfo | None = None) -> "_StoppedClock":
        return cls(2026, 1, 2, 3, 4, 5, tzinfo=tz)
