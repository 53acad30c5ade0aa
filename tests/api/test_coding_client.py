"""Coding runs with the client: from the scenario to the gates, as a script would do it."""

import asyncio
from collections.abc import Iterator

import httpx
import pytest

from assay.api.app import Settings
from assay.client import AsyncClient, Client, CodingRequests, ServiceError
from tests.api.clinic import Clinic, clinic_of, serve_on
from tests.api.coding import DONE, packed
from tests.coding import GUARD, PROJECT, TESTS


@pytest.fixture
def working(where: str) -> Iterator[Clinic]:
    """A service with a worker of its own."""
    with (
        serve_on(where, Settings(worker_threads=1)) as served,
        httpx.Client(base_url=served.url, timeout=60) as client,
    ):
        yield clinic_of(served, client, "working")


def test_from_a_scenario_to_the_gates(working: Clinic) -> None:
    with Client(str(working.client.base_url), working.keys["grader"]) as client:
        path = client.send(CodingRequests.send_archive(packed(PROJECT)))["path"]
        scenario = {"scorers": [TESTS, GUARD], "workspace_seed": {"type": "archive", "path": path}}
        made = client.send(CodingRequests.create_scenario(scenario))
        seeding = client.send(CodingRequests.seed_task(made["id"]))
        assert client.finished(seeding["work"]["id"])["state"] == "done"
        task = client.send(CodingRequests.coding_task(seeding["task"]["id"]))
        assert client.send(CodingRequests.workspace(task["id"]))[:2] == b"\x1f\x8b"
        run = client.send(CodingRequests.create_coding_run(task["id"], "ana", job="nightly"))["id"]
        client.send(CodingRequests.put_workspace(run, packed(DONE)))
        client.send(CodingRequests.put_log(run, "final_response.md", b"Fixed."))
        ended = client.send(CodingRequests.complete_coding_run(run, [{"exit_code": 0, "duration_sec": 1}]))
        client.finished(ended["work"]["id"])
        shown = client.send(CodingRequests.run(run))
        assert (shown["checks"], shown["job"], shown["score"]) == ("PASS", "nightly", 1.0)
        client.finished(client.send(CodingRequests.grade_again(run))["id"])
        assert [one["number"] for one in client.send(CodingRequests.gradings(run))] == [1, 2]
        names = [one["name"] for one in client.send(CodingRequests.files(run))]
        assert names == ["diff", "diff/2", "final_response", "workspace"]


def seeding(client: Client) -> str:
    """The id of work that was just given to a service."""
    made = client.send(CodingRequests.create_scenario({"scorers": [GUARD], "workspace_seed": "empty"}))
    return str(client.send(CodingRequests.seed_task(made["id"]))["work"]["id"])


def test_work_that_nobody_does(clinic: Clinic) -> None:
    with Client(str(clinic.client.base_url), clinic.keys["grader"]) as client:
        work = seeding(client)
        with pytest.raises(ServiceError, match="the work is still"):
            client.finished(work, within_sec=0)


def test_waiting_for_work_without_a_thread(working: Clinic) -> None:
    with Client(str(working.client.base_url), working.keys["grader"]) as client:
        work = seeding(client)

    async def waits() -> None:
        async with AsyncClient(str(working.client.base_url), working.keys["grader"]) as other:
            assert (await other.finished(work))["state"] == "done"

    asyncio.run(waits())
