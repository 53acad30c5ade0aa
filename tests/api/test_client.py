"""The client that is part of the package, against a real server."""

import asyncio
import doctest
import socket
import threading
from typing import Any

import pytest

import assay.client
from assay.client import AsyncClient, Client, Request, Requests, ServiceError
from assay.core.errors import InputError, MeasurementError
from tests.api.clinic import ROW, Clinic, portal


def client_of(clinic: Clinic, key: str = "admin", **more: Any) -> Client:
    return Client(str(clinic.client.base_url), clinic.keys.get(key, key), **more)


def test_the_whole_way(clinic: Clinic) -> None:
    with client_of(clinic) as client:
        task = client.send(Requests.create_task("book", [portal("status", "booked")], timeout_s=60.0))["id"]
        client.send(Requests.create_benchmark("visits"))
        version = client.send(Requests.create_version("visits", [task]))["benchmark"]
        made = client.send(Requests.create_benchmark_run(version, scored=True))
        [run] = made["task_runs"]
        client.send(Requests.record(run["playground_id"], "rows", ROW))
        client.send(Requests.put_file(run["playground_id"], "a b/ü.txt", b"x"))
        with client_of(clinic, made["token"]) as agent:
            assert agent.start(run["id"])["phase"] == "started"
            assert agent.complete(run["id"], idempotency_key="once")["verdict"] == "pass"
            with pytest.raises(ServiceError, match="can't do this") as refused:
                agent.send(Requests.task_run(run["id"]))
            assert (refused.value.status, refused.value.code) == (403, "forbidden")
        assert client.send(Requests.benchmark_run(made["benchmark_run"]["id"]))["score"] == 1.0
        assert [one["id"] for one in client.each("task-runs", status="completed")] == [run["id"]]


def test_awaiting(clinic: Clinic) -> None:
    async def way() -> tuple[Any, list[Any]]:
        async with AsyncClient(str(clinic.client.base_url), clinic.keys["admin"]) as client:
            task = (await client.send(Requests.create_task("x")))["id"]
            run = (await client.send(Requests.create_task_run(task)))["id"]
            await client.start(run)
            done = await client.complete(run)
            return done, [one async for one in client.each("task-runs")]

    done, listed = asyncio.run(way())
    assert (done["verdict"], [one["id"] for one in listed]) == ("fail", [done["id"]])


def test_every_page_of_a_list(clinic: Clinic) -> None:
    made = [clinic.task() for _ in range(7)]
    with client_of(clinic) as client:
        assert [one["id"] for one in client.each("tasks", limit=3)] == made[::-1]


def test_a_source_that_is_down_for_a_moment(clinic: Clinic) -> None:
    run, real, tries = clinic.run(portal("status", "booked")), clinic.service.grade, []

    def once(*told: Any) -> Any:
        tries.append(1)
        if len(tries) == 1:
            raise MeasurementError("down")
        return real(*told)

    object.__setattr__(clinic.service, "grade", once)
    with client_of(clinic) as client:
        assert client.complete(run)["verdict"] == "pass"


def test_no_patience(clinic: Clinic) -> None:
    run = clinic.run()

    def down(*_: Any) -> Any:
        raise MeasurementError("down")

    object.__setattr__(clinic.service, "grade", down)
    with client_of(clinic, patience_sec=0) as client, pytest.raises(ServiceError, match="503 source_unavailable"):
        client.complete(run)


@pytest.mark.parametrize("request_", [Requests.create_task("x"), Requests.task_run("x")])
def test_a_server_that_is_not_there(request_: Request) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with Client(url, "ask_x", patience_sec=0.1) as client, pytest.raises(ServiceError, match="can't be reached"):
        client.send(request_)


def test_an_answer_of_something_else() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(10_000)
                connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnope")

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        with (
            Client(url, "x", patience_sec=0) as client,
            pytest.raises(ServiceError, match="isn't one of this service"),
        ):
            client.send(Requests.work("x"))
        thread.join()


def test_what_a_client_can_not_be() -> None:
    with pytest.raises(InputError, match="must begin with https://"):
        Client("assay.example", "x")
    with pytest.raises(InputError, match="records must be events, rows, turns or responses"):
        Requests.record("p", "smells", {})


def test_the_examples_in_the_docstring_are_true() -> None:
    assert doctest.testmod(assay.client).failed == 0
