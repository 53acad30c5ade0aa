"""A request that is sent twice is done once, and a record with its sender's id is recorded once."""

import json
import threading
from typing import Any

import pytest

from assay.engine.integration.stored_answers import DOING, KEPT
from tests.api.clinic import ROW, Clinic, portal

pytestmark = pytest.mark.both_databases
KEY = {"Idempotency-Key": "order 1"}
TASK = {"name": "x"}
EVENT = {"type": "hl7_outbound", "payload": "MSH|", "id": "m-1"}


def count(clinic: Clinic, path: str) -> int:
    return len(clinic.get(path)["data"])


def test_a_repeated_request_has_the_first_answer(clinic: Clinic) -> None:
    first = clinic.ask("POST", "/v1/tasks", json=TASK, headers=KEY)
    again = clinic.ask("POST", "/v1/tasks", json=TASK, headers=KEY)
    assert (again.status_code, again.content) == (201, first.content)
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == "true"
    assert count(clinic, "/v1/tasks") == 1


def test_another_request_with_the_same_key_is_refused(clinic: Clinic) -> None:
    clinic.post("/v1/tasks", TASK, headers=KEY)
    for path, body in (("/v1/tasks", {"name": "y"}), ("/v1/playgrounds", TASK)):
        refused = clinic.ask("POST", path, json=body, headers=KEY)
        assert refused.status_code in (409, 422), refused.text
    assert count(clinic, "/v1/tasks") == 1


def test_what_was_refused_may_be_sent_again(clinic: Clinic) -> None:
    body = {"task_id": "x"}
    assert [clinic.ask("POST", "/v1/task-runs", json=body, headers=KEY).status_code for _ in "12"] == [404, 404]
    assert clinic.ask("POST", "/v1/tasks", json=TASK, headers=KEY).status_code == 201


def test_two_at_once_do_it_once(clinic: Clinic) -> None:
    found: list[int] = []

    def send() -> None:
        found.append(clinic.ask("POST", "/v1/tasks", json=TASK, headers=KEY).status_code)

    threads = [threading.Thread(target=send) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(found) <= {201, 409}
    assert count(clinic, "/v1/tasks") == 1


def test_keys_of_others_are_theirs(clinic: Clinic) -> None:
    """Those of a run token, and of another organisation."""
    task = clinic.task(portal("status", "booked"))
    made = clinic.post("/v1/benchmark-runs", {"benchmark": clinic.benchmark(task)}, headers=KEY)
    [run] = made["task_runs"]
    started = clinic.ask("POST", f"/v1/task-runs/{run['id']}/start", key=made["token"], headers=KEY)
    assert (started.status_code, started.json()["id"]) == (200, run["id"])


def test_an_answer_with_a_secret_is_kept_sealed(clinic: Clinic) -> None:
    body = {"name": "x", "scope": "reader"}
    first = clinic.post("/v1/keys", body, headers=KEY)
    assert clinic.post("/v1/keys", body, headers=KEY) == first
    [row] = clinic.service.storage.every("stored_answers", order="key", organisation=clinic.organisation)
    assert first["secret"].encode() not in row["body"]
    other = clinic.post("/v1/keys", {"name": "y", "scope": "admin"})["secret"]
    assert clinic.ask("POST", "/v1/keys", json=body, headers=KEY, key=other).status_code == 409


def later(clinic: Clinic, monkeypatch: pytest.MonkeyPatch, by: Any) -> None:
    real = type(clinic.service.host).now
    monkeypatch.setattr(type(clinic.service.host), "now", lambda host: real(host) + by)


def test_after_a_day_a_key_is_forgotten(clinic: Clinic, monkeypatch: pytest.MonkeyPatch) -> None:
    clinic.post("/v1/tasks", TASK, headers=KEY)
    later(clinic, monkeypatch, KEPT)
    clinic.post("/v1/tasks", TASK, headers=KEY)
    assert count(clinic, "/v1/tasks") == 2


@pytest.mark.both_databases(False)
def test_a_request_that_broke_off_is_never_doubled(clinic: Clinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server died after the task was added: nobody knows whether it was. A completion is done again."""
    run = clinic.run(portal("status", "booked"))
    real = clinic.service.answers.finish
    monkeypatch.setattr(clinic.service.answers, "finish", lambda *_: None)
    clinic.post("/v1/tasks", TASK, headers=KEY)
    clinic.post(f"/v1/task-runs/{run}/complete", headers={"Idempotency-Key": "done"})
    monkeypatch.setattr(clinic.service.answers, "finish", real)
    busy = clinic.ask("POST", "/v1/tasks", json=TASK, headers=KEY)
    assert (busy.status_code, busy.headers["retry-after"]) == (409, "1")
    tasks = count(clinic, "/v1/tasks")
    later(clinic, monkeypatch, DOING)
    assert clinic.ask("POST", "/v1/tasks", json=TASK, headers=KEY).status_code == 409
    assert count(clinic, "/v1/tasks") == tasks
    again = clinic.post(f"/v1/task-runs/{run}/complete", headers={"Idempotency-Key": "done"})
    assert again["verdict"] == "pass"


def test_a_stream_is_recorded_once(clinic: Clinic) -> None:
    path = f"/v1/playgrounds/{clinic.post('/v1/playgrounds')['id']}"
    lines = b"".join(json.dumps({"record": "event", **EVENT, "id": f"m-{n}"}).encode() + b"\n" for n in "12")
    first = clinic.ask("POST", f"{path}/records", content=lines, headers=KEY)
    again = clinic.ask("POST", f"{path}/records", content=lines, headers=KEY)
    assert (first.status_code, again.content) == (200, first.content)
    assert clinic.ask("POST", f"{path}/records", content=lines[:-2], headers=KEY).status_code == 409
    assert count(clinic, f"{path}/events") == 2


def test_a_record_with_an_id_is_recorded_once(clinic: Clinic) -> None:
    path = f"/v1/playgrounds/{clinic.post('/v1/playgrounds')['id']}"
    assert [clinic.post(f"{path}/events", EVENT)["recorded"] for _ in "12"] == [1, 0]
    other = clinic.ask("POST", f"{path}/events", json={**EVENT, "payload": "PID|"})
    assert (other.status_code, "m-1" in other.text) == (422, True)
    # An older version of a row doesn't come back.
    for identity, status in (("r1", "asked"), ("r2", "booked"), ("r1", "asked")):
        clinic.post(f"{path}/rows", {**ROW, "id": identity, "data": {"status": status}})
    assert clinic.get(f"{path}/rows/appointments/a1")["record"]["data"] == {"status": "booked"}


def test_records_are_listed_read_and_removed(clinic: Clinic) -> None:
    path = f"/v1/playgrounds/{clinic.post('/v1/playgrounds')['id']}"
    turn = {"number": 7, "speaker": "agent", "text": "Hello."}
    sent: dict[str, dict[str, Any]] = {
        "events": EVENT,
        "rows": {**ROW, "resource": "a b", "key": "x/y"},
        "turns": turn,
        "responses": {"payload_base64": "/w=="},
    }
    for kind, body in sent.items():
        clinic.post(f"{path}/{kind}", body)
        [listed] = clinic.get(f"{path}/{kind}")["data"]
        assert listed["sender_id"] == body.get("id")
        found = clinic.get(f"{path}/{kind}/{listed['id']}")
        assert {name: value for name, value in body.items() if name != "id"}.items() <= found["record"].items()
        assert set(listed["record"]) < set(found["record"]), "a list has no content"
        stranger = clinic.ask("GET", f"/v1/playgrounds/play_x/{kind}/{listed['id']}")
        assert stranger.status_code == 404
        assert clinic.ask("DELETE", f"{path}/{kind}/{listed['id']}", key="reader").status_code == 403
        assert clinic.ask("DELETE", f"{path}/{kind}/{listed['id']}").status_code == 204
        assert clinic.get(f"{path}/{kind}")["data"] == []
        assert clinic.post(f"{path}/{kind}", body) == {"recorded": 1}
