"""Outputs are graded over HTTP as in a process: one or many, answered as they come."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from assay.adapters.service.coding_parts import CodingSetting
from assay.client import AsyncClient, Client, ServiceError
from assay.client.requests import Json
from assay.rewards import Answer, Diff, Output, SyncGrader
from tests.api.clinic import Clinic, clinic_of, serve_on
from tests.rewards.test_grader import INSTRUCTION, LIMIT, NUMBER, sleepers, without_times
from tests.tasks import write_task

PATCH = "--- /dev/null\n+++ b/answer.txt\n@@ -0,0 +1 @@\n+0.5\n"
OUTPUTS: list[Json] = [
    {"answer": "0.5"},
    {"files": {"answer.txt": "0.25", "other": None}},
    {"diff": PATCH},
    {"diff": "no diff"},
    {"answer": "crash"},
    {"files": {"../answer.txt": "1"}},
]


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tasks")
    write_task(folder / "number", verifier=NUMBER, instruction=INSTRUCTION, toml=LIMIT, solution=None)
    return folder


@pytest.fixture
def grading(where: str, tasks: Path) -> Iterator[Clinic]:
    with (
        serve_on(where, coding=CodingSetting(graded_tasks=str(tasks))) as served,
        httpx.Client(base_url=served.url, timeout=60) as client,
    ):
        yield clinic_of(served, client, "grading")


def connected(clinic: Clinic, key: str = "grader") -> Client:
    return Client(str(clinic.client.base_url), clinic.keys[key])


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    assert holds()


def test_an_output_is_graded_as_in_a_process(grading: Clinic, tasks: Path) -> None:
    with connected(grading) as client:
        found = {one.pop("number"): one for one in client.graded("number", OUTPUTS, record=True)}
    here: list[Output] = [Answer("0.5"), {"answer.txt": "0.25", "other": None}, Diff(PATCH)]
    here += [Diff("no diff"), Answer("crash")]
    with SyncGrader(tasks / "number") as grader:
        expected = [grader.grade(output) for output in [*here, {"../answer.txt": "1"}]]
    assert [found[number]["reward"] for number in range(6)] == [0.5, 0.25, 0.5, 0.0, 0.0, 0.0]
    for number, one in enumerate(expected):
        told = found[number]
        record = None if one.record is None else one.record.model_dump(mode="json")
        assert (told["record"] is None) == (record is None)
        if record is not None:
            assert without_times(told["record"]) == without_times(record)
        for name in ("reward", "state", "reason", "cause", "message", "parts", "flags"):
            assert told[name] == getattr(one, name), (number, name)


def test_answers_come_in_the_order_of_completion(grading: Clinic) -> None:
    async def ask() -> list[tuple[int, str]]:
        async with AsyncClient(str(grading.client.base_url), grading.keys["admin"]) as client:
            asked = client.graded("number", [{"answer": "hang"}, {"answer": "1"}], deadline_sec=1.5)
            return [(one["number"], one["state"]) async for one in asked]

    assert asyncio.run(ask()) == [(1, "passed"), (0, "cancelled")]


def test_who_hangs_up_ends_the_gradings(grading: Clinic) -> None:
    with connected(grading) as client:
        asked = client.graded("number", [{"answer": "1"}, *[{"answer": "hang"}] * 3])
        assert next(iter(asked))["reward"] == 1.0
        wait_until(lambda: bool(sleepers()))
        asked.close()  # type: ignore[attr-defined]
    wait_until(lambda: not sleepers())


@pytest.mark.parametrize(
    ("task", "outputs", "more", "status", "message"),
    [
        ("nothing", [{"answer": ""}], {}, 404, "there is no task 'nothing'"),
        ("../number", [{"answer": ""}], {}, 404, "there is no task '../number'"),
        ("..", [{"answer": ""}], {}, 404, "there is no task '..'"),
        ("number", [], {}, 422, "outputs"),
        ("number", [{}], {}, 422, "an output must have one of answer, diff and files"),
        ("number", [{"answer": "", "diff": ""}], {}, 422, "an output must have one of answer, diff and files"),
        ("number", [{"files": {"a": 1}}], {}, 422, "outputs"),
        ("number", [{"answer": ""}], {"deadline_sec": 0}, 422, "deadline_sec"),
    ],
)
def test_bad_input_is_one_sentence(
    grading: Clinic, task: str, outputs: list[Json], more: Json, status: int, message: str
) -> None:
    with connected(grading) as client, pytest.raises(ServiceError) as refused:
        list(client.graded(task, outputs, **more))
    assert refused.value.status == status
    assert message in str(refused.value)


def test_only_who_may_write_grades_and_only_where_it_is_on(grading: Clinic, clinic: Clinic) -> None:
    with connected(grading, "reader") as reader, pytest.raises(ServiceError, match="scope reader"):
        list(reader.graded("number", [{"answer": "1"}]))
    with connected(clinic) as client, pytest.raises(ServiceError, match="--graded-tasks"):
        list(client.graded("number", [{"answer": "1"}]))


def test_nothing_is_graded_without_a_sandbox(where: str, tasks: Path) -> None:
    coding = CodingSetting("off", graded_tasks=str(tasks))
    with serve_on(where, coding=coding) as served, httpx.Client(base_url=served.url) as client:
        off = clinic_of(served, client, "off")
        with (
            connected(off) as asking,
            pytest.raises(ServiceError, match="grades no outputs: they are switched off"),
        ):
            list(asking.graded("number", [{"answer": "1"}]))


def test_lines_are_json_of_their_own(grading: Clinic) -> None:
    body = {"task": "number", "outputs": [{"answer": "1"}, {"answer": "0"}]}
    headers = {"Authorization": f"Bearer {grading.keys['grader']}"}
    found = grading.client.post("/v1/grade", json=body, headers=headers)
    assert found.headers["content-type"] == "application/x-ndjson"
    assert sorted(json.loads(line)["reward"] for line in found.text.splitlines()) == [0.0, 1.0]
