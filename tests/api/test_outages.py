"""A store that goes away in the middle of a request: a clean 503, nothing half written, and no run is lost.

PostgreSQL is stopped and started for real, as a server of its own. SQLite is locked, or its disk is full.
"""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from assay.adapters.store import database
from assay.adapters.store.errors import StoreError
from assay.api.app import READY_SEC
from tests.adapters.store.databases import StoppableServer, empty_database
from tests.api.clinic import Clinic, Served, clinic_of, portal, serve_on

CLAIM_SEC = 1.0
LATER = {"Prefer": "respond-async"}


@dataclass(frozen=True)
class Outage:
    """A service, and how to stop and start its database."""

    clinic: Clinic
    stop: Callable[[], None]
    start: Callable[[], None]


@pytest.fixture(scope="module")
def stoppable() -> Iterator[StoppableServer]:
    try:
        server = StoppableServer()
    except Exception as error:  # noqa: BLE001 - whatever it is, the reader of the test report learns of it
        pytest.skip(f"no PostgreSQL could be started here, so none was stopped: {error!r}")
    yield server
    server.end()


@pytest.fixture
def postgres_outage(stoppable: StoppableServer) -> Iterator[Outage]:
    stoppable.start()
    url = empty_database(stoppable.url)
    with serve_on(url, claim_sec=CLAIM_SEC) as served, httpx.Client(base_url=served.url, timeout=60) as client:
        yield Outage(clinic_of(served, client, "outage"), stoppable.stop, stoppable.start)


def grading(clinic: Clinic, before: Callable[[], None], after: Callable[[], None]) -> None:
    """From now on, something happens before and after each grading."""
    real = clinic.service.grade

    def grade(*told: Any) -> Any:
        before()
        done = real(*told)
        after()
        return done

    object.__setattr__(clinic.service, "grade", grade)


def nothing() -> None:
    """What happens at the other moment."""


@pytest.mark.parametrize("moment", ["before", "after"])
def test_postgres_is_stopped_while_a_run_is_graded(postgres_outage: Outage, moment: str) -> None:
    clinic, real = postgres_outage.clinic, postgres_outage.clinic.service.grade
    run = clinic.run(portal("status", "booked"))
    stop = postgres_outage.stop
    grading(clinic, stop if moment == "before" else nothing, stop if moment == "after" else nothing)
    found = clinic.ask("POST", f"/v1/task-runs/{run}/complete")
    assert (found.status_code, found.json()["error"]["code"]) == (503, "store_unavailable")
    assert found.headers["retry-after"]
    assert clinic.client.get("/healthz").status_code == 200
    object.__setattr__(clinic.service, "grade", real)
    postgres_outage.start()
    assert clinic.get(f"/v1/task-runs/{run}")["status"] == "active"
    assert clinic.get("/v1/criterion-runs", params={"task_run_id": run})["data"] == []
    done = clinic.post(f"/v1/task-runs/{run}/complete")
    assert (done["verdict"], len(done["criterion_runs"])) == ("pass", 1)
    assert len(clinic.get("/v1/criterion-runs", params={"task_run_id": run})["data"]) == 1


def test_submissions_around_a_stop_are_graded_once(postgres_outage: Outage) -> None:
    """Every answer is a result or a clean 503, and each run that was acknowledged has one result."""
    clinic = postgres_outage.clinic
    runs = [clinic.run(portal("status", "booked")) for _ in range(12)]
    statuses: list[int] = []

    def send() -> None:
        for run in runs:
            statuses.append(clinic.ask("POST", f"/v1/task-runs/{run}/complete").status_code)

    sender = threading.Thread(target=send)
    sender.start()
    postgres_outage.stop()
    postgres_outage.start()
    sender.join(120)
    assert set(statuses) <= {200, 503}
    for run in runs:
        assert clinic.post(f"/v1/task-runs/{run}/complete")["verdict"] == "pass"
        assert len(clinic.get("/v1/criterion-runs", params={"task_run_id": run})["data"]) == 1


def test_a_worker_goes_on_after_a_stop(postgres_outage: Outage) -> None:
    clinic = postgres_outage.clinic
    worker = clinic.service.worker(1)
    worker.start()
    try:
        for _ in range(2):
            run = clinic.run(portal("status", "booked"))
            assert clinic.ask("POST", f"/v1/task-runs/{run}/complete", headers=LATER).status_code == 202
            end = time.monotonic() + 60
            while clinic.get(f"/v1/task-runs/{run}")["status"] == "active":
                assert time.monotonic() < end
                time.sleep(0.05)
            postgres_outage.stop()
            postgres_outage.start()
    finally:
        worker.end()


@pytest.fixture
def sqlite(migrated_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Clinic, Path]]:
    """A service that waits only a moment for its file, and the file."""
    path = tmp_path / "store.db"
    path.write_bytes(migrated_file.read_bytes())
    impatient = tuple("PRAGMA busy_timeout = 100" if "busy" in one else one for one in database._PRAGMAS)
    monkeypatch.setattr(database, "_PRAGMAS", impatient)
    with serve_on(str(path)) as served, httpx.Client(base_url=served.url, timeout=60) as client:
        yield clinic_of(served, client, "outage"), path


def test_a_file_that_another_has_locked(sqlite: tuple[Clinic, Path]) -> None:
    clinic, path = sqlite
    run = clinic.run(portal("status", "booked"))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    found = clinic.ask("POST", f"/v1/task-runs/{run}/complete")
    assert (found.status_code, found.json()["error"]["code"]) == (503, "store_unavailable")
    assert found.headers["retry-after"]
    assert clinic.get(f"/v1/task-runs/{run}")["status"] == "active", "a reader doesn't wait for a writer"
    other.execute("ROLLBACK")
    other.close()
    assert clinic.post(f"/v1/task-runs/{run}/complete")["verdict"] == "pass"


def test_a_disk_that_is_full(sqlite: tuple[Clinic, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    clinic, path = sqlite
    run = clinic.run(portal("status", "booked"))
    box = clinic.get(f"/v1/task-runs/{run}")["playground_id"]
    with full(path, monkeypatch) as served, httpx.Client(base_url=served.url, timeout=60) as client:
        cramped = Clinic(served.service, client, clinic.keys, clinic.organisation)
        rows = [{"resource": "large", "key": f"k{n}", "data": {"text": "x" * 50_000}} for n in range(20)]
        found = cramped.ask("POST", f"/v1/playgrounds/{box}/rows", json=rows)
        assert (found.status_code, found.json()["error"]["code"]) == (503, "store_unavailable")
        assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").status_code == 200, "there is a little room"
        for number in range(20):
            row = {"resource": "small", "key": f"k{number}", "data": {"text": "x" * 4_000}}
            if cramped.ask("POST", f"/v1/playgrounds/{box}/rows", json=row).status_code == 503:
                break
        time.sleep(READY_SEC)
        found = client.get("/readyz")
        assert (found.status_code, found.json()["error"]["code"]) == (503, "store_unavailable")
        assert found.headers["retry-after"]
    assert not clinic.service.store.state_rows(box, "large"), "nothing of it was written"
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    clinic.post(f"/v1/playgrounds/{box}/rows", rows)
    assert clinic.post(f"/v1/task-runs/{run}/complete")["verdict"] == "pass"


def test_what_was_done_is_answered_as_done(clinic: Clinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though neither the audit log nor the answer could be written after it; the log follows."""
    audit, answers = clinic.service.audit, clinic.service.answers

    def broken(*_: Any) -> None:
        raise StoreError("the disk is full")

    run = clinic.run(portal("status", "booked"))
    clinic.post(f"/v1/task-runs/{run}/complete")
    with monkeypatch.context() as patch:
        patch.setattr(audit, "_write", broken)
        patch.setattr(answers, "finish", broken)
        made = clinic.ask("POST", "/v1/playgrounds", json={}, headers={"Idempotency-Key": "once"})
        read = clinic.ask("GET", "/v1/criterion-runs")
    assert made.status_code == 201
    assert read.status_code == 503, "evidence that nobody could note isn't shown"
    assert clinic.ask("POST", "/v1/playgrounds", json={}, headers={"Idempotency-Key": "once"}).status_code == 409
    clinic.post("/v1/playgrounds")
    noted = [one["target"] for one in clinic.get("/v1/audit")["data"] if one["action"] == "create_playground"]
    assert made.json()["id"] in noted


@contextmanager
def full(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """The same file, on a disk that has room for a few pages more."""
    with closing(sqlite3.connect(path)) as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
    with monkeypatch.context() as patch:
        patch.setattr(database, "_PRAGMAS", (*database._PRAGMAS, f"PRAGMA max_page_count = {pages + 20}"))
        with serve_on(str(path)) as served:
            yield served
