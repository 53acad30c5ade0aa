"""Gradings that are cancelled at any moment leave nothing behind, and the others are as if nobody had been.

``make search`` cancels 500 of 1,000.
"""

import asyncio
import contextlib
import os
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay.adapters.sandbox.cgroups import find_controllers, this_process
from assay.adapters.sandbox.launcher_client import SCRIPT
from assay.rewards import GradedOutput, Grader
from tests.rewards.test_grader import INSTRUCTION, NUMBER
from tests.sampling import SEARCHING
from tests.scratch_folders import own_scratch
from tests.tasks import write_task

COUNT = 1000 if SEARCHING else 60
AT_ONCE = 6
# About as long as a grading takes on a machine that is busy.
LONGEST_SEC = 0.3


def descendants(pid: int) -> Iterator[int]:
    for thread in os.listdir(f"/proc/{pid}/task"):
        for child in map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text().split()):
            yield child
            yield from descendants(child)


def beside_launchers() -> list[str]:
    """The command lines of what runs below this process and is no idle launcher."""
    lines = [Path(f"/proc/{pid}/cmdline").read_text() for pid in descendants(os.getpid())]
    return [line for line in lines if SCRIPT not in line]


def mounts_elsewhere() -> set[str]:
    """The mount namespaces of what runs below this process, but for its own."""
    found = {os.readlink("/proc/self/ns/mnt")}
    own = set(found)
    for pid in descendants(os.getpid()):
        with contextlib.suppress(FileNotFoundError):  # One that has ended is in none.
            found.add(os.readlink(f"/proc/{pid}/ns/mnt"))
    return found - own


def own_groups() -> list[str]:
    return [
        name
        for root in find_controllers().roots
        for name in os.listdir(root)
        if name.startswith(f"assay-{this_process()}-")
    ]


async def until(holds: Callable[[], bool]) -> None:
    """A caller who cancels waits for a second at most. On a busy machine, the end may take longer."""
    end = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < end
        await asyncio.sleep(0.02)


async def grade_and_cancel(grader: Grader) -> list[GradedOutput | BaseException]:
    """Every other grading is cancelled, some of them before they begin."""
    chance = random.Random(28)
    turns = asyncio.Semaphore(2 * AT_ONCE)

    async def grade(number: int) -> GradedOutput:
        async with turns:
            grading = asyncio.ensure_future(grader.grade({"answer.txt": f"{number / COUNT}"}))
            if number % 2:
                asyncio.get_running_loop().call_later(chance.uniform(0, LONGEST_SEC), grading.cancel)
            return await grading

    return await asyncio.gather(*map(grade, range(COUNT)), return_exceptions=True)


@pytest.mark.parametrize("isolation", ["bubblewrap", "namespaces"])
def test_half_of_many_are_cancelled(tmp_path: Path, isolation: str) -> None:
    # Longer than most of those that are cancelled.
    task = write_task(tmp_path / "task", verifier=f"sleep 0.1 & {NUMBER}\nwait", instruction=INSTRUCTION)
    before = set(own_scratch()), set(own_groups()), set(beside_launchers())

    async def grade() -> list[GradedOutput | BaseException]:
        async with Grader(task, at_once=AT_ONCE, isolation=isolation) as grader:
            await grader.grade({"answer.txt": "1"})
            folders = set(own_scratch())
            found = await grade_and_cancel(grader)
            # Earlier tests of this process may have left a server that forks.
            await until(lambda: set(beside_launchers()) <= before[2] and not mounts_elsewhere())
            await until(lambda: set(own_scratch()) <= folders)
            assert len(set(own_groups()) - before[1]) <= (AT_ONCE + 1) * len(find_controllers().roots)
            return found

    found = asyncio.run(grade())
    assert (set(own_scratch()) - before[0], set(own_groups()) - before[1]) == (set(), set())
    assert set(beside_launchers()) <= before[2]
    rewards = [one.reward for one in found[::2] if isinstance(one, GradedOutput)]
    assert rewards == [number / COUNT for number in range(0, COUNT, 2)]
    cancelled = [one for one in found[1::2] if isinstance(one, asyncio.CancelledError)]
    assert len(cancelled) > COUNT // 5
    assert all(isinstance(one, GradedOutput | asyncio.CancelledError) for one in found)
