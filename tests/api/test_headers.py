"""What integrators know from other services: where a thing is, what is left, and whether it changed meanwhile."""

import threading
from collections.abc import Iterator
from datetime import timedelta

import httpx
import pytest

from assay.api.app import ROUTES, Settings
from assay.api.openapi import HEADERS, REQUEST_HEADERS, openapi
from assay.api.routing import by_path
from tests.api.clinic import Clinic, clinic_of, portal, serve_on


def test_where_a_new_thing_is(clinic: Clinic) -> None:
    task = clinic.task()
    made = [
        clinic.ask("POST", "/v1/tasks", json={"name": "x"}),
        clinic.ask("POST", f"/v1/tasks/{task}/criteria", json=portal("status", "booked")),
        clinic.ask("POST", "/v1/playgrounds", json={}),
        clinic.ask("POST", "/v1/task-runs", json={"task_id": task}),
        clinic.ask("POST", "/v1/benchmarks", json={"slug": "visits"}),
    ]
    clinic.post("/v1/benchmarks/visits/versions", {"tasks": [task]})
    made.append(clinic.ask("POST", "/v1/benchmark-runs", json={"benchmark": "visits"}))
    for one in made:
        assert one.status_code == 201
        found = clinic.get(one.headers["location"])
        assert found["id"] in one.text


def test_a_run_token_follows_the_work_of_its_own_completion(clinic: Clinic) -> None:
    task = clinic.task(portal("status", "booked"))
    first, second = (
        clinic.post("/v1/benchmark-runs", {"benchmark": clinic.benchmark(task, slug=slug)}) for slug in ("a", "b")
    )
    [run] = first["task_runs"]
    path = f"/v1/task-runs/{run['id']}"
    clinic.ask("POST", f"{path}/start", key=first["token"])
    later = clinic.ask("POST", f"{path}/complete", key=first["token"], headers={"Prefer": "respond-async"})
    assert later.status_code == 202
    followed = clinic.ask("GET", later.headers["location"], key=first["token"])
    assert (followed.status_code, followed.json()["target"], followed.json()["reason"]) == (200, run["id"], None)
    assert clinic.ask("GET", later.headers["location"], key=second["token"]).status_code == 404


@pytest.mark.parametrize("kind", ["task", "criterion"])
def test_a_change_of_what_was_changed_meanwhile_is_refused(clinic: Clinic, kind: str) -> None:
    task, body = clinic.task(portal("status", "booked")), {"name": "y", "criteria": []}
    path = f"/v1/tasks/{task}"
    if kind == "criterion":
        path, body = f"/v1/criteria/{clinic.get('/v1/criteria')['data'][0]['id']}", portal("status", "held")
    seen = clinic.ask("GET", path).headers["etag"]
    assert clinic.ask("GET", path, headers={"If-None-Match": seen}).status_code == 304
    changed = clinic.ask("PUT", path, json=body, headers={"If-Match": seen})
    assert changed.status_code == 200, changed.text
    refused = clinic.ask("PUT", path, json=body, headers={"If-Match": seen})
    assert (refused.status_code, refused.json()["error"]["code"]) == (412, "precondition_failed")
    assert clinic.ask("PUT", path, json=body, headers={"If-Match": changed.headers["etag"]}).status_code == 200
    assert clinic.ask("PUT", path, json=body, headers={"If-Match": "*"}).status_code == 200
    assert clinic.ask("PUT", path, json=body).status_code == 200
    if kind == "criterion":
        assert clinic.ask("DELETE", path, headers={"If-Match": seen}).status_code == 412


@pytest.mark.both_databases
def test_of_two_admins_who_saw_the_same_one_changes_it(clinic: Clinic) -> None:
    path = f"/v1/tasks/{clinic.task()}"
    seen = clinic.ask("GET", path).headers["etag"]
    found: list[int] = []

    def change(name: str) -> None:
        found.append(clinic.ask("PUT", path, json={"name": name}, headers={"If-Match": seen}).status_code)

    threads = [threading.Thread(target=change, args=(f"name {n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [200, 412, 412, 412, 412, 412]


def test_parts_are_shown_to_who_asks_for_them(clinic: Clinic) -> None:
    run = clinic.run(portal("status", "booked"))
    clinic.post(f"/v1/task-runs/{run}/complete")
    [shown] = clinic.get(f"/v1/task-runs/{run}?expand=criterion_runs")["criterion_runs"]
    assert clinic.get(f"/v1/criterion-runs/{shown['id']}") == shown
    task = clinic.get(f"/v1/task-runs/{run}")["task_id"]
    assert "criteria" not in clinic.get(f"/v1/tasks/{task}")
    assert len(clinic.get(f"/v1/tasks/{task}?expand=criteria")["criteria"]) == 1
    body = {"name": "x", "criteria": [portal("status", "booked"), portal("status", "held")]}
    made = clinic.ask("POST", "/v1/tasks?expand=criteria", json=body).json()
    assert [one["label"] for one in made["criteria"]] == [one["label"] for one in body["criteria"]]  # type: ignore[index]
    whole = clinic.post("/v1/benchmark-runs", {"benchmark": clinic.benchmark(task)})["benchmark_run"]["id"]
    assert len(clinic.get(f"/v1/benchmark-runs/{whole}?expand=task_runs")["task_runs"]) == 1
    assert clinic.ask("GET", f"/v1/tasks/{task}?expand=runs").status_code == 422


@pytest.mark.both_databases
def test_lists_of_a_time(clinic: Clinic) -> None:
    first, second = clinic.task(), clinic.task()
    at = clinic.get(f"/v1/tasks/{second}")["created_at"]

    def ids(**wanted: str) -> list[str]:
        return [one["id"] for one in clinic.get("/v1/tasks", params=wanted)["data"]]

    assert ids(created_after=at) == [second]
    assert ids(created_before=at) == [first]
    assert ids(created_after=at, created_before=at) == []
    assert clinic.get(f"/v1/tasks?created_after={at.replace('Z', '+00:00')}")["data"][0]["id"] == second
    later = (clinic.service.host.now() + timedelta(days=1)).isoformat()
    assert ids(created_after=later) == []
    for wrong in ("yesterday", "2026-01-01T00:00:00", ""):
        assert clinic.ask("GET", "/v1/tasks", params={"created_after": wrong}).status_code == 422


def test_every_method_of_an_address_is_allowed(clinic: Clinic) -> None:
    for path, of_path in by_path(ROUTES).items():
        address = "/v1" + path.replace(":path}", "}").replace("{", "").replace("}", "")
        found = clinic.ask("OPTIONS", address)
        allowed = set(found.headers["allow"].replace(" ", "").split(",")) - {"HEAD"}
        assert (found.status_code, set(of_path)) == (405, set(of_path) & allowed), path
    assert clinic.ask("HEAD", "/v1/tasks").status_code == 200


@pytest.fixture
def limited(where: str) -> Iterator[Clinic]:
    settings = Settings(requests_per_second=5)
    with serve_on(where, settings) as served, httpx.Client(base_url=served.url, timeout=60) as client:
        yield clinic_of(served, client, "limited")


def test_how_many_requests_are_left(limited: Clinic) -> None:
    answers = [limited.ask("GET", "/v1/tasks").headers for _ in range(4)]
    assert {one["ratelimit-limit"] for one in answers} == {"10"}
    left = [int(one["ratelimit-remaining"]) for one in answers]
    assert left == sorted(left, reverse=True)
    assert left[0] in (8, 9)
    assert int(answers[-1]["ratelimit-reset"]) in (1, 2)


def test_the_description_names_every_header(clinic: Clinic) -> None:
    """Of requests, and of answers: none is sent that isn't named."""
    described = openapi(ROUTES)
    assert set(described["components"]["headers"]) == set(HEADERS)
    assert set(described["components"]["parameters"]) == set(REQUEST_HEADERS)
    plain = {"date", "content-length", "content-type", "cache-control", "x-content-type-options"}
    run = clinic.run(portal("status", "booked"))
    asked = [
        ("post", "/v1/task-runs/{id}/complete", {"Prefer": "respond-async", "Idempotency-Key": "x"}),
        ("post", "/v1/task-runs/{id}/complete", {"Prefer": "respond-async", "Idempotency-Key": "x"}),
        ("get", "/v1/task-runs/{id}", {}),
        ("post", "/v1/task-runs/{id}/start", {}),
    ]
    for method, path, headers in asked:
        answer = clinic.ask(method.upper(), path.replace("{id}", run), headers=headers)
        named = described["paths"][path][method]["responses"][str(answer.status_code)]["headers"]
        assert {name.lower() for name in answer.headers} - plain <= {name.lower() for name in named}
