"""Gradings in several processes, however those were started, are the same as in one.

``make search`` grades 200.
"""

import fcntl
import functools
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from assay import scorers
from assay.adapters.sandbox.backends import choose
from assay.adapters.workspace.shared_copies import SharedCopies
from assay.engine.sandbox import BASE_ENV, CommandLimits, Sandbox, SandboxCommand
from tests.coding import FIXED, MORE_TESTS, PROJECT, TESTS, write_files, write_scenario
from tests.sampling import SEARCHING
from tests.sandbox.backends import eventually

PROCESSES, GRADINGS = 4, 200 if SEARCHING else 4
STARTS = ("fork", "forkserver", "spawn")


def graded(folder: str) -> list[tuple[str, str]]:
    """The verdict of each scorer on a right and a wrong workspace."""
    found = []
    for name in ("right", "wrong"):
        report = scorers.score_against(
            f"{folder}/{name}", f"{folder}/scenario.json", f"{folder}/project", remember=False
        )
        found += [(row.name, row.verdict.value) for row in report.scorers]
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pattern = {"name": "tests kept", "type": "assertions_not_weakened"}
    write_scenario(tmp_path, TESTS, pattern)
    write_files(tmp_path / "right", PROJECT | {"calc.py": FIXED, "tests/test_calc.py": MORE_TESTS})
    write_files(tmp_path / "wrong", PROJECT | {"tests/test_calc.py": MORE_TESTS})
    return tmp_path


@pytest.mark.parametrize("before", [False, True], ids=["fresh", "graded before"])
@pytest.mark.parametrize("start", STARTS)
def test_gradings_in_four_processes_are_the_same_as_in_one(folder: Path, start: str, before: bool) -> None:
    if before:
        graded(str(folder))
    with ProcessPoolExecutor(PROCESSES, get_context(start)) as pool:
        found = list(pool.map(graded, [str(folder)] * GRADINGS))
    assert found == [graded(str(folder))] * GRADINGS
    assert [verdict for _, verdict in found[0]] == ["PASS", "PASS", "FAIL", "PASS"]


@functools.cache
def sandbox() -> Sandbox:
    return choose("auto")


def exit_code(number: int) -> tuple[int, int | None, str]:
    ran = sandbox().run(
        SandboxCommand(
            argv=("/bin/sh", "-c", f"cat; exit {number}"),
            workdir="/",
            limits=CommandLimits(timeout_sec=60),
            env=BASE_ENV,
            stdin=str(number).encode(),
        )
    )
    return number, ran.end.exit_code, ran.output.decode()


def test_a_sandbox_that_was_kept_ready_runs_the_commands_of_forked_children() -> None:
    assert exit_code(7) == (7, 7, "7")
    numbers = range(1, 33)
    with ProcessPoolExecutor(PROCESSES, get_context("fork")) as pool:
        found = list(pool.map(exit_code, numbers))
    assert found == [(number, number, str(number)) for number in numbers]
    assert exit_code(9) == (9, 9, "9")


def test_shared_copies_of_a_parent_stay_when_a_child_is_done_with_them(tmp_path: Path) -> None:
    (tmp_path / "test.sh").write_text("exit 0")
    copies = SharedCopies()
    kept = copies.copy(str(tmp_path))
    child = os.fork()
    if child == 0:
        own = copies.copy(str(tmp_path))
        copies.close()
        os._exit(own == kept or not os.path.exists(kept) or os.path.exists(own))
    assert os.waitpid(child, 0)[1] == 0
    assert os.listdir(kept) == ["test.sh"]
    copies.close()
    assert not os.path.exists(kept)


def left_behind() -> Iterator[str]:
    for root in (tempfile.gettempdir(), "/dev/shm"):
        yield from (f"{root}/{name}" for name in os.listdir(root) if name.startswith("assay-scratch-"))


def is_free(path: str) -> bool:
    """Whether a folder is there that nobody has locked: those of other tests are, as long as they are used."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(fd)
    return True


def test_a_forked_worker_leaves_no_folder_behind(folder: Path) -> None:
    before = set(left_behind())
    with ProcessPoolExecutor(2, get_context("fork")) as pool:
        list(pool.map(graded, [str(folder)] * 2))
    assert eventually(lambda: not any(map(is_free, set(left_behind()) - before)))


def test_a_process_that_forked_during_a_command_does_not_hold_its_input_open() -> None:
    """The command reads to the end of its input, which comes only when nobody else can write there."""
    answers: list[tuple[int, int | None, str]] = []
    thread = threading.Thread(target=lambda: answers.extend(exit_code(number) for number in range(1, 21)))
    thread.start()
    children: list[int] = []
    while thread.is_alive() and len(children) < 20:
        child = os.fork()
        if child == 0:
            time.sleep(600)
            os._exit(0)
        children.append(child)
        time.sleep(0.01)
    thread.join(50)
    for child in children:
        os.kill(child, 9)
        os.waitpid(child, 0)
    assert answers == [(number, number, str(number)) for number in range(1, 21)]
