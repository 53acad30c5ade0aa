"""How the API answers: errors of one shape, pages, tags, limits; and what hostile callers get."""

import contextlib
import gzip
import json
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx
import pytest
from sqlalchemy.engine import make_url

from assay.api.app import ROUTES, Settings
from assay.api.openapi import openapi
from assay.engine.service.keys import Owner, Scope, issue_key
from tests.adapters.store.databases import copied_database, execute
from tests.api.clinic import Clinic, clinic_of, portal, serve_on


@pytest.mark.statement("criteria.errors-and-lists")
def test_every_error_has_one_shape(clinic: Clinic) -> None:
    for found in (
        clinic.client.get("/v1/nothing"),
        clinic.client.get("/nowhere"),
        clinic.client.delete("/v1/tasks"),
        clinic.client.get("/v1/tasks"),
        clinic.ask("GET", "/v1/tasks/task_0"),
        clinic.ask("POST", "/v1/tasks", json={}),
        clinic.ask("GET", "/v1/tasks", params={"limit": "0"}),
    ):
        body = found.json()
        assert set(body) == {"error"}
        assert set(body["error"]) == {"code", "message", "details"}
        assert found.headers["x-request-id"]


def test_an_error_says_where(clinic: Clinic) -> None:
    found = clinic.ask("POST", "/v1/tasks", json={"name": "x", "timeout_s": -1})
    assert found.json()["error"] == {
        "code": "invalid_request",
        "message": "timeout_s must be greater than 0, got -1",
        "details": {"field": "timeout_s"},
    }


@pytest.mark.statement("criteria.errors-and-lists")
def test_lists_are_pages_the_newest_first(clinic: Clinic) -> None:
    made = [clinic.task() for _ in range(5)][::-1]
    first = clinic.get("/v1/tasks", params={"limit": 2})
    assert [one["id"] for one in first["data"]] == made[:2]
    assert (first["_meta"]["prev"], first["_meta"]["limit"]) == (None, 2)
    second = clinic.get("/v1/tasks", params={"limit": 2, "cursor": first["_meta"]["next"]})
    assert [one["id"] for one in second["data"]] == made[2:4]
    last = clinic.get("/v1/tasks", params={"limit": 2, "cursor": second["_meta"]["next"]})
    assert ([one["id"] for one in last["data"]], last["_meta"]["next"]) == (made[4:], None)
    back = clinic.get("/v1/tasks", params={"limit": 2, "cursor": second["_meta"]["prev"]})
    assert ([one["id"] for one in back["data"]], back["_meta"]["prev"]) == (made[:2], None)
    everything = clinic.get("/v1/tasks")
    assert (len(everything["data"]), everything["_meta"]["limit"]) == (5, 20)


@pytest.mark.parametrize("limit", ["0", "101", "-1", "1.5", "x", "", "1e2", "٣"])
def test_a_limit_that_can_not_be(clinic: Clinic, limit: str) -> None:
    assert clinic.ask("GET", "/v1/tasks", params={"limit": limit}).status_code == 422


@pytest.mark.parametrize("cursor", ["x", "", "bydyb3A", "bzEgT1IgMQ", "\x00", "é", "o" * 9000])
def test_a_cursor_that_can_not_be(clinic: Clinic, cursor: str) -> None:
    assert clinic.ask("GET", "/v1/audit", params={"cursor": cursor}).status_code == 422
    assert clinic.ask("GET", "/v1/tasks", params={"cursor": cursor}).status_code in (200, 422)


def test_what_can_not_change_has_a_tag(clinic: Clinic) -> None:
    run = clinic.run(portal("status", "booked"))
    assert "etag" not in clinic.ask("GET", f"/v1/task-runs/{run}").headers
    clinic.post(f"/v1/task-runs/{run}/complete")
    found = clinic.ask("GET", f"/v1/task-runs/{run}")
    again = clinic.ask("GET", f"/v1/task-runs/{run}", headers={"If-None-Match": found.headers["etag"]})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", found.headers["etag"])


BAD_BODIES = [
    b"{",
    b"[]",
    b"null",
    b'{"name": "x"} extra',
    b'{"name": NaN}',
    b'{"name": "\\ud800"}',
    b'{"name": "\\u0000"}',
    b"\xff\xfe",
    b'{"name": "x", "data": ' + b"[" * 100_000,
    b'{"name": "x", "timeout_s": 1e999}',
    b'{"name": "x", "timeout_s": ' + b"9" * 5000 + b"}",
    gzip.compress(b'{"name": "x"}'),
]


@pytest.mark.parametrize("body", BAD_BODIES, ids=range(len(BAD_BODIES)))
def test_bodies_that_can_not_be(clinic: Clinic, body: bytes) -> None:
    found = clinic.ask("POST", "/v1/tasks", content=body, headers={"Content-Encoding": "gzip"})
    assert found.status_code == 422, found.text


def test_data_that_is_nested_deeply_or_odd_comes_back(clinic: Clinic) -> None:
    data = {"a": {"nul": "\0", "n": 10**30, "deep": json.loads("[" * 90 + "]" * 90)}}
    task = clinic.post("/v1/tasks", {"name": "x", "data": data})
    assert clinic.get(f"/v1/tasks/{task['id']}")["data"] == data


def test_a_body_that_is_too_large(clinic: Clinic) -> None:
    found = clinic.ask("POST", "/v1/tasks", content=b" " * (9 * 1024 * 1024))
    assert (found.status_code, found.json()["error"]["code"]) == (413, "too_large")

    def endless() -> Iterator[bytes]:
        for _ in range(20):
            yield b" " * 1024 * 1024

    # The server may have hung up by then.
    with contextlib.suppress(httpx.WriteError):
        assert clinic.ask("POST", "/v1/tasks", content=endless()).status_code == 413


def test_a_large_body_is_read_only_from_those_who_have_a_key(clinic: Clinic) -> None:
    parts = urlsplit(str(clinic.client.base_url))
    with socket.create_connection((parts.hostname, parts.port)) as connection:
        connection.sendall(b"POST /v1/tasks HTTP/1.1\r\nHost: x\r\nContent-Length: 8000000\r\n\r\n")
        assert b" 401 " in connection.recv(1000)


@pytest.fixture
def strict(where: str) -> Iterator[Clinic]:
    settings = Settings(requests_per_second=5, body_seconds=0.5)
    with serve_on(where, settings) as served, httpx.Client(base_url=served.url, timeout=60) as client:
        yield clinic_of(served, client, "strict")


def test_a_body_that_comes_too_slowly(strict: Clinic) -> None:
    parts = urlsplit(str(strict.client.base_url))
    head = f"POST /v1/tasks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {strict.keys['admin']}\r\n"
    with socket.create_connection((parts.hostname, parts.port)) as connection:
        connection.sendall(head.encode() + b"Content-Length: 100\r\n\r\n{")
        assert b" 408 " in connection.recv(1000)
    box = strict.post("/v1/playgrounds", {})["id"]
    with socket.create_connection((parts.hostname, parts.port)) as connection:
        head = head.replace("/v1/tasks", f"/v1/playgrounds/{box}/records")
        connection.sendall(head.encode() + b"Content-Length: 100\r\n\r\n{")
        assert b" 408 " in connection.recv(1000)


def test_too_many_requests(strict: Clinic) -> None:
    answers = [strict.ask("GET", "/v1/tasks", key="reader") for _ in range(30)]
    late = [one for one in answers if one.status_code == 429]
    assert late
    assert late[0].headers["retry-after"] == "1"
    assert late[0].json()["error"]["code"] == "rate_limited"
    assert strict.ask("GET", "/v1/tasks", key="grader").status_code == 200


def operator(clinic: Clinic) -> dict[str, str]:
    """The headers of whoever operates the service."""
    keys = clinic.service.keys
    return {"Authorization": f"Bearer {issue_key(keys, Owner('default'), Scope.READER, 'numbers').secret}"}


def test_health_and_numbers(clinic: Clinic) -> None:
    assert clinic.client.get("/healthz").json() == {"status": "ok"}
    assert clinic.client.get("/readyz").json() == {"status": "ready"}
    clinic.get("/v1/tasks")
    text = clinic.client.get("/metrics", headers=operator(clinic)).text
    assert 'assay_requests_total{method="GET",route="/tasks",status="200"}' in text
    assert 'assay_request_seconds_bucket{route="/tasks",le="+Inf"}' in text


@pytest.fixture
def on_postgres(migrated_database: str) -> Iterator[tuple[Clinic, str]]:
    """A service, and the URL of its own database."""
    url = copied_database(migrated_database)
    with serve_on(url) as served, httpx.Client(base_url=served.url, timeout=60) as client:
        yield clinic_of(served, client, "gone"), url


def test_a_database_that_is_gone_is_a_clean_503(on_postgres: tuple[Clinic, str]) -> None:
    clinic, url = on_postgres
    run, name = clinic.run(portal("status", "booked")), str(make_url(url).database)
    server = make_url(url).set(database="postgres").render_as_string(hide_password=False)
    hang_up = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = "
    execute(server, f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false', f"{hang_up}'{name}'")
    try:
        found = clinic.ask("POST", f"/v1/task-runs/{run}/complete")
        assert (found.status_code, found.json()["error"]["code"]) == (503, "store_unavailable")
        assert found.headers["retry-after"]
        assert name not in found.text
        assert clinic.client.get("/readyz").status_code == 503
        assert clinic.client.get("/healthz").status_code == 200
    finally:
        execute(server, f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
    assert clinic.post(f"/v1/task-runs/{run}/complete")["verdict"] == "pass"


def test_a_body_that_is_missing_is_refused(clinic: Clinic) -> None:
    """An empty criterion would pull every score down, and nobody would have asked for it."""
    task = clinic.task(portal("status", "booked"))
    [criterion] = clinic.get(f"/v1/tasks/{task}/criteria")["data"]
    writes = [("POST", f"/v1/tasks/{task}/criteria"), ("PUT", f"/v1/criteria/{criterion['id']}")]
    for method, path in [*writes, ("POST", "/v1/tasks"), ("POST", "/v1/task-runs")]:
        for content in (b"", b" \n"):
            found = clinic.ask(method, path, content=content)
            assert (found.status_code, found.json()["error"]["message"]) == (
                422,
                "the body must be JSON, but it is empty",
            ), path
    for method, path in writes:
        found = clinic.ask(method, path, json={})
        assert (found.status_code, found.json()["error"]["message"]) == (
            422,
            "a criterion must have a label and an assertion, got {}",
        )
    assert clinic.get(f"/v1/tasks/{task}/criteria")["data"] == [criterion]


def test_a_body_in_which_nothing_is_required_may_be_missing(clinic: Clinic) -> None:
    assert clinic.ask("POST", f"/v1/task-runs/{clinic.run()}/cancel").status_code == 200
    assert clinic.ask("POST", "/v1/playgrounds").status_code == 201


def test_the_description_says_which_bodies_are_required() -> None:
    paths = openapi(ROUTES)["paths"]
    required = {
        (path, method): one["requestBody"]["required"]
        for path, methods in paths.items()
        for method, one in methods.items()
        if "requestBody" in one
    }
    assert {place for place, needed in required.items() if not needed} == {
        ("/v1/task-runs/{id}/cancel", "post"),
        ("/v1/task-runs/{id}/fail", "post"),
        ("/v1/playgrounds", "post"),
        ("/v1/coding-runs/{id}/complete", "post"),
        ("/v1/runs/{id}/gradings", "post"),
    }
    schema = paths["/v1/tasks/{id}/criteria"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert schema["minProperties"] == 1
