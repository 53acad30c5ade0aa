"""Webhooks: signed, sent again until they are taken, and noted with what they tell of."""

import base64
import contextlib
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from assay.adapters.sources.source_guard import SourcePolicy, allowed_sources
from assay.core.errors import MeasurementError
from tests.api.clinic import Clinic, clinic_of, portal, serve_on

pytestmark = pytest.mark.both_databases(False)


@dataclass
class Receiver:
    """A server that notes what it gets, and answers with each status in turn."""

    url: str = ""
    statuses: list[int] = field(default_factory=list)
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    known = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            known.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(known.statuses.pop(0) if known.statuses else 204)
            self.send_header("Location", "http://127.0.0.1:1/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    known.url = f"http://127.0.0.1:{server.server_port}/told"
    yield known
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def allowing(where: str) -> Iterator[Clinic]:
    policy = SourcePolicy(allowed_sources(["127.0.0.0/8"]))
    with serve_on(where, policy=policy) as served, httpx.Client(base_url=served.url, timeout=60) as client:
        yield clinic_of(served, client, "allowing")


def work(clinic: Clinic, monkeypatch: pytest.MonkeyPatch | None = None) -> None:
    """Do all work that there is, also what waits."""
    if monkeypatch is not None:
        real = type(clinic.service.host).now
        monkeypatch.setattr(type(clinic.service.host), "now", lambda host: real(host) + timedelta(hours=1))
    while clinic.service.doing.step():
        pass


def check(request: tuple[dict[str, str], bytes], secret: str) -> dict[str, Any]:
    """What was sent, after its signature was checked as a receiver does it."""
    headers, body = request
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    mac = base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    assert headers["webhook-signature"] == f"v1,{mac}"
    found: dict[str, Any] = json.loads(body)
    return found


def test_who_waits_is_told_with_a_signature(allowing: Clinic, receiver: Receiver) -> None:
    made = allowing.post("/v1/webhooks", {"url": receiver.url})
    task = allowing.task(portal("status", "booked"))
    started = allowing.post("/v1/benchmark-runs", {"benchmark": allowing.benchmark(task), "scored": True})
    [run] = started["task_runs"]
    allowing.fill(run["playground_id"])
    allowing.post(f"/v1/task-runs/{run['id']}/start")
    allowing.post(f"/v1/task-runs/{run['id']}/complete")
    assert receiver.got == [], "nobody waits for a receiver"
    work(allowing)
    told = {one["type"]: one["data"] for one in (check(request, made["secret"]) for request in receiver.got)}
    assert set(told) == {"task_run.ended", "benchmark_run.ended"}
    assert (told["task_run.ended"]["id"], told["task_run.ended"]["score"]) == (run["id"], 1.0)
    assert told["benchmark_run.ended"]["id"] == started["benchmark_run"]["id"]
    assert b"booked" not in b"".join(body for _, body in receiver.got)
    path = f"/v1/webhooks/{made['webhook']['id']}"
    log = allowing.get(f"{path}/deliveries")["data"]
    assert {(one["event"], one["status"], one["tries"], one["error"]) for one in log} == {
        ("task_run.ended", 204, 1, None),
        ("benchmark_run.ended", 204, 1, None),
    }
    assert "whsec_" not in allowing.ask("GET", path).text
    assert allowing.ask("DELETE", path).status_code == 204
    assert allowing.ask("GET", f"{path}/deliveries").status_code == 404


def test_it_is_sent_again_until_it_is_taken(
    allowing: Clinic, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = allowing.post("/v1/webhooks", {"url": receiver.url, "events": ["task_run.ended"]})
    receiver.statuses = [500, 302]
    run = allowing.run(portal("status", "booked"))
    allowing.post(f"/v1/task-runs/{run}/cancel")
    for tries in (1, 2, 3):
        work(allowing, monkeypatch)
        [one] = allowing.get(f"/v1/webhooks/{made['webhook']['id']}/deliveries")["data"]
        assert one["tries"] == tries
        assert (one["delivered_at"] is None) == (tries < 3)
    first, second, third = (check(request, made["secret"]) for request in receiver.got)
    assert first == second == third
    assert len({headers["webhook-id"] for headers, _ in receiver.got}) == 1
    assert first["data"]["status"] == "cancelled"


def test_a_source_that_is_down_and_work_that_is_set_aside_are_told(
    allowing: Clinic, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(*_: Any) -> Any:
        raise MeasurementError("the FHIR server is down")

    events = ["measurement.broken", "work.set_aside"]
    allowing.post("/v1/webhooks", {"url": receiver.url, "events": events})
    run = allowing.run(portal("status", "booked"))
    object.__setattr__(allowing.service.doing, "grade", down)
    allowing.ask("POST", f"/v1/task-runs/{run}/complete", headers={"Prefer": "respond-async"})
    work(allowing)
    assert [json.loads(body)["type"] for _, body in receiver.got] == ["measurement.broken"]
    for _ in range(26):
        work(allowing, monkeypatch)
    assert [json.loads(body)["type"] for _, body in receiver.got] == events
    assert json.loads(receiver.got[-1][1])["data"]["target"] == run


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/", "http://169.254.169.254/", "https://10.0.0.1/x"])
def test_a_receiver_must_be_where_sources_may_be(clinic: Clinic, url: str) -> None:
    assert clinic.ask("POST", "/v1/webhooks", json={"url": url}).status_code == 422
    for wrong in ("ftp://x", "x", "https://u:p@x/"):
        assert clinic.ask("POST", "/v1/webhooks", json={"url": wrong}).status_code == 422
    assert clinic.ask("POST", "/v1/webhooks", json={"url": url}, key="grader").status_code == 403


def test_what_never_ended_is_never_told(allowing: Clinic, receiver: Receiver) -> None:
    """The delivery is of the same transaction as the ending."""
    allowing.post("/v1/webhooks", {"url": receiver.url})
    run = allowing.run(portal("status", "booked"))
    service = allowing.service
    told = {"id": run}
    with contextlib.suppress(RuntimeError), service.storage.transaction() as rows:
        service.webhooks.note(rows, "allowing", "task_run.ended", told)
        raise RuntimeError("the power is gone")
    work(allowing)
    assert receiver.got == []
