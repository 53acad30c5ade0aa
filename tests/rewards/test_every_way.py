"""A run, graders and the service come to the same gradings but for times. ``make search`` tries 500 outputs."""

import asyncio
import json
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx

from assay.adapters.service.coding_parts import CodingSetting
from assay.adapters.store.opening import open_store
from assay.client import Client
from assay.dialects.evaluation.models import Grading
from assay.rewards import GradedOutput, Grader, SyncGrader
from tests.api.clinic import clinic_of, serve_on
from tests.rewards.number_job import COUNT, kept, run_job, trials, write_number_task
from tests.rewards.test_grader import without_times


def left(trial: Path) -> dict[str, str | bytes | None]:
    with tarfile.open(trial / "workspace.tar.gz") as archive:
        file = archive.extractfile(next(one for one in archive.getmembers() if one.name.endswith("answer.txt")))
        assert file is not None
        return {"answer.txt": file.read()}


def record(graded: GradedOutput) -> dict[str, Any]:
    assert isinstance(graded.record, Grading)
    return without_times(graded.record.model_dump(mode="json"))


def in_words(graded: GradedOutput) -> dict[str, Any]:
    """A graded output without its record, as the service tells it."""
    names = ("reward", "state", "reason", "cause", "message", "parts", "flags")
    return {name: getattr(graded, name) for name in names}


def over_http(tasks: Path, outputs: Sequence[dict[str, str | bytes | None]], store: Path) -> list[dict[str, Any]]:
    open_store(str(store), create=True).close()
    coding = CodingSetting(graded_tasks=str(tasks))
    with serve_on(str(store), coding=coding) as served, httpx.Client(base_url=served.url, timeout=60) as client:
        keys = clinic_of(served, client, "loop").keys
        sent = [{"files": {"answer.txt": bytes(one["answer.txt"] or b"").decode()}} for one in outputs]  # type: ignore[arg-type]
        with Client(served.url, keys["grader"]) as asking:
            found = {one.pop("number"): one for one in asking.graded("number", sent, record=True)}
    return [found[number] for number in range(len(outputs))]


async def in_asyncio(task: Path, outputs: Sequence[dict[str, str | bytes | None]]) -> list[GradedOutput]:
    async with Grader(task, at_once=3) as grader:
        return await asyncio.gather(*map(grader.grade, outputs))


def test_a_run_and_graders_and_the_service_grade_alike(tmp_path: Path) -> None:
    task = write_number_task(tmp_path / "tasks")
    job = run_job(task, tmp_path / "jobs")
    outputs = [left(trial) for trial in trials(job)]
    expected = [kept(trial, 1) for trial in trials(job)]
    with SyncGrader(task, at_once=3) as grader:
        here = dict(grader.grade_many(outputs))
    sync = [here[number] for number in range(COUNT)]
    assert [record(one) for one in sync] == expected
    in_loop = asyncio.run(in_asyncio(task, outputs))
    assert [record(one) for one in in_loop] == expected
    assert [in_words(one) for one in in_loop] == [in_words(one) for one in sync]
    served = over_http(task.parent, outputs, tmp_path / "store.db")
    assert [without_times(one.pop("record")) for one in served] == expected
    assert served == json.loads(json.dumps([in_words(one) for one in sync]))
