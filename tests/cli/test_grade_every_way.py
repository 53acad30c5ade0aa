"""Whole, in shards, from a pack and on Ray, a job is graded again alike. ``make search`` tries 500 runs."""

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.rewards.number_job import kept, run_job, trials, write_number_task
from tests.tasks import JOB

START = "from assay.cli.main import run; run()"
# A piece that was graded again is the second grading of its output, under an ID.
OF_THE_ORDER = ("number", "again", "flaky")
WAYS = ("whole", "shards", "pack", *(["ray"] if find_spec("ray") else []))


def assay(*words: object) -> None:
    command = [sys.executable, "-c", START, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def graded_again(job: Path, way: str, place: Path) -> list[dict[str, Any]]:
    """The second gradings of a copy of a job."""
    copy = place / way / JOB
    shutil.copytree(job, copy, symlinks=True)
    again = ("grade", copy, "--again", "A")
    if way == "shards":
        for number in (1, 2, 3):
            assay(*again, "--shard", f"{number}/3")
    elif way == "pack":
        assay("pack", copy)
        assay("grade", f"{copy}.pack", "--again", "A")
        assay("unpack", f"{copy}.pack", "-o", place / "unpacked")
        copy = place / "unpacked"
    else:
        assay(*again, *(("--on", "ray", "-n", 1) if way == "ray" else ()))
    return [kept(trial, 2) for trial in trials(copy)]


def settled(grading: dict[str, Any]) -> dict[str, Any]:
    """A grading without what an earlier one of the same output adds."""
    result = grading["result"] | {"confidence": None}
    return {name: one for name, one in grading.items() if name not in OF_THE_ORDER} | {"result": result}


def test_all_ways_to_grade_again_grade_alike(tmp_path: Path) -> None:
    job = run_job(write_number_task(tmp_path / "tasks"), tmp_path / "jobs")
    whole, *others = (graded_again(job, way, tmp_path / "again") for way in WAYS)
    for way, gradings in zip(WAYS[1:], others, strict=True):
        assert gradings == whole, way
    assert [settled(one) for one in whole] == [settled(kept(trial, 1)) for trial in trials(job)]
