"""Outputs graded in the caller's process come to what a run on the command line comes to."""

import asyncio
import os
import pickle
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError, StoppedError
from assay.rewards import Answer, Diff, GradedOutput, Grader, Output, State, SyncGrader
from tests.coding import FIXED, PROJECT, TESTS, pack, write_files, write_scenario
from tests.scratch_folders import own_scratch
from tests.tasks import attempt, write_task

# Worth the number in the answer; an answer of "hang" or "crash" does that to the verifier.
NUMBER = """
answer=$(cat /workspace/answer.txt 2>/dev/null)
case $answer in
hang) sleep 4321;;
crash) exit 1;;
*) echo "{\\"reward\\": ${answer:-0}}" > /logs/verifier/reward.json;;
esac"""
INSTRUCTION = "Write a number from 0 to 1 into /workspace/answer.txt.\n"
LIMIT = "[verifier]\ntimeout_sec = 2.0\n"
SLEEPER = b"sleep\x004321"
# What differs between two gradings of the same output.
TIMES = {"started_at", "finished_at", "usage", "previous"}


@pytest.fixture
def task(tmp_path: Path) -> Path:
    return write_task(tmp_path / "task", verifier=NUMBER, instruction=INSTRUCTION, toml=LIMIT, solution=None)


def graded(task: Path, *outputs: Output, **settings: Any) -> list[GradedOutput]:
    with SyncGrader(task, **settings) as grader:
        return [grader.grade(output) for output in outputs]


def sleepers() -> list[int]:
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                line = Path(f"/proc/{name}/cmdline").read_bytes()
            except OSError:
                continue
            found += [int(name)] if SLEEPER in line else []
    return found


def outputs(folder: Path) -> list[Output]:
    """The same answer, in each way that it can be given."""
    left = write_files(folder / "left", {"answer.txt": "0.5"})
    patch = "--- /dev/null\n+++ b/answer.txt\n@@ -0,0 +1 @@\n+0.5\n"
    (folder / "change.patch").write_text(patch)
    return [
        Answer("0.5"),
        {"answer.txt": "0.5"},
        {"/workspace/answer.txt": b"0.5"},
        left,
        pack(left, folder / "left.tar.gz"),
        Diff(patch),
        folder / "change.patch",
    ]


def test_an_output_may_be_given_in_each_way(task: Path, tmp_path: Path) -> None:
    found = graded(task, *outputs(tmp_path))
    assert [(one.reward, one.state, one.cause) for one in found] == [(0.5, State.PARTIAL, None)] * 7
    assert found[0].parts == {"reward": 0.5}


@pytest.mark.parametrize("answer", ["1", "0", "0.25", "2", "nan", "crash", "hang", "no number"])
def test_a_grading_is_that_of_a_run(task: Path, tmp_path: Path, answer: str) -> None:
    run = attempt(task, f"printf '{answer}' > /workspace/answer.txt", tmp_path / "jobs").gradings[0]
    (here,) = graded(task, Answer(answer))
    assert here.record is not None
    record = here.record.model_dump(mode="json")
    assert without_times(record) == without_times(run)
    counts = run["result"]["validity"]["verifier_completed"] or run["cause"] == "agent"
    assert here.reward == (run["result"]["reward"] if counts else None)


def without_times(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record without its times, and without the hash of the workspace, which has times in it."""
    made = {name: value for name, value in record["provenance"].items() if name not in TIMES}
    made["hashes"] = made["hashes"] | {"workspace": None}
    return {**record, "provenance": made}


def test_only_what_an_agent_cant_bring_about_has_no_reward(tmp_path: Path) -> None:
    by_agent = write_task(tmp_path / "a", verifier=NUMBER, instruction=INSTRUCTION, toml=LIMIT, solution=None)
    by_verifier = write_task(tmp_path / "v", verifier="exit 3", instruction=INSTRUCTION, solution=None)
    (hung,) = graded(by_agent, Answer("hang"))
    (broken,) = graded(by_verifier, Answer("1"))
    assert (hung.reward, hung.state, hung.cause) == (0.0, State.UNUSABLE, "agent")
    assert "verifier_failed" in hung.flags
    assert (broken.reward, broken.state, broken.cause) == (None, State.BROKEN, "verifier")
    assert (hung.rewards_or(0.3), broken.rewards_or(0.3)) == (0.0, 0.3)


@pytest.mark.parametrize(
    "output",
    [
        {"../answer.txt": "1"},
        {"/etc/passwd": "x"},
        {"a\0b": "x"},
        {"x" * 300: "1"},
        {"": "1"},
        Diff("--- a/none.txt\n+++ b/none.txt\n@@ -1 +1 @@\n-a\n+b\n"),
        Diff(b"\xff\x00"),
    ],
)
def test_an_output_that_fits_nowhere_is_worth_0(task: Path, output: Output) -> None:
    (found,) = graded(task, output)
    assert (found.reward, found.state, found.reason) == (0.0, State.UNUSABLE, "output_unusable")
    assert found.message


def test_an_archive_that_is_none_is_worth_0(task: Path, tmp_path: Path) -> None:
    (tmp_path / "left.zip").write_bytes(b"PK\x03\x04 and nothing more")
    (found,) = graded(task, tmp_path / "left.zip")
    assert (found.reward, found.reason) == (0.0, "output_unusable")


def test_a_pipe_in_a_folder_is_nobodys_trouble(task: Path, tmp_path: Path) -> None:
    left = write_files(tmp_path / "left", {"answer.txt": "1"})
    os.mkfifo(left / "pipe")
    assert graded(task, left)[0].reward == 1.0


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        (
            "0.5",
            "must be a Path, a mapping of names to contents, a Diff or an Answer, got str; wrap a text in Answer",
        ),
        (3, "got int"),
        (None, "got NoneType"),
        ({"a": 3}, "names and contents .str, bytes or None., got str and int"),
        (Path("nowhere/at/all"), "but nowhere/at/all doesn't exist"),
    ],
)
def test_an_output_of_the_wrong_kind_is_refused_in_one_sentence(task: Path, output: Any, sentence: str) -> None:
    with SyncGrader(task) as grader, pytest.raises(InputError, match=sentence):
        grader.grade(output)


def test_a_task_that_cant_be_used_is_refused_in_one_sentence(task: Path, tmp_path: Path) -> None:
    for settings, sentence in (
        (
            {"task": tmp_path / "none"},
            "must be the folder of a task or the file of a scenario, but it doesn't exist",
        ),
        ({"task": tmp_path}, "but it is neither"),
        ({"task": task, "baseline": tmp_path}, "baseline must be left out for a task"),
        ({"task": task, "isolation": "cardboard"}, "isolation must be one of"),
        ({"task": task, "at_once": 0}, "at_once must be 1 or more, got 0"),
    ):
        with pytest.raises(InputError, match=sentence), SyncGrader(**settings):
            pass
    with SyncGrader(task) as grader, pytest.raises(InputError, match="deadline must be a number"):
        grader.grade(Answer("1"), deadline=0)


def test_many_come_back_as_they_are_done_and_only_so_many_are_taken(task: Path) -> None:
    taken: list[int] = []
    given: list[tuple[int, float | None]] = []

    async def come() -> AsyncIterator[Output]:
        for number in range(9):
            taken.append(number)
            assert len(taken) - len(given) <= 3
            yield Answer(str(number / 10))

    async def grade() -> None:
        async with Grader(task, at_once=3) as grader:
            async for number, grading in grader.grade_many(come()):
                given.append((number, grading.reward))

    asyncio.run(grade())
    assert sorted(given) == [(number, number / 10) for number in range(9)]


def test_a_deadline_is_nobodys_zero_and_ends_only_its_own(task: Path) -> None:
    patient = write_task(task.parent / "patient", verifier=NUMBER, instruction=INSTRUCTION, solution=None)

    async def grade() -> tuple[GradedOutput, GradedOutput, float]:
        async with Grader(patient) as grader:
            hanging = asyncio.ensure_future(grader.grade(Answer("hang"), deadline=1.5))
            fine = [await grader.grade(Answer("1")) for _ in range(3)][-1]
            began = time.monotonic()
            return await hanging, fine, time.monotonic() - began

    hung, fine, _ = asyncio.run(grade())
    assert (hung.reward, hung.state, hung.reason) == (None, State.CANCELLED, "deadline")
    assert fine.reward == 1.0
    assert sleepers() == []


def test_what_is_cancelled_leaves_nothing_behind(task: Path) -> None:
    patient = write_task(task.parent / "patient", verifier=NUMBER, instruction=INSTRUCTION, solution=None)

    async def grade() -> list[Any]:
        async with Grader(patient, at_once=4) as grader:
            before = set(own_scratch())
            gradings = [
                asyncio.ensure_future(grader.grade(Answer("hang" if number % 2 else "1"))) for number in range(8)
            ]
            await asyncio.sleep(1.5)
            for grading in gradings[1::2]:
                grading.cancel()
            done = await asyncio.gather(*gradings, return_exceptions=True)
            assert sleepers() == []
            assert set(own_scratch()) <= before
            return done

    found = asyncio.run(grade())
    assert all(isinstance(one, asyncio.CancelledError) for one in found[1::2])
    assert [one.reward for one in found[::2]] == [1.0] * 4


def test_leaving_a_grader_ends_what_still_runs(task: Path) -> None:
    patient = write_task(task.parent / "patient", verifier=NUMBER, instruction=INSTRUCTION, solution=None)
    before = set(own_scratch())

    async def grade() -> None:
        async with Grader(patient) as grader:
            hanging = asyncio.ensure_future(grader.grade(Answer("hang")))
            await asyncio.sleep(1)
        with pytest.raises(StoppedError):
            await hanging

    asyncio.run(grade())
    assert sleepers() == []
    assert set(own_scratch()) <= before


def test_a_grader_travels_before_it_is_entered_and_is_used_where_it_was(task: Path) -> None:
    sent = pickle.loads(pickle.dumps(Grader(task, at_once=2)))  # noqa: S301 - our own
    with SyncGrader(sent) as grader:
        assert grader.grade(Answer("1")).reward == 1.0
        child = os.fork()
        if child == 0:
            try:
                grader.grade(Answer("1"))
            except InputError as error:
                os._exit("in the process that entered it" not in str(error))
            os._exit(2)
        assert os.waitpid(child, 0)[1] == 0


@contextmanager
def _descriptors() -> Iterator[list[int]]:
    counts = [len(os.listdir("/proc/self/fd"))]
    yield counts
    counts.append(len(os.listdir("/proc/self/fd")))


def test_descriptors_and_folders_stay_as_many(task: Path) -> None:
    with SyncGrader(task, at_once=2) as grader:
        for _ in range(3):
            list(grader.grade_many([Answer("1")] * 4))
        folders = len(own_scratch())
        with _descriptors() as counts:
            list(grader.grade_many([Answer("1")] * 20))
        assert counts[1] <= counts[0]
        assert len(own_scratch()) == folders


def test_a_task_is_an_environment(tmp_path: Path) -> None:
    task = write_task(
        tmp_path / "task",
        verifier="grep -q right answer.txt && answer=1; echo ${answer:-0} > /logs/verifier/reward.txt",
        dockerfile="FROM debian:12\nWORKDIR /app\nCOPY given.txt /app/\n",
        solution=None,
    )
    (task / "environment" / "given.txt").write_text("given")
    with Grader.from_task(task) as environment:
        with pytest.raises(InputError, match="must be reset"):
            environment.grade()
        episode = environment.reset()
        assert (episode.instruction, os.listdir(episode.workspace)) == ("Do what you are asked.\n", ["given.txt"])
        assert environment.grade().reward == 0.0
        (episode.workspace / "answer.txt").write_text("right")
        assert environment.grade().reward == 1.0
        again = environment.reset()
        assert not episode.workspace.exists()
        assert os.listdir(again.workspace) == ["given.txt"]
    assert not again.workspace.exists()


def coding(tmp_path: Path, **fields: Any) -> Path:
    kept = {"name": "kept", "type": "assertions_not_weakened"}
    return write_scenario(tmp_path, TESTS, kept, user_instruction="Fix it.", **fields)


WEAKER = PROJECT["tests/test_calc.py"].replace("self.assertEqual(add(2, 3), 5)", "self.assertTrue(add(2, 3))")


@pytest.mark.parametrize("against_baseline", [True, False])
def test_a_scenario_grades_every_kind_of_output(tmp_path: Path, against_baseline: bool) -> None:
    scenario = coding(tmp_path)
    right = write_files(tmp_path / "right", PROJECT | {"calc.py": FIXED})
    patch = (
        "--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n"
    )
    cheat = {"tests/test_calc.py": WEAKER.replace("add(2, 0), 2", "2, 2")}
    settings = {"baseline": tmp_path / "project"} if against_baseline else {}
    with SyncGrader(scenario, **settings) as grader:
        assert grader.instruction == "Fix it."
        found = [
            grader.grade(output)
            for output in (right, pack(right, tmp_path / "r.tar.gz"), Diff(patch), {"calc.py": FIXED})
        ]
        assert [(one.reward, one.state, dict(one.flags)) for one in found] == [(1.0, State.PASSED, {})] * 4
        assert found[0].parts["tests"] == 1.0
        (cheating, removed, words) = (
            grader.grade(output) for output in (cheat, {"calc.py": None}, Answer("I did it."))
        )
        assert "assertions_not_weakened" in cheating.flags
        assert (removed.reward, removed.state) == (0.0, State.FAILED)
        assert (words.reward, words.state) == (None, State.NOT_JUDGED)
        grader.write_workspace(tmp_path / "begin")
    assert (tmp_path / "begin" / "calc.py").read_text() == PROJECT["calc.py"]
