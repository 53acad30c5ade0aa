"""Who may do what: every route against every kind of key, read from the application itself."""

import itertools
from datetime import timedelta
from typing import Any

import httpx
import pytest
from starlette.routing import Route as StarletteRoute

from assay.adapters.store.errors import StoreError
from assay.api.app import ROUTES, make_app
from assay.api.routing import Route, Routes
from assay.engine.service.keys import Owner, Scope, issue_key
from tests.api.clinic import Clinic, Served, clinic_of, portal, said

# Pages have rules of their own: tests/web/test_access.py.
PAGES_AT = {"/", "/ui", "/ui/{place:path}"}
PUBLIC = {"/healthz", "/readyz", "/metrics", "/docs", "/docs/schemas", "/openapi.json", *PAGES_AT}
RUN_MAY = {"start", "complete", "get_work"}
ADMIN_ONLY = {
    *("create_key", "list_keys", "rotate", "revoke", "list_audit", "put_judge", "remove_judge"),
    *("get_retention", "replace_retention", "delete_playground", "delete_task", "delete_task_run"),
    *("delete_benchmark_run", "delete_run", "delete_job", "create_webhook"),
}


def a_run(clinic: Clinic) -> Any:
    """A benchmark run with its token."""
    tasks = [clinic.task(portal("status", "booked")), clinic.task(said("good morning"))]
    return clinic.post("/v1/benchmark-runs", {"benchmark": clinic.benchmark(*tasks), "scored": True})


def test_every_route_of_the_application_has_a_rule(clinic: Clinic) -> None:
    app = make_app(clinic.service)
    served = {(path, method) for path, method in _served(app.routes) if path not in PUBLIC}
    ruled = {(prefix + one.path, one.method) for one in ROUTES for prefix in ("", "/v1")}
    assert served == ruled


def _served(routes: Any) -> Any:
    for one in routes:
        if isinstance(one, StarletteRoute):
            yield from ((one.path, method) for method in (one.methods or set()) - {"HEAD"})


def test_a_route_without_a_rule_can_not_be_declared() -> None:
    with pytest.raises(TypeError, match="must say who may call it"):
        Routes().add("GET", "/everything")


def test_the_rules_are_these() -> None:
    for route in ROUTES:
        assert (Scope.RUN in route.scopes) == (route.name in RUN_MAY), route.name
        assert (route.scopes == {Scope.ADMIN}) == (route.name in ADMIN_ONLY), route.name
        assert (Scope.READER in route.scopes) == (route.method == "GET" and route.name not in ADMIN_ONLY), (
            route.name
        )
        assert Scope.ADMIN in route.scopes


@pytest.mark.parametrize("route", ROUTES, ids=lambda one: f"{one.method} {one.path}")
def test_every_key_on_every_route(clinic: Clinic, route: Route) -> None:
    """A key that may not do it is refused before anything is looked for; one that may is told what is wrong."""
    path = "/v1" + route.path.replace(":path", "").replace("{", "").replace("}", "")
    token = run_token(clinic)
    for scope in (*Scope, None):
        key = token if scope is Scope.RUN else scope.value if scope is not None else "nobody"
        found = clinic.ask(route.method, path, key=key, content=b"[]")
        if scope is None:
            assert found.status_code == 401, (scope, found.text)
        elif scope in route.scopes:
            assert found.status_code not in (401, 403), (scope, found.text)
            assert found.status_code < 500
        else:
            assert found.status_code == 403, (scope, found.text)


def run_token(clinic: Clinic, run: str = "brun_of_nobody") -> str:
    ends = clinic.service.host.now() + timedelta(hours=1)
    return issue_key(clinic.service.keys, Owner(clinic.organisation, run), Scope.RUN, "token", ends).secret


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Basic eDp5", "Bearer ask_", "Bearer ask_wrong", "bearer xyz", "ask_x"]
)
def test_what_is_no_key(clinic: Clinic, header: str) -> None:
    found = clinic.client.get("/v1/tasks", headers={"Authorization": header} if header else {})
    assert (found.status_code, found.headers["www-authenticate"]) == (401, "Bearer")
    assert found.json()["error"]["code"] == "unauthorized"


@pytest.mark.statement("criteria.key-scopes")
def test_an_agent_sees_only_what_it_may(clinic: Clinic) -> None:
    made = a_run(clinic)
    token, run = made["token"], made["task_runs"][0]
    other = clinic.run(portal("status", "booked"))
    started = clinic.post(f"/v1/task-runs/{run['id']}/start", key=token)
    assert not {"snapshot", "criteria", "data"} & set(started)
    clinic.fill(run["playground_id"])
    done = clinic.post(f"/v1/task-runs/{run['id']}/complete", key=token)
    assert all(not {"details", "evidence"} & set(one) for one in done["criterion_runs"])
    for path in (
        f"/v1/task-runs/{run['id']}",
        "/v1/criteria",
        f"/v1/criteria/{done['criterion_runs'][0]['criterion_id']}",
        f"/v1/criterion-runs/{done['criterion_runs'][0]['id']}",
        f"/criterion-runs/{done['criterion_runs'][0]['id']}",
        f"/v1/criterion-runs?task_run_id={run['id']}",
        f"/v1/tasks/{run['task_id']}",
        f"/v1/benchmark-runs/{made['benchmark_run']['id']}",
    ):
        assert clinic.ask("GET", path, key=token).status_code == 403
    answers = {
        clinic.ask("POST", f"/v1/task-runs/{identity}/{verb}", key=token).content
        for identity, verb in itertools.product((other, "trun_0", "x" * 300), ("start", "complete"))
    }
    assert len(answers) == 1


def test_a_refusal_is_the_same_whatever_is_there(clinic: Clinic) -> None:
    run = clinic.run(portal("status", "booked"))
    [one] = clinic.post(f"/v1/task-runs/{run}/complete")["criterion_runs"]
    token = run_token(clinic)
    said_ = {clinic.ask("GET", f"/v1/criterion-runs/{each}", key=token).content for each in (one["id"], "crun_0")}
    assert len(said_) == 1


def test_organisations_do_not_see_each_other(served: Served, clinic: Clinic) -> None:
    mine = {"task-runs": clinic.run(portal("status", "booked"))}
    clinic.post(f"/v1/task-runs/{mine['task-runs']}/complete")
    made = a_run(clinic)
    mine["benchmark-runs"] = made["benchmark_run"]["id"]
    mine["tasks"] = made["task_runs"][0]["task_id"]
    mine["playgrounds"] = made["task_runs"][0]["playground_id"]
    mine["benchmarks"] = "visits"
    mine["criterion-runs"] = clinic.get("/v1/criterion-runs")["data"][0]["id"]
    mine["criteria"] = clinic.get("/v1/criteria")["data"][0]["id"]
    with httpx.Client(base_url=served.url, timeout=60) as client:
        other = clinic_of(served, client, f"{clinic.organisation}2")
        for kind, identity in mine.items():
            assert other.get(f"/v1/{kind}")["data"] == []
            found = other.ask("GET", f"/v1/{kind}/{identity}")
            unknown = other.ask("GET", f"/v1/{kind}/{identity[:-1]}0")
            assert (found.status_code, found.content) == (404, unknown.content)
        assert other.ask("POST", "/v1/task-runs", json={"task_id": mine["tasks"]}).status_code == 404
        theirs = {"task_id": other.task(), "playground_id": mine["playgrounds"]}
        assert other.ask("POST", "/v1/task-runs", json=theirs).status_code == 404
        for verb in ("start", "complete", "cancel", "fail"):
            assert other.ask("POST", f"/v1/task-runs/{mine['task-runs']}/{verb}", json={}).status_code == 404
        rows = f"/v1/playgrounds/{mine['playgrounds']}/rows"
        assert other.ask("POST", rows, json={"resource": "a", "key": "b", "data": {}}).status_code == 404
        assert (
            other.ask("POST", f"/v1/playgrounds/{mine['playgrounds']}/records", content=b"{}").status_code == 404
        )
        assert len(other.get("/v1/keys")["data"]) == 3


def test_a_key_is_shown_once_and_revoked_at_once(clinic: Clinic) -> None:
    made = clinic.post("/v1/keys", {"name": "ci", "scope": "grader"})
    secret, identity = made["secret"], made["key"]["id"]
    assert clinic.get("/v1/tasks", key=secret)["data"] == []
    assert secret not in clinic.ask("GET", "/v1/keys").text
    rotated = clinic.post(f"/v1/keys/{identity}/rotate")
    assert clinic.ask("GET", "/v1/tasks", key=secret).status_code == 401
    assert clinic.get("/v1/tasks", key=rotated["secret"])["data"] == []
    clinic.post(f"/v1/keys/{rotated['key']['id']}/revoke")
    assert clinic.ask("GET", "/v1/tasks", key=rotated["secret"]).status_code == 401
    assert clinic.ask("POST", f"/v1/keys/{identity}/rotate").status_code == 422


def test_a_key_expires(clinic: Clinic) -> None:
    ends = clinic.service.host.now() + timedelta(seconds=0.3)
    body = {"name": "short", "scope": "reader", "expires_at": ends.isoformat()}
    secret = clinic.post("/v1/keys", body)["secret"]
    clinic.service.host.sleep(0.4)
    assert clinic.ask("GET", "/v1/tasks", key=secret).status_code == 401


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"name": "x", "scope": "root"}, "scope must be"),
        ({"name": "x", "scope": "run"}, "must have the scope run if it is bound to a benchmark run"),
        ({"name": "x", "scope": "admin", "expires_at": "2020-01-01T00:00:00Z"}, "must be in the future"),
        ({"name": "x", "scope": "admin", "expires_at": "tomorrow"}, "expires_at must be a time"),
        ({"name": "x", "scope": "admin", "expires_at": "9999-12-31T23:59:59-12:00"}, "expires_at is out of range"),
        ({"name": "", "scope": "admin"}, "name must not be empty"),
        ({"name": "x", "scope": "admin", "organisation": "other"}, "got 'organisation'"),
    ],
)
def test_keys_that_can_not_be(clinic: Clinic, body: dict[str, Any], why: str) -> None:
    found = clinic.ask("POST", "/v1/keys", json=body)
    assert found.status_code == 422
    assert why in found.json()["error"]["message"]


def test_who_did_what_is_noted(clinic: Clinic) -> None:
    run = clinic.run(portal("status", "booked"))
    clinic.ask("POST", f"/v1/task-runs/{run}/complete", headers={"X-Request-Id": "abc-1"})
    newest = clinic.get("/v1/audit")["data"][0]
    assert (newest["action"], newest["target"], newest["request_id"]) == ("complete", run, "abc-1")


def test_every_completion_has_an_entry(clinic: Clinic) -> None:
    """The one that grades, one that is told the result again, and one that is left to a worker."""
    run = clinic.run(portal("status", "booked"))
    for count in (1, 2):
        clinic.post(f"/v1/task-runs/{run}/complete")
        assert completions_of(clinic, run) == count
    later = clinic.run(portal("status", "booked"))
    assert (
        clinic.ask("POST", f"/v1/task-runs/{later}/complete", headers={"Prefer": "respond-async"}).status_code
        == 202
    )
    assert completions_of(clinic, later) == 1


def test_a_completion_and_its_entry_are_written_together(clinic: Clinic, monkeypatch: pytest.MonkeyPatch) -> None:
    run = clinic.run(portal("status", "booked"))

    def broken(*_: Any) -> None:
        raise StoreError("the store is down")

    with monkeypatch.context() as patch:
        patch.setattr(clinic.service.audit, "add_within", broken)
        assert clinic.ask("POST", f"/v1/task-runs/{run}/complete").status_code == 503
    assert clinic.get(f"/v1/task-runs/{run}")["status"] == "active"
    assert completions_of(clinic, run) == 0


def completions_of(clinic: Clinic, run: str) -> int:
    entries = clinic.get("/v1/audit?limit=100")["data"]
    return sum((entry["action"], entry["target"]) == ("complete", run) for entry in entries)


def test_every_act_has_a_target_and_denied_ones_are_noted(clinic: Clinic) -> None:
    task = clinic.task()
    made = clinic.post("/v1/keys", {"name": "x", "scope": "reader"})["key"]["id"]
    clinic.ask("DELETE", f"/v1/tasks/{task}", key="reader")
    run = clinic.run(portal("status", "booked"))
    done = clinic.post(f"/v1/task-runs/{run}/complete")
    evidence = done["criterion_runs"][0]["id"]
    clinic.get(f"/v1/criterion-runs/{evidence}", key="reader")
    entries = clinic.get("/v1/audit?limit=100")["data"]
    assert all(entry["target"] for entry in entries)
    found = {(entry["action"], entry["target"], entry["denied"]) for entry in entries}
    wanted = {
        ("create_task", task, False),
        ("create_key", made, False),
        ("delete_task", task, True),
        ("get_criterion_run", evidence, False),
    }
    assert wanted <= found


def test_the_last_admin_key_stays(clinic: Clinic) -> None:
    [admin] = [key["id"] for key in clinic.get("/v1/keys")["data"] if key["scope"] == "admin"]
    assert clinic.ask("POST", f"/v1/keys/{admin}/revoke").status_code == 409
    other = clinic.post("/v1/keys", {"name": "x", "scope": "admin"})
    assert clinic.ask("POST", f"/v1/keys/{admin}/revoke").status_code == 200
    assert clinic.ask("POST", f"/v1/keys/{other['key']['id']}/revoke", key=other["secret"]).status_code == 409


def test_keys_are_not_in_the_database(clinic: Clinic) -> None:
    with clinic.service.store.writing() as connection:
        rows = connection.exec_driver_sql("SELECT * FROM keys").all()
    assert not [row for row in rows if any(secret in str(row) for secret in clinic.keys.values())]
