"""``assay grade``: verify again without the agent, as new records beside the old."""

import hashlib
import io
import json
import os
import random
import shutil
import signal
import tarfile
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.tasks.task_folder import load_task
from tests.builders import edit_json
from tests.cli.running import Cli, start_assay
from tests.sandbox.backends import eventually, need
from tests.sandbox.killing import end_sleepers, none_asleep, sleepers
from tests.tasks import (
    ANSWER,
    FAIL,
    JOB,
    PASS,
    Attempt,
    StepSpec,
    attempt,
    run_arguments,
    script,
    trials_of,
    write_steps,
    write_task,
)

pytestmark = pytest.mark.usefixtures("_bubblewrap")

STRICTER = ANSWER.replace("= right", "= righteous")


@pytest.fixture
def _bubblewrap() -> None:
    need("bubblewrap")


@pytest.fixture
def task(tmp_path: Path) -> Path:
    return write_task(tmp_path / "tasks" / "task", verifier=ANSWER)


@pytest.fixture
def trial(cli: Cli, task: Path, tmp_path: Path) -> Attempt:
    """A trial that got its reward."""
    agent = "echo right > answer.txt; echo log > /logs/agent/log; ln -s answer.txt link; mkdir empty"
    assert cli(*run_arguments(task, agent, tmp_path / "jobs", "--quiet")).code == 0
    (trial,) = trials_of(tmp_path / "jobs" / JOB)
    return trial


def change_tests(task: Path, verifier: str) -> None:
    (task / "tests" / "test.sh").write_text(f"#!/bin/sh\n{verifier}\n")


def files(trial: Attempt) -> dict[str, bytes]:
    return {
        str(path.relative_to(trial.folder)): path.read_bytes()
        for path in trial.folder.rglob("*")
        if path.is_file()
    }


def refused(found: Any, *said: str) -> None:
    assert (found.code, found.out) == (2, "")
    assert "Traceback" not in found.err
    for words in said:
        assert words in found.err


def test_each_grading_is_a_new_file(cli: Cli, trial: Attempt) -> None:
    before = files(trial)
    for number in (2, 3):
        found = cli("grade", trial.folder)
        assert found == (0, f"{trial.folder.name}  grading {number}  reward 1\n", "")
    after = files(trial)
    assert sorted(after.keys() - before.keys()) == ["gradings/0002.json", "gradings/0003.json"]
    assert {name: after[name] for name in before} == before


def test_a_grading_names_the_one_before_it(cli: Cli, trial: Attempt) -> None:
    cli("grade", trial.folder)
    cli("grade", trial.folder)
    texts = [(trial.folder / "gradings" / f"000{number}.json").read_bytes() for number in (1, 2, 3)]
    previous = [json.loads(text)["provenance"]["previous"] for text in texts]
    assert previous == [None, *(hashlib.sha256(text).hexdigest() for text in texts[:2])]
    assert [json.loads(text)["number"] for text in texts] == [1, 2, 3]


def test_a_grading_says_what_was_graded_and_with_what(cli: Cli, trial: Attempt) -> None:
    cli("grade", trial.folder)
    first, second = (grading["provenance"] for grading in trial.gradings)
    assert first["hashes"] == second["hashes"]
    assert second["hashes"]["task"] == load_task(trial.result["task_id"]["path"]).checksum
    assert (
        second["hashes"]["workspace"]
        == hashlib.sha256((trial.folder / "workspace.tar.gz").read_bytes()).hexdigest()
    )
    reward = (trial.folder / "verifier" / "reward.json").read_bytes()
    assert second["hashes"]["reward"] == hashlib.sha256(reward).hexdigest()
    assert second["isolation"]["backend"] == "bubblewrap"
    assert second["profile"] == "harbor-0.13.1"
    assert second["started_at"] > first["finished_at"]


def test_the_verifier_finds_what_the_agent_left(cli: Cli, trial: Attempt, task: Path) -> None:
    change_tests(
        task, f'[ "$(cat link)" = right ] && [ -d empty ] && [ "$(cat /logs/agent/log)" = log ] && {PASS}'
    )
    assert cli("grade", trial.folder).out == f"{trial.folder.name}  grading 2  reward 1\n"


def test_other_tests_give_another_reward_and_the_report_shows_the_change(
    cli: Cli, trial: Attempt, task: Path
) -> None:
    change_tests(task, STRICTER)
    assert cli("grade", trial.folder).out == f"{trial.folder.name}  grading 2  reward 0\n"
    first, second = (grading["provenance"]["hashes"] for grading in trial.gradings)
    assert first["tests"] != second["tests"]
    assert first["task"] != second["task"]
    assert first["workspace"] == second["workspace"]
    job = trial.folder.parent
    recorded = json.loads(cli("report", job, "--json").out)["jobs"][0]
    latest = json.loads(cli("report", job, "--json", "--grading", "latest").out)["jobs"][0]
    means = [next(iter(report["evals"].values()))["harbor"]["metrics"] for report in (recorded, latest)]
    assert means == [[{"mean": 1.0}], [{"mean": 0.0}]]
    for report in (recorded, latest):
        assert report["evaluation"]["graded_again"] == 1
        assert report["evaluation"]["changes"] == [
            {"trial": trial.folder.name, "step": None, "first": 1.0, "latest": 0.0, "number": 2}
        ]
    # What the run itself recorded stays what it was.
    assert trial.rewards == {"reward": 1}
    assert cli("audit", "--quiet", job).out == f"{JOB}: consistent, byte for byte\n"


def test_the_reason_where_there_is_no_reward(cli: Cli, trial: Attempt, task: Path) -> None:
    change_tests(task, "exit 1")
    assert cli("grade", trial.folder) == (
        0,
        f"{trial.folder.name}  grading 2  no reward (reward_missing, caused by the verifier)\n",
        "",
    )


def test_a_verifier_that_contradicts_itself_is_told(cli: Cli, trial: Attempt, task: Path) -> None:
    """The same tests, the same workspace, another reward."""
    change_tests(task, "echo $(($(date +%s%N) / 1000 % 2)) > /logs/verifier/reward.txt")
    for _ in range(30):
        said = cli("grade", trial.folder).out
        if "flaky verifier" in said:
            break
    assert "(flaky verifier: range of " in said
    (report,) = json.loads(cli("report", trial.folder.parent, "--json").out)["jobs"]
    assert report["evaluation"]["flaky"] == [trial.folder.name]


def test_a_job_with_all_its_trials(cli: Cli, tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_task(tmp_path / "set" / name, verifier=PASS)
    cli(*run_arguments(tmp_path / "set", "true", tmp_path / "jobs", "-k", 2, "--quiet"))
    found = cli("grade", tmp_path / "jobs" / JOB)
    assert (found.code, len(found.out.splitlines()), found.err) == (0, 4, "")
    assert all(len(trial.gradings) == 2 for trial in trials_of(tmp_path / "jobs" / JOB))


def test_steps(cli: Cli, tmp_path: Path) -> None:
    """Each step is verified on the workspace as that step left it."""
    steps = [
        StepSpec("one", solution="echo 1 > count", verifier=f"grep -qx 1 count && {PASS}"),
        StepSpec("two", solution="echo 2 > count", verifier=f"grep -qx 2 count && {PASS}"),
    ]
    task = write_steps(tmp_path / "task", steps)
    cli(*run_arguments(task, "oracle", tmp_path / "jobs", "--quiet"))
    (trial,) = trials_of(tmp_path / "jobs" / JOB)
    found = cli("grade", trial.folder)
    name = trial.folder.name
    assert (found.code, found.err) == (0, "")
    assert found.out.splitlines() == [
        f"{name} step one  grading 4  reward 1",
        f"{name} step two  grading 5  reward 1",
        f"{name}  grading 6  reward 1",
    ]
    assert [(grading["number"], grading["step"]) for grading in trial.gradings] == [
        (1, "one"), (2, "two"), (3, None), (4, "one"), (5, "two"), (6, None),
    ]  # fmt: skip


def test_a_task_that_was_moved(cli: Cli, trial: Attempt, task: Path, tmp_path: Path) -> None:
    shutil.move(task.parent, tmp_path / "elsewhere")
    refused(
        cli("grade", trial.folder),
        f"the task {task} of {trial.folder} doesn't exist; pass its parent folder with --tasks",
    )
    found = cli("grade", trial.folder, "--tasks", tmp_path / "elsewhere")
    assert (found.code, found.out) == (0, f"{trial.folder.name}  grading 2  reward 1\n")


def test_some_that_can_not_be_graded(cli: Cli, tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_task(tmp_path / "set" / name, verifier=PASS)
    cli(*run_arguments(tmp_path / "set", "true", tmp_path / "jobs", "--quiet"))
    first, _ = trials_of(tmp_path / "jobs" / JOB)
    (first.folder / "workspace.tar.gz").unlink()
    found = cli("grade", tmp_path / "jobs" / JOB)
    assert found.code == 1
    why = "its workspace was not kept, and its verifier needs more than artifacts: environment_mode isn't separate"
    assert found.err == f"assay: {first.folder} can't be graded again: {why}\n"
    assert len(found.out.splitlines()) == 1


def archive_of(*entries: tuple[tarfile.TarInfo, bytes]) -> bytes:
    """An archive that nobody packed honestly."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for entry, content in entries:
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def entry(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    found = tarfile.TarInfo(name)
    found.type, found.linkname = kind, target
    return found


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"not an archive", id="something else"),
        pytest.param(archive_of((entry("workspace"), b"x" * 100_000))[:60], id="cut off"),
        pytest.param(archive_of((entry("../escaped"), b"x")), id="a name that leaves"),
        pytest.param(archive_of((entry("/tmp/assay-escaped"), b"x")), id="an absolute name"),
        pytest.param(archive_of((entry("workspace/../../escaped"), b"x")), id="a name that leaves later"),
        pytest.param(
            archive_of((entry("out", tarfile.SYMTYPE, "/tmp"), b""), (entry("out/assay-escaped"), b"x")),
            id="through a link",
        ),
        pytest.param(archive_of((entry("a/b"), b"x")), id="a folder that is missing"),
        pytest.param(archive_of((entry("a"), b"x"), (entry("a"), b"y")), id="a name twice"),
    ],
)
def test_an_archive_that_was_tampered_with(cli: Cli, trial: Attempt, data: bytes) -> None:
    (trial.folder / "workspace.tar.gz").write_bytes(data)
    before = files(trial)
    refused(cli("grade", trial.folder), str(trial.folder), "workspace.tar.gz")
    assert files(trial) == before
    assert not os.path.exists("/tmp/assay-escaped")


def test_an_archive_of_other_content_is_not_what_was_graded(cli: Cli, trial: Attempt) -> None:
    """The first grading holds the hash of the workspace. Another workspace is not the same run."""
    folder = entry("workspace", tarfile.DIRTYPE)
    folder.mode = 0o755
    (trial.folder / "workspace.tar.gz").write_bytes(
        archive_of((folder, b""), (entry("workspace/answer.txt"), b"right\n"))
    )
    refused(cli("grade", trial.folder), "workspace.tar.gz")
    assert len(trial.gradings) == 1


def test_an_archive_can_not_bring_a_system_along(cli: Cli, trial: Attempt, task: Path) -> None:
    """Only what belongs to the agent is shown to the verifier, whatever else an archive holds."""
    (trial.folder / "gradings" / "0001.json").unlink()
    tree = [
        entry(name, tarfile.DIRTYPE) for name in ("workspace", "usr", "usr/bin", "tests", "logs", "logs/verifier")
    ]
    for folder in tree:
        folder.mode = 0o755
    (trial.folder / "workspace.tar.gz").write_bytes(
        archive_of(
            *((folder, b"") for folder in tree),
            (entry("logs/verifier/reward.json"), b'{"reward": 1}'),
            (entry("tests/test.sh"), b"#!/bin/sh\necho 1 > /logs/verifier/reward.txt\n"),
            (entry("workspace/answer.txt"), b"wrong\n"),
        )
    )
    found = cli("grade", trial.folder)
    assert found.code == 2 or found.out.endswith("reward 0\n")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda trial: (trial.folder / "config.json").unlink(), "config.json must name the task in task.path"),
        (
            lambda trial: (trial.folder / "config.json").write_text("[]"),
            "config.json must name the task in task.path",
        ),
        (
            lambda trial: edit_json(trial.folder / "config.json", lambda config: config.pop("task")),
            "must name the task in task.path",
        ),
        (
            lambda trial: (trial.folder / "gradings" / "0001.json").write_text("{}"),
            "gradings/0001.json isn't a valid grading: ",
        ),
        (
            lambda trial: (trial.folder / "gradings" / "0001.json").write_text("{"),
            "gradings/0001.json isn't a valid grading: ",
        ),
    ],
)
def test_records_that_can_not_be_read(cli: Cli, trial: Attempt, damage: Any, said: str) -> None:
    damage(trial)
    refused(cli("grade", trial.folder), said)


def test_folders_that_are_no_runs(cli: Cli, tmp_path: Path) -> None:
    refused(cli("grade", tmp_path / "nowhere"), f"the folder {tmp_path / 'nowhere'} doesn't exist")
    refused(cli("grade", tmp_path), f"{tmp_path} must be a trial or a job with finished trials, but it is neither")


def test_nothing_is_overwritten_where_two_grade_at_once(cli: Cli, trial: Attempt) -> None:
    """Named twice, a trial is graded by two threads at once: one of them may have to give way, none is lost."""
    found = cli("grade", trial.folder, trial.folder, trial.folder, "-n", 3)
    assert found.code in (0, 1)
    assert len(trial.gradings) == 1 + len(found.out.splitlines())
    assert [grading["number"] for grading in trial.gradings] == list(range(1, len(trial.gradings) + 1))
    assert "Traceback" not in found.err


def test_ctrl_c(trial: Attempt, task: Path, open_folder: Path) -> None:
    """It ends at once, whatever time the verifier has left, and leaves nothing running or half written."""
    forever = str(random.randrange(10**8, 10**9))
    change_tests(task, f"sleep {forever}")
    running = start_assay("grade", trial.folder, tmp=open_folder)
    try:
        assert eventually(lambda: sleepers(forever))
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)
        assert running.returncode == 130
        assert "Traceback" not in said
        assert none_asleep(forever)
    finally:
        running.kill()
        running.communicate()
        end_sleepers(forever)
    assert len(trial.gradings) == 1
    assert os.listdir(trial.folder / "gradings") == ["0001.json"]


def test_by_default_a_run_is_verified_where_it_was_verified_before(cli: Cli, tmp_path: Path) -> None:
    need("process")
    left = attempt(write_task(tmp_path / "task"), "oracle", tmp_path / "jobs", "--isolation", "process")
    assert cli("grade", left.folder).code == 0
    assert {one["provenance"]["isolation"]["backend"] for one in left.gradings} == {"process"}


def test_a_run_whose_sandbox_is_not_here_is_refused_in_one_sentence(
    cli: Cli, trial: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    def elsewhere(grading: Any) -> None:
        grading["provenance"]["isolation"]["backend"] = "container (docker)"

    monkeypatch.setenv("PATH", "/nowhere")
    edit_json(trial.folder / "gradings" / "0001.json", elsewhere)
    found = cli("grade", trial.folder)
    assert found.code == 2
    assert found.err == (
        "assay: isolation container isn't available: docker is not installed; podman is not installed\n"
    )
    assert len(trial.gradings) == 1


def test_answers_from_different_sandboxes_are_not_called_flaky(cli: Cli, tmp_path: Path) -> None:
    need("process")
    here = os.readlink("/proc/self/ns/pid")
    verifier = (
        f'test "$(readlink /proc/self/ns/pid)" = "{here}" && r=0 || r=1; echo $r > /logs/verifier/reward.txt'
    )
    left = attempt(write_task(tmp_path / "task", verifier=verifier), "oracle", tmp_path / "jobs")
    assert cli("grade", left.folder, "--isolation", "process").code == 0
    assert [one["rewards"] for one in left.gradings] == [{"reward": 1.0}, {"reward": 0.0}]
    assert [one["flaky"] for one in left.gradings] == [False, False]


def test_another_sandbox_is_recorded(cli: Cli, trial: Attempt) -> None:
    need("process")
    assert cli("grade", trial.folder, "--isolation", "process").code == 0
    assert [grading["provenance"]["isolation"]["backend"] for grading in trial.gradings] == [
        "bubblewrap",
        "process",
    ]


@pytest.mark.parametrize(
    ("verifier", "says"),
    [(PASS, "reward 0 (reward_for_unparseable_output)"), (FAIL, "reward 0 (the output can't be used)")],
)
def test_a_zero_for_unusable_output_is_not_shown_as_a_wrong_answer(
    cli: Cli, tmp_path: Path, verifier: str, says: str
) -> None:
    task = write_task(tmp_path / "task", verifier=verifier, instruction="Write /workspace/answer.json.\n")
    cli(*run_arguments(task, "echo { > answer.json", tmp_path / "jobs", "--quiet"))
    (trial,) = trials_of(tmp_path / "jobs" / JOB)
    assert cli("grade", trial.folder).out == f"{trial.folder.name}  grading 2  {says}\n"


def test_a_measurement_that_breaks_is_named_with_its_trial(cli: Cli, trial: Attempt, task: Path) -> None:
    script(task / "tests" / "test.sh", "true", "/no/such/interpreter")
    for command in (("grade",), ("audit", "--repeat", 2)):
        found = cli(*command, trial.folder)
        assert found.code == 2
        first, last = found.err.splitlines()
        assert first.startswith(f"assay: {trial.folder.name}: the sandbox couldn't start the command: ")
        assert last.startswith("assay: none of the runs could be ")
