"""The first completion in time is accepted; from then on only the grading ends the run, by the state of then."""

import json
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar

import httpx
import pytest

from assay.adapters.sources.source_guard import SourcePolicy, allowed_sources
from assay.adapters.store.errors import StoreError
from assay.core.errors import MeasurementError
from assay.engine.service.keys import Owner
from assay.engine.service.task_runs import end_overdue
from tests.api.clinic import ROW, Clinic, clinic_of, portal, said, serve_on, work_off
from tests.servers.scripted_server import Reply, send, serving

pytestmark = pytest.mark.both_databases
LATER = {"Prefer": "respond-async"}
BOOKED = portal("status", "booked")
LIMIT = 60.0


class Clock:
    """The clock of the service: the real one, and as far ahead as a test says."""

    def __init__(self, real: Callable[[], datetime]) -> None:
        self._real = real
        self._ahead = timedelta()

    def now(self) -> datetime:
        return self._real() + self._ahead

    def pass_deadline(self) -> None:
        self._ahead += timedelta(seconds=2 * LIMIT)


@pytest.fixture
def clock(clinic: Clinic, monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    work_off(clinic.service)
    clock = Clock(clinic.service.host.now)
    monkeypatch.setattr(clinic.service.host, "now", clock.now)
    yield clock
    # Its work must not wait for a time that comes for nobody else.
    work_off(clinic.service)


def complete(clinic: Clinic, run: str, status: int = 200, **more: Any) -> Any:
    found = clinic.ask("POST", f"/v1/task-runs/{run}/complete", **more)
    assert found.status_code == status, found.text
    return found.json()


def ended(clinic: Clinic, run: str) -> tuple[str, float | None]:
    found = clinic.get(f"/v1/task-runs/{run}")
    return found["status"], found["score"]


def graded_by(clinic: Clinic, grade: Callable[[Any], Any]) -> Callable[[], None]:
    """Replace the grading by one that is given the real one; returns how to undo that."""
    real = clinic.service.grade
    object.__setattr__(clinic.service, "grade", lambda *given: grade(lambda: real(*given)))
    return lambda: object.__setattr__(clinic.service, "grade", real)


@pytest.mark.statement("criteria.acceptance")
def test_a_worker_that_is_late(clinic: Clinic, clock: Clock) -> None:
    run = clinic.run(BOOKED, timeout_s=LIMIT)
    work = complete(clinic, run, 202, headers=LATER)["id"]
    accepted = clinic.get(f"/v1/task-runs/{run}")["completion_requested_at"]
    clock.pass_deadline()
    clinic.service.doing.sweep()
    assert ended(clinic, run) == ("active", None)
    assert work_off(clinic.service)
    assert ended(clinic, run) == ("completed", 1.0)
    assert clinic.get(f"/v1/work/{work}")["state"] == "done"
    assert clinic.get(f"/v1/task-runs/{run}")["completion_requested_at"] == accepted


@pytest.mark.statement("criteria.source-down", "criteria.acceptance")
def test_a_source_that_comes_back_after_the_deadline(clinic: Clinic, clock: Clock) -> None:
    run = clinic.run(BOOKED, timeout_s=LIMIT)

    def down(_real: Any) -> Any:
        raise MeasurementError("the FHIR server is down")

    undo = graded_by(clinic, down)
    complete(clinic, run, 503)
    accepted = clinic.get(f"/v1/task-runs/{run}")["completion_requested_at"]
    clock.pass_deadline()
    complete(clinic, run, 503)
    assert ended(clinic, run) == ("active", None)
    undo()
    assert complete(clinic, run)["score"] == 1.0
    assert clinic.get(f"/v1/task-runs/{run}")["completion_requested_at"] == accepted


def test_a_source_that_is_slow(clinic: Clinic, clock: Clock) -> None:
    run = clinic.run(BOOKED, timeout_s=LIMIT)

    def slow(real: Any) -> Any:
        clock.pass_deadline()
        clinic.service.doing.sweep()
        return real()

    graded_by(clinic, slow)
    assert complete(clinic, run)["score"] == 1.0
    assert ended(clinic, run) == ("completed", 1.0)


def test_somebody_looks_while_it_is_graded(clinic: Clinic, clock: Clock) -> None:
    run = clinic.run(BOOKED, timeout_s=LIMIT)

    def watched(real: Any) -> Any:
        clock.pass_deadline()
        assert ended(clinic, run) == ("active", None)
        return real()

    graded_by(clinic, watched)
    assert complete(clinic, run)["score"] == 1.0


@pytest.mark.parametrize("headers", [{}, LATER])
def test_a_completion_after_the_deadline_is_too_late(clinic: Clinic, clock: Clock, headers: Any) -> None:
    run = clinic.run(BOOKED, timeout_s=LIMIT)
    clock.pass_deadline()
    done = complete(clinic, run, headers=headers)
    assert (done["status"], done["score"], done["verdict"]) == ("timed_out", 0.0, "fail")
    assert clinic.get(f"/v1/task-runs/{run}")["completion_requested_at"] is None


def test_who_saw_the_run_before_it_was_accepted_can_not_time_it_out(clinic: Clinic, clock: Clock) -> None:
    run = clinic.run(BOOKED, timeout_s=LIMIT)
    seen = clinic.service.runs.task_run(Owner(clinic.organisation), run)
    complete(clinic, run, 202, headers=LATER)
    clock.pass_deadline()
    assert not end_overdue(clinic.service.runs, clinic.organisation, seen, clock.now())
    assert ended(clinic, run) == ("active", None)


def test_a_run_is_accepted_and_queued_or_neither(clinic: Clinic, monkeypatch: pytest.MonkeyPatch) -> None:
    run = clinic.run(BOOKED)
    with monkeypatch.context() as patch:

        def broken(*_: Any) -> str:
            raise StoreError("the disk is full")

        patch.setattr(clinic.service.work, "add_within", broken)
        assert clinic.ask("POST", f"/v1/task-runs/{run}/complete", headers=LATER).status_code == 503
    seen = clinic.service.runs.task_run(Owner(clinic.organisation), run)
    assert seen.completion_requested_at is None
    [first, second] = [complete(clinic, run, 202, headers=LATER)["id"] for _ in range(2)]
    assert first == second


def test_an_accepted_run_that_nobody_asks_for_again_is_graded(clinic: Clinic, clock: Clock) -> None:
    """Its caller got a 503, or its server died while it was graded."""
    run = clinic.run(BOOKED, timeout_s=LIMIT)
    clinic.service.runs.accept(Owner(clinic.organisation), run, lambda _rows: None)
    clinic.service.doing.sweep()
    assert not work_off(clinic.service)
    clock.pass_deadline()
    clinic.service.doing.sweep()
    clinic.service.doing.sweep()
    assert work_off(clinic.service)
    assert not work_off(clinic.service)
    assert ended(clinic, run) == ("completed", 1.0)


# What is sent after acceptance. Each would change the score of 1 to 0, or the other way round.
def row(status: str, key: str = "a1") -> tuple[str, str, Any]:
    return "POST", "rows", {**ROW, "key": key, "data": {"status": status}}


def turn(text: str) -> tuple[str, str, Any]:
    return "POST", "turns", {"number": 9, "speaker": "agent", "text": text}


MESSAGE = "MSH|^~\\&|A|B|C|D|20260301||ADT^A01|1|P|2.5\rPID|1||007^^^MRN||Smith^Jo\r"
HL7 = {
    "label": "sent",
    "assertion": {"assert": "hl7-structural", "fields": [{"path": "PID.5.1", "expected": "Smith"}]},
}
FILE = {"label": "left", "assertion": {"assert": "sftp-file-present", "path": "out/a.txt", "contains": "done"}}
NO_FILE = {
    "label": "left",
    "assertion": {"assert": "sftp-file-present", "path": "out/b.txt", "cardinality": {"min": 0, "max": 0}},
}
AFTERWARDS: dict[str, tuple[dict[str, Any], tuple[str, str, Any], float]] = {
    "row changed": (BOOKED, row("cancelled"), 1.0),
    "row repaired": (portal("status", "arrived"), row("arrived"), 0.0),
    "row added": (
        {
            "label": "new",
            "assertion": {
                "assert": "portal-state-match",
                "correlate_by": {"resource": "appointments", "key": "a2"},
                "assertions": [{"path": "status", "expected": "booked"}],
            },
        },
        row("booked", "a2"),
        0.0,
    ),
    "turn": (said("goodbye"), turn("Goodbye."), 0.0),
    "event": (HL7, ("POST", "events", {"type": "hl7_outbound", "payload": MESSAGE}), 0.0),
    "claimed time": (
        HL7,
        (
            "POST",
            "records",
            json.dumps(
                {"record": "event", "type": "hl7_outbound", "payload": MESSAGE, "at": "2020-01-01T00:00:00Z"}
            ).encode(),
        ),
        0.0,
    ),
    "file changed": (FILE, ("PUT", "files/out/a.txt", b"broken"), 1.0),
    "file added": (NO_FILE, ("PUT", "files/out/b.txt", b"done"), 1.0),
}


@pytest.mark.statement("criteria.acceptance")
@pytest.mark.parametrize("later", [True, False], ids=["async", "again"])
@pytest.mark.parametrize("what", AFTERWARDS)
@pytest.mark.usefixtures("clock")
def test_what_comes_after_acceptance_does_not_count(clinic: Clinic, what: str, later: bool) -> None:
    criterion, (method, place, body), score = AFTERWARDS[what]
    run = clinic.run(criterion)
    playground = clinic.get(f"/v1/task-runs/{run}")["playground_id"]
    assert clinic.ask("PUT", f"/v1/playgrounds/{playground}/files/out/a.txt", content=b"done").status_code == 200
    if later:
        complete(clinic, run, 202, headers=LATER)
    else:
        undo = graded_by(clinic, lambda _real: _down())
        complete(clinic, run, 503)
        undo()
    for _ in range(2):
        sent = {"content": body} if isinstance(body, bytes) else {"json": body}
        found = clinic.ask(method, f"/v1/playgrounds/{playground}/{place}", **sent)
        assert found.status_code in (200, 201) or place == "turns", found.text
    assert not later or work_off(clinic.service)
    assert complete(clinic, run)["score"] == score


def _down() -> Any:
    raise MeasurementError("down")


def test_what_came_before_acceptance_counts_as_it_was_last(clinic: Clinic) -> None:
    run = clinic.run(BOOKED)
    playground = clinic.get(f"/v1/task-runs/{run}")["playground_id"]
    for status in ("cancelled", "noshow", "booked"):
        clinic.post(f"/v1/playgrounds/{playground}/rows", row(status)[2])
    assert complete(clinic, run)["score"] == 1.0


class VersionedFhir(BaseHTTPRequestHandler):
    """A FHIR server of a few lines with one patient, all of whose versions it keeps."""

    versions: ClassVar[list[dict[str, Any]]] = []
    keeps: ClassVar[bool] = True

    def do_GET(self) -> None:
        newest = self.versions[:1]
        if "_history" not in self.path:
            self.answer(200, newest[0] if "/Patient/1" in self.path else bundle(newest))
        elif self.keeps:
            self.answer(200, bundle(self.versions))
        else:
            self.answer(404, {"resourceType": "OperationOutcome"})

    def answer(self, status: int, body: dict[str, Any]) -> None:
        send(self, Reply(status, body))

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def bundle(resources: list[dict[str, Any]]) -> dict[str, Any]:
    return {"resourceType": "Bundle", "entry": [{"resource": one} for one in resources]}


@pytest.fixture
def fhir_url() -> Iterator[str]:
    VersionedFhir.versions.clear()
    with serving(VersionedFhir) as url:
        yield url


@pytest.fixture
def allowing(where: str) -> Iterator[Clinic]:
    """A service whose operator allows sources on this machine."""
    policy = SourcePolicy(allowed_sources(["127.0.0.0/8"]))
    with serve_on(where, policy=policy) as served, httpx.Client(base_url=served.url, timeout=90) as client:
        yield clinic_of(served, client, "allowing")


def changed(*, active: bool, clinic: Clinic, timeless: bool = False) -> None:
    """The agent writes on the server of the hospital."""
    meta = {} if timeless else {"lastUpdated": clinic.service.host.now().isoformat()}
    VersionedFhir.versions.insert(
        0, {"resourceType": "Patient", "id": "1", "active": active, "gender": "other", "meta": meta}
    )


def patient_run(clinic: Clinic, url: str, **how: Any) -> str:
    seen = {"assert": "fhir-resource-state", "resource_type": "Patient", **how}
    seen["fields"] = [{"path": "active", "expected": True}]
    run = clinic.post("/v1/task-runs", {"task_id": clinic.task({"label": "seen", "assertion": seen})})
    source = f"/v1/playgrounds/{run['playground_id']}/sources/fhir"
    assert clinic.ask("PUT", source, json={"url": url}).status_code == 200
    clinic.post(f"/v1/task-runs/{run['id']}/start")
    return str(run["id"])


@pytest.mark.both_databases(False)
@pytest.mark.statement("criteria.acceptance")
@pytest.mark.parametrize("how", [{"id": "1"}, {"search": {"gender": "other"}}], ids=["read", "search"])
@pytest.mark.parametrize("active", [True, False])
def test_a_fhir_server_is_graded_as_of_acceptance(allowing: Clinic, fhir_url: str, how: Any, active: bool) -> None:
    changed(active=active, clinic=allowing)
    run = patient_run(allowing, fhir_url, **how)
    complete(allowing, run, 202, headers=LATER)
    changed(active=not active, clinic=allowing)
    assert work_off(allowing.service)
    assert complete(allowing, run)["score"] == float(active)


@pytest.mark.both_databases(False)
def test_a_server_that_keeps_no_versions_says_so(
    allowing: Clinic, fhir_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VersionedFhir, "keeps", False)
    changed(active=True, clinic=allowing)
    run = patient_run(allowing, fhir_url, id="1")
    complete(allowing, run, 202, headers=LATER)
    changed(active=True, clinic=allowing)
    assert work_off(allowing.service)
    [row] = complete(allowing, run)["criterion_runs"]
    assert row["score"] == 0.0
    assert row["evidence"]["doubts"] == {
        "Patient/1": "it changed after the completion was accepted, and how it was before can't be told"
    }


@pytest.mark.both_databases(False)
def test_a_resource_without_a_time_says_so(allowing: Clinic, fhir_url: str) -> None:
    changed(active=True, clinic=allowing, timeless=True)
    [row] = complete(allowing, patient_run(allowing, fhir_url, id="1"))["criterion_runs"]
    assert (row["score"], row["evidence"]["as_of"]) == (
        1.0,
        "Patient/1 has no time of its last change (meta.lastUpdated), so it counts as it is now",
    )


@pytest.mark.both_databases(False)
def test_a_criterion_that_waits_counts_what_comes_in_that_time(allowing: Clinic, fhir_url: str) -> None:
    changed(active=False, clinic=allowing)
    run = patient_run(allowing, fhir_url, id="1", wait_s=30)
    complete(allowing, run, 202, headers=LATER)
    changed(active=True, clinic=allowing)
    assert work_off(allowing.service)
    assert complete(allowing, run)["score"] == 1.0
