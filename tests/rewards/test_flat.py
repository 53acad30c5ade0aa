"""However many outputs a process grades, its memory, descriptors, threads and folders stay as many.

``make search`` grades 100,000 by pure checks and 5,000 in a sandbox.
"""

import gc
import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from assay import criteria, evaluation
from assay.dialects.criteria.models import Criterion
from assay.evidence.playground import Turn
from assay.rewards import Answer, SyncGrader
from benchmarks.made_playground import MadePlayground
from tests.coding import FIXED, write_scenario
from tests.rewards.test_grader import INSTRUCTION, NUMBER
from tests.sampling import SEARCHING
from tests.scratch_folders import own_scratch
from tests.tasks import write_task

PURE, SANDBOXED, WORKSPACES = (100_000, 5_000, 2_000) if SEARCHING else (2_000, 60, 60)
MOST_MB = 3.0
NOW = datetime(2026, 11, 19, tzinfo=UTC)


def memory_mb() -> float:
    gc.collect()
    status = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in status if line.startswith("VmRSS")).split()[1]) / 1000


def held() -> tuple[int, int, int]:
    return len(os.listdir("/proc/self/fd")), threading.active_count(), len(own_scratch())


def stays_flat(grade: Callable[[int], object], count: int) -> None:
    """The first half may fill caches and pools."""
    for number in range(count // 2):
        grade(number)
    memory, before = memory_mb(), held()
    for number in range(count // 2, count):
        grade(number)
    assert held() == before
    assert memory_mb() < memory + MOST_MB


class Conversation(MadePlayground):
    """Another one each time."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number

    def turns(self) -> list[Turn]:
        return [Turn(1, "agent", f"the appointment number {self._number} is confirmed", NOW)]


def test_by_pure_checks() -> None:
    rubric = evaluation.Rubric(dimensions=[evaluation.Dimension(name=name, weight=1.0) for name in "abcde"])

    def grade(number: int) -> None:
        wanted = {"assert": "voice-transcript", "contains": [f"number {number} is confirmed"]}
        found = criteria.complete([Criterion(label="said", assertion=wanted)], {}, Conversation(number))
        assert found.score == 1.0
        assert evaluation.score_rubric(rubric, dict.fromkeys("abcde", 0.5)).reward == 0.5

    stays_flat(grade, PURE)


def test_in_a_sandbox(tmp_path: Path) -> None:
    task = write_task(tmp_path / "task", verifier=NUMBER, instruction=INSTRUCTION, solution=None)
    with SyncGrader(task, at_once=2) as grader:
        stays_flat(lambda number: grader.grade(Answer(f"{number % 11 / 10}")), SANDBOXED)


def test_in_workspaces(tmp_path: Path) -> None:
    with SyncGrader(write_scenario(tmp_path, {"name": "kept", "type": "assertions_not_weakened"})) as grader:
        stays_flat(lambda number: grader.grade({"calc.py": f"{FIXED}# {number}\n"}), WORKSPACES)
