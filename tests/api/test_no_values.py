"""No value of a request, a record or evidence is in a log, a metric, a trace or an error of the service."""

import logging
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.api.clinic import Clinic, portal, said, work_off
from tests.api.spans import kept_spans
from tests.api.test_manners import operator

MARK = "Zyxwvut"
HL7 = f"MSH|^~\\&|A|B|C|D|20260601||SIU^S12|1|P|2.5\rPID|1||00412||{MARK}^Ana\r"


@pytest.fixture
def told(caplog: pytest.LogCaptureFixture) -> Iterator[InMemorySpanExporter]:
    """Everything is logged, and traced."""
    caplog.set_level(logging.DEBUG)
    with kept_spans() as kept:
        yield kept


def everywhere(clinic: Clinic) -> Iterator[httpx.Response]:
    """The mark in all that a caller can write: bodies, paths, queries, headers, records, files, secrets."""
    ask = clinic.ask
    run = clinic.run(portal("patient.name", MARK), said(MARK), instruction=MARK, data={"name": MARK})
    box = clinic.get(f"/v1/task-runs/{run}")["playground_id"]
    at = f"/v1/playgrounds/{box}"
    yield ask("POST", f"{at}/rows", json={"resource": MARK, "key": MARK, "data": {"name": MARK}})
    yield ask(
        "POST", f"{at}/rows", json={"resource": "appointments", "key": "a1", "data": {"patient": {"name": MARK}}}
    )
    yield ask("POST", f"{at}/events", json={"type": "hl7_outbound", "payload": HL7})
    yield ask("POST", f"{at}/turns", json={"number": 9, "speaker": "agent", "text": MARK})
    yield ask("POST", f"{at}/responses", json={"payload": MARK})
    yield ask("POST", f"{at}/records", content=f'{{"record": "turn", "text": "{MARK}"}}\n{MARK}\n'.encode())
    yield ask("PUT", f"{at}/files/{MARK}/{MARK}.txt", content=MARK.encode())
    yield ask("PUT", f"{at}/sources/fhir", json={"url": f"https://{MARK}.example", "token": MARK})
    yield ask("POST", f"/v1/task-runs/{run}/complete", headers={"Idempotency-Key": MARK})
    yield ask("POST", f"/v1/task-runs/{run}/cancel", json={"reason": MARK})
    yield from refused(clinic)


def refused(clinic: Clinic) -> Iterator[httpx.Response]:
    ask = clinic.ask
    for path in (
        f"/v1/{MARK}",
        f"/v1/tasks/{MARK}",
        f"/v1/task-runs/{MARK}",
        f"/v1/runs?model={MARK}&cursor={MARK}",
    ):
        yield ask("GET", path)
    for body in (f'{{"name": {MARK}', f'{{"{MARK}": 1}}', f'{{"name": "x", "timeout_s": "{MARK}"}}', f'"{MARK}"'):
        yield ask("POST", "/v1/tasks", content=body.encode())
    yield ask("POST", "/v1/task-runs", json={"task_id": MARK, "playground_id": MARK})
    yield ask("POST", "/v1/benchmark-runs", json={"benchmark": MARK, "playgrounds": {MARK: MARK}})
    yield ask("GET", "/v1/tasks", key=MARK)
    yield ask("GET", "/v1/tasks", headers={"X-Request-Id": f"{MARK} {MARK}", "User-Agent": MARK, "Cookie": MARK})


def broken(clinic: Clinic) -> Iterator[httpx.Response]:
    """What no route foresees, with the mark in the error."""

    def breaks(*_: Any) -> Any:
        raise KeyError(MARK)

    run = clinic.run(portal("status", "booked"))
    object.__setattr__(clinic.service, "grade", breaks)
    yield clinic.ask("POST", f"/v1/task-runs/{run}/complete")
    yield clinic.ask("POST", f"/v1/task-runs/{run}/complete", headers={"Prefer": "respond-async"})
    work_off(clinic.service)


def test_logs_metrics_and_traces_have_no_values(
    clinic: Clinic, told: InMemorySpanExporter, caplog: pytest.LogCaptureFixture
) -> None:
    answers = [*everywhere(clinic), *broken(clinic)]
    assert {200, 201, 401, 404, 422, 500} <= {one.status_code for one in answers}
    logged = [record for record in caplog.records if record.name.startswith("assay")]
    assert len(logged) > len(answers)
    assert [one.getMessage() for one in logged if MARK in one.getMessage() or one.exc_info] == []
    assert MARK not in clinic.client.get("/metrics", headers=operator(clinic)).text
    spans = told.get_finished_spans()
    assert len(spans) > len(answers)
    assert [one.name for one in spans if MARK in one.to_json()] == []


def test_errors_about_what_the_service_holds_have_no_values(clinic: Clinic) -> None:
    """Who sends something wrong is told what it was. What others recorded is in no error."""
    for answer in broken(clinic):
        assert MARK not in answer.text
