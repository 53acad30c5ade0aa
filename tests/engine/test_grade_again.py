"""Verifying again from what an agent left: where tasks are found, what is read, what is written."""

import contextlib
import hashlib
import json
import os
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assay.adapters.jobs.trial_folder import DiskTrial, find_trials
from assay.adapters.machine.local_machine import ThisHost
from assay.adapters.tasks.task_folder import load_task_if_there
from assay.adapters.tasks.workbench import DiskWorkshop
from assay.core.errors import InputError
from assay.dialects.evaluation.models import Grading
from assay.engine.machine import TrialSite
from assay.engine.run.grade_again import Regrading
from tests.jobs import Jobs
from tests.tasks import Places, ScriptedSandbox, gives


class Regrader:
    """Grades trials again in a workshop of its own."""

    def __init__(
        self, sandbox: ScriptedSandbox, tasks_dir: str | None, concurrent: int, *, anywhere: bool = False
    ) -> None:
        self._workshop = DiskWorkshop(sandbox)
        site = TrialSite(sandbox, ThisHost({}))
        self._again = Regrading(site, self._workshop, load_task_if_there, tasks_dir, concurrent, anywhere)
        self.threads = self._again.threads
        self.close = self._workshop.close

    def grade(self, trial: str) -> list[Grading]:
        return self._again.grade(DiskTrial(trial))


class Graded:
    """A trial, and a way to grade it again with another verifier."""

    def __init__(self, jobs: Jobs) -> None:
        def work(places: Places) -> None:
            (places["/workspace"] / "answer").write_text("right")
            (places["/logs/agent"] / "log").write_text("said")

        jobs.begun(0, sandbox=ScriptedSandbox(agent=work))
        self.trial = jobs.folder / "t__0000000"
        self.jobs = jobs

    def again(
        self, sandbox: ScriptedSandbox | None = None, tasks_dir: str | None = None, concurrent: int = 1
    ) -> Regrader:
        return Regrader(sandbox or ScriptedSandbox(), tasks_dir, concurrent)

    def numbers(self) -> list[str]:
        return sorted(os.listdir(self.trial / "gradings"))


@pytest.fixture
def graded(jobs: Jobs) -> Graded:
    return Graded(jobs)


def grade(regrader: Regrader, trial: Path) -> list[float]:
    try:
        return [grading.result.reward for grading in regrader.grade(str(trial))]
    finally:
        regrader.close()


def test_the_verifier_sees_what_the_agent_left_and_no_agent_runs(graded: Graded) -> None:
    seen: dict[str, str] = {}

    def look(places: Places) -> None:
        seen["answer"] = (places["/workspace"] / "answer").read_text()
        seen["log"] = (places["/logs/agent"] / "log").read_text()
        seen["verifier"] = ",".join(os.listdir(places["/logs/verifier"]))
        gives(0.25)(places)

    sandbox = ScriptedSandbox(verifier=look)
    assert grade(graded.again(sandbox), graded.trial) == [0.25]
    assert seen == {"answer": "right", "log": "said", "verifier": ""}
    assert len(sandbox.commands) == 1


def test_nothing_of_the_trial_changes_but_its_gradings(graded: Graded) -> None:
    def files() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in graded.trial.rglob("*") if path.is_file()}

    def destroy(places: Places) -> None:
        shutil.rmtree(places["/workspace"])
        (places["/logs/agent"] / "log").write_text("forged")
        gives(1)(places)

    before = files()
    grade(graded.again(ScriptedSandbox(verifier=destroy)), graded.trial)
    after = files()
    assert {path: after[path] for path in before} == before
    assert graded.numbers() == ["0001.json", "0002.json"]


def test_a_task_that_is_elsewhere(graded: Graded, tmp_path: Path) -> None:
    shutil.move(tmp_path / "set", tmp_path / "moved")
    with pytest.raises(InputError, match="doesn't exist; pass its parent folder with --tasks"):
        grade(graded.again(), graded.trial)
    assert grade(graded.again(tasks_dir=str(tmp_path / "moved")), graded.trial) == [1.0]


def test_a_verifier_that_gives_nothing(graded: Graded) -> None:
    regrader = graded.again(ScriptedSandbox(verifier=lambda _places: None))
    (grading,) = regrader.grade(str(graded.trial))
    regrader.close()
    assert (grading.reason_code, grading.exception_type) == ("reward_missing", "RewardFileNotFoundError")
    assert grading.rewards is None
    assert not grading.result.validity.verifier_completed


def test_the_same_question_has_one_answer_or_is_flaky(graded: Graded) -> None:
    answers = []
    for reward in (1, 1, 0):
        regrader = graded.again(ScriptedSandbox(verifier=gives(reward)))
        (grading,) = regrader.grade(str(graded.trial))
        regrader.close()
        assert grading.result.confidence is not None
        answers.append((grading.result.confidence.confidence_method, grading.flaky))
    assert answers == [
        ("range of 2 verifications of the same output", False),
        ("range of 3 verifications of the same output", False),
        ("range of 4 verifications of the same output", True),
    ]


def test_other_tests_ask_another_question(graded: Graded, tmp_path: Path) -> None:
    test = tmp_path / "set" / "a" / "tests" / "test.sh"
    test.write_text(test.read_text() + "# changed\n")
    regrader = graded.again(ScriptedSandbox(verifier=gives(0)))
    (grading,) = regrader.grade(str(graded.trial))
    regrader.close()
    assert grading.result.confidence is None


def test_two_at_once_lose_nothing(graded: Graded) -> None:
    """Both are kept, one behind the other: the chain of hashes has no gap and no fork."""
    barrier = threading.Barrier(2, timeout=60)

    def together(places: Places) -> None:
        barrier.wait()
        gives(1)(places)

    regrader = graded.again(ScriptedSandbox(verifier=together), concurrent=2)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(regrader.grade, [str(graded.trial)] * 2))
    regrader.close()
    assert graded.numbers() == ["0001.json", "0002.json", "0003.json"]
    files = [graded.trial / "gradings" / name for name in graded.numbers()]
    hashes = [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]
    known = [json.loads(file.read_text())["provenance"]["previous"] for file in files]
    assert known == [None, *hashes[:2]]


def test_a_workspace_that_was_kept_in_part_is_not_graded_again(graded: Graded) -> None:
    os.rename(graded.trial / "workspace.tar.gz", graded.trial / "workspace.partial.tar.gz")
    with pytest.raises(InputError, match="was too large to be kept as a whole"):
        grade(graded.again(), graded.trial)


def test_finding_trials(graded: Graded, tmp_path: Path) -> None:
    job = graded.jobs.folder
    assert find_trials([str(graded.trial)]) == [str(graded.trial)]
    assert find_trials([str(job)]) == [str(graded.trial)]
    for name in ("lock.json", "trial.log"):  # As newer versions of harbor leave them in each trial.
        (graded.trial / name).write_text("{}")
    assert find_trials([str(job)]) == [str(graded.trial)]
    (graded.trial / "lock.json").unlink()
    (job / "unfinished__0000000").mkdir()
    (job / "notes.txt").touch()
    assert find_trials([str(job), str(graded.trial)]) == [str(graded.trial)] * 2
    for path, said in (
        (tmp_path / "nowhere", "the folder .*/nowhere doesn't exist"),
        (tmp_path / "set", "must be a trial or a job"),
        (tmp_path / "jobs", "is a folder of jobs; pass one of them, such as .*/jobs/job$"),
    ):
        with pytest.raises(InputError, match=said):
            find_trials([str(path)])


@pytest.mark.parametrize("text", [None, "", "[]", "{}", '{"task": []}', '{"task": {}}'])
def test_a_trial_that_does_not_name_its_task(graded: Graded, text: str | None) -> None:
    path = graded.trial / "config.json"
    path.unlink() if text is None else path.write_text(text)
    with pytest.raises(InputError, match=r"must name the task in task\.path"):
        grade(graded.again(), graded.trial)


def test_what_was_not_kept_can_not_be_graded(graded: Graded) -> None:
    (graded.trial / "workspace.tar.gz").unlink()
    with pytest.raises(InputError, match=r"can't be graded again: its workspace was not kept"):
        grade(graded.again(), graded.trial)


def test_another_sandbox_is_refused_unless_asked_for(graded: Graded) -> None:
    with pytest.raises(
        InputError, match="was verified in scripted, but this is another; pass --isolation another"
    ):
        grade(graded.again(ScriptedSandbox(backend="another")), graded.trial)


def test_provenance(graded: Graded) -> None:
    grade(Regrader(ScriptedSandbox(backend="another"), None, 1, anywhere=True), graded.trial)
    first, second = (json.loads((graded.trial / "gradings" / name).read_text()) for name in graded.numbers())
    assert second["provenance"]["isolation"]["backend"] == "another"
    assert second["provenance"]["hashes"] == first["provenance"]["hashes"]


@pytest.mark.parametrize("concurrent", [1, 2])
def test_so_many_verifiers_at_a_time_and_no_more(graded: Graded, concurrent: int) -> None:
    lock = threading.Lock()
    counts = [0, 0]
    full = threading.Event()

    def busy(places: Places) -> None:
        with lock:
            counts[0] += 1
            counts[1] = max(counts)
            if counts[0] == concurrent:
                full.set()
        full.wait(60)
        time.sleep(0.05)
        with lock:
            counts[0] -= 1
        gives(1)(places)

    trials = [shutil.copytree(graded.trial, graded.trial.parent / f"t__copy{number}") for number in range(6)]
    regrader = graded.again(ScriptedSandbox(verifier=busy), concurrent=concurrent)
    with contextlib.closing(regrader), ThreadPoolExecutor(regrader.threads) as pool:
        assert len(list(pool.map(regrader.grade, map(str, trials)))) == 6
    assert counts == [0, concurrent]
