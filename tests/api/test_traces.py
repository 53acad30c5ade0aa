"""Spans of requests, gradings and database work, and nothing of what was sent."""

import os
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from assay.adapters.machine import tracing
from assay.adapters.machine.tracing import span, trace_if_configured
from assay.core.errors import InputError, MeasurementError
from tests.api.clinic import Clinic, portal
from tests.api.spans import kept_spans

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def traced() -> Iterator[InMemorySpanExporter]:
    """What is exported from here on."""
    with kept_spans() as kept:
        yield kept


def by_name(kept: InMemorySpanExporter, last: str) -> dict[str, list[ReadableSpan]]:
    """All spans, once the last of them has ended: that of a request ends after its answer was sent."""
    until = time.monotonic() + 30
    while all(one.name != last for one in kept.get_finished_spans()) and time.monotonic() < until:
        time.sleep(0.01)
    found: dict[str, list[ReadableSpan]] = {}
    for one in kept.get_finished_spans():
        found.setdefault(one.name, []).append(one)
    return found


def test_a_completion_as_spans(clinic: Clinic, traced: InMemorySpanExporter) -> None:
    run = clinic.run(portal("status", "booked"))
    traced.clear()
    clinic.post(f"/v1/task-runs/{run}/complete", headers={"traceparent": PARENT, "x-request-id": "mine"})
    found = by_name(traced, "POST /task-runs/{id}/complete")
    [request], [graded] = found["POST /task-runs/{id}/complete"], found["grade"]
    assert request.parent is not None
    assert f"{request.parent.trace_id:032x}" == PARENT.split("-")[1]
    assert dict(request.attributes or {}) == {
        "http.request.method": "POST",
        "http.route": "/task-runs/{id}/complete",
        "http.response.status_code": 200,
        "assay.request": "mine",
        "assay.organisation": clinic.organisation,
    }
    assert dict(graded.attributes or {}) == {"assay.task_run": run, "assay.criteria": 1, "assay.verdict": "pass"}
    assert request.context is not None
    assert graded.parent is not None
    assert graded.parent.span_id == request.context.span_id
    assert {"store read", "store write"} < set(found)
    assert {one.context.trace_id for many in found.values() for one in many if one.context} == {
        request.context.trace_id
    }


def test_what_broke_is_told_without_its_text(clinic: Clinic, traced: InMemorySpanExporter) -> None:
    with pytest.raises(MeasurementError), span("x", of="y"):
        raise MeasurementError("Rivera, Ana")
    [one] = traced.get_finished_spans()
    assert (one.events, dict(one.attributes or {})) == ((), {"of": "y", "error.type": "MeasurementError"})
    assert one.status.description is None
    traced.clear()
    assert clinic.client.get("/v1/tasks?text=Rivera").status_code == 401
    assert "Rivera" not in "".join(one.to_json() for one in traced.get_finished_spans())


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"},
        {"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"},
        {"OTEL_TRACES_EXPORTER": "otlp"},
    ],
)
def test_nothing_is_traced_unless_it_is_asked_for(environment: dict[str, str]) -> None:
    trace_if_configured(environment)()
    assert tracing._tracer is None
    with span("x") as told:
        told.add(a=1)


def test_an_exporter_that_is_unknown() -> None:
    asked = {"OTEL_TRACES_EXPORTER": "zipkin", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}
    with pytest.raises(InputError, match="OTEL_TRACES_EXPORTER must be otlp, console or none, got 'zipkin'"):
        trace_if_configured(asked)


def test_spans_arrive_at_a_collector(monkeypatch: pytest.MonkeyPatch) -> None:
    bodies: list[tuple[str, bytes]] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
        end = trace_if_configured(os.environ)
        with span("a span of Assay"):
            pass
        end()
        server.shutdown()
        thread.join()
    [(path, body)] = bodies
    assert (path, b"a span of Assay" in body, b"service.name" in body) == ("/v1/traces", True, True)
