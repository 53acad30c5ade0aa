"""An archive is graded in pieces: each run once under an ID, whoever is killed and however often it is begun."""

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from assay.adapters.jobs.pieces import Shard, claim, work_off
from assay.cli.output.progress import Progress
from tests.cli.running import Cli
from tests.sampling import SEARCHING
from tests.sandbox.backends import need
from tests.tasks import ANSWER, JOB, StepSpec, attempt, run_arguments, write_steps, write_task

TRIALS = 12


@pytest.fixture
def job(cli: Cli, tmp_path: Path) -> Path:
    need("bubblewrap")
    task = write_task(tmp_path / "tasks" / "task", verifier=ANSWER)
    arguments = run_arguments(task, "echo right > answer.txt", tmp_path / "jobs", "--quiet", "-k", TRIALS)
    assert cli(*arguments).code == 0
    return tmp_path / "jobs" / JOB


def gradings(job: Path, again: str) -> Counter[str]:
    """How many gradings of an ID each trial has."""
    paths = sorted(job.glob("*/gradings/*.json"))
    return Counter(path.parent.parent.name for path in paths if json.loads(path.read_text())["again"] == again)


def all_once(job: Path, again: str) -> None:
    trials = [path.parent.name for path in job.glob("*/result.json")]
    assert gradings(job, again) == Counter(trials)
    assert len(trials) == TRIALS


def test_what_has_a_grading_of_the_id_is_skipped(cli: Cli, job: Path) -> None:
    first = cli("grade", str(job), "--again", "fixed-tests")
    assert (first.code, first.err) == (0, "")
    assert first.out.count("grading 2  reward 1") == TRIALS
    again = cli("grade", str(job), "--again", "fixed-tests")
    assert (again.code, again.out) == (0, "")
    assert again.err == f"assay: skipped {TRIALS} runs with a grading of fixed-tests\n"
    all_once(job, "fixed-tests")
    other = cli("grade", str(job), "--again", "another")
    assert other.out.count("grading 3  reward 1") == TRIALS


def test_shards_together_grade_every_run_once(cli: Cli, job: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "mounted" / JOB
    elsewhere.parent.mkdir()
    elsewhere.symlink_to(job)
    for number in (1, 2, 3):
        place = job if number % 2 else elsewhere
        assert cli("grade", str(place), "--again", "A", "--shard", f"{number}/3").code == 0
    all_once(job, "A")


def test_a_piece_that_is_killed_goes_on_and_grades_nothing_twice(job: Path) -> None:
    start = "from assay.cli.main import run; run()"
    command = [sys.executable, "-c", start, "grade", str(job), "--again", "A", "-n", "2"]
    chance = random.Random(7)
    for _ in range(10 if SEARCHING else 6):
        pair = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(2)]
        time.sleep(chance.uniform(0.3, 1.2))
        for one in pair:
            one.send_signal(signal.SIGKILL)
            one.wait()
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    all_once(job, "A")


def test_a_run_that_another_process_has_is_left_to_it(cli: Cli, job: Path) -> None:
    name = min(path.parent.name for path in job.glob("*/result.json"))
    with claim(str(job / name)) as ours:
        assert ours
        found = cli("grade", str(job), "--again", "A")
    assert found.code == 0
    assert found.err == "assay: skipped 1 run with a grading of A, 1 of them at work elsewhere\n"
    assert cli("grade", str(job), "--again", "A").code == 0
    all_once(job, "A")


def test_a_run_with_steps_goes_on_at_the_step_where_it_was_killed(cli: Cli, tmp_path: Path) -> None:
    need("bubblewrap")
    task = write_steps(tmp_path / "tasks" / "steps", [StepSpec("one"), StepSpec("two")])
    trial = attempt(task, "true", tmp_path / "jobs").folder
    assert cli("grade", str(trial), "--again", "A").code == 0
    kept = sorted((trial / "gradings").iterdir())
    steps = [json.loads(path.read_text())["step"] for path in kept]
    assert steps == ["one", "two", None] * 2
    kept[-1].unlink()
    kept[-2].unlink()
    assert cli("grade", str(trial), "--again", "A").code == 0
    assert [json.loads(path.read_text())["step"] for path in sorted((trial / "gradings").iterdir())] == steps


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--shard", "0/4"], "--shard: must be I/N with I from 1 to N, such as 2/8, got '0/4'"),
        (["--shard", "5/4"], "got '5/4'"),
        (["--shard", "half"], "got 'half'"),
        (["--shard", "1/0"], "got '1/0'"),
        (["--again", "a b"], "--again: must be an ID of up to 100 letters, digits and . _ : + -"),
        (["--again", ""], "--again: must be an ID"),
    ],
)
def test_bad_options_are_refused_in_one_sentence(
    cli: Cli, tmp_path: Path, options: list[str], sentence: str
) -> None:
    found = cli("grade", str(tmp_path), *options)
    assert found.code == 2
    assert sentence in found.err


def test_every_run_is_in_one_shard() -> None:
    paths = [f"/somewhere/job/trial-{number}" for number in range(1000)]
    shards = [Shard(number, 7) for number in range(1, 8)]
    assert all(sum(shard.has(path) for shard in shards) == 1 for path in paths)
    assert all(100 < sum(shard.has(path) for path in paths) < 190 for shard in shards)
    assert [shards[0].has(path.replace("/somewhere", "/mnt/x")) for path in paths] == [
        shards[0].has(path) for path in paths
    ]


def test_work_is_begun_as_it_is_needed_and_answered_in_order() -> None:
    begun: list[str] = []
    told: list[tuple[int, int]] = []
    paths = [str(number) for number in range(100)]

    def work(path: str) -> str:
        begun.append(path)
        return path

    answers = work_off(paths, work, 2, tell=lambda *now: told.append(now))
    assert [next(answers) for _ in range(3)] == paths[:3]
    assert len(begun) <= 3 + 5
    assert list(answers) == paths[3:]
    assert told == [(number, 100) for number in range(1, 101)]


def test_progress_says_about_when_it_ends(capsys: pytest.CaptureFixture[str]) -> None:
    times = iter([0.0, 5.0, 20.0, 25.0, 60.0, 100.0])
    progress = Progress("graded", clock=lambda: next(times))
    for done in (1, 4, 5, 6, 12):
        progress(done, 12)
    assert capsys.readouterr().err == (
        "assay: graded 4 of 12, about 0:00:40 left\nassay: graded 6 of 12, about 0:01:00 left\n"
    )
