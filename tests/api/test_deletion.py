"""What is deleted is gone with its evidence; lists and totals agree afterwards, and the audit log knows of it."""

from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from assay.adapters.store.tables import metadata
from assay.engine.integration.deletion import Deleter
from assay.engine.service.errors import NotFoundError
from tests.api.clinic import ROW, Clinic, clinic_of, portal, serve_on
from tests.api.test_jobs import SORTING, archive_of
from tests.cli.running import Cli

pytestmark = pytest.mark.both_databases
MARK = "evidence of 00412"


def everything(clinic: Clinic) -> str:
    """All rows of the store that could hold a value of the organisation's."""
    found = ""
    for table in metadata.sorted_tables:
        columns = [column for column in table.c if column.name not in ("secrets", "digest")]
        rows = clinic.service.store.rows(select(*columns))
        found += "\n".join(str(tuple(row)) for row in rows if clinic.organisation in str(row) or MARK in str(row))
    return found


def run(clinic: Clinic, **more: Any) -> str:
    """A graded run with marked evidence."""
    identity = clinic.run(portal("status", MARK), start=True)
    playground = clinic.get(f"/v1/task-runs/{identity}")["playground_id"]
    clinic.post(f"/v1/playgrounds/{playground}/rows", {**ROW, "data": {"status": MARK}})
    clinic.post(f"/v1/task-runs/{identity}/complete", headers={"Idempotency-Key": f"k {identity}"})
    return identity


def delete(clinic: Clinic, path: str) -> int:
    return clinic.ask("DELETE", path).status_code


def groups(clinic: Clinic) -> int:
    return sum(group["runs"] for group in clinic.get("/v1/runs/groups?by=task"))


def test_a_task_run_goes_with_its_evidence(clinic: Clinic) -> None:
    kept, gone = run(clinic), run(clinic)
    assert groups(clinic) == 2
    run_id = clinic.get("/v1/runs")["data"][0]["id"]
    clinic.post(f"/v1/task-runs/{gone}/annotations", {"reviewer_id": "ana", "judgment": "pass"})
    playground = clinic.get(f"/v1/task-runs/{gone}")["playground_id"]
    assert delete(clinic, f"/v1/task-runs/{gone}") == 204
    for path in (f"/v1/task-runs/{gone}", f"/v1/runs/{run_id}", f"/v1/playgrounds/{playground}"):
        assert clinic.ask("GET", path).status_code == 404
    assert [one["id"] for one in clinic.get("/v1/task-runs")["data"]] == [kept]
    assert {one["task_run_id"] for one in clinic.get("/v1/criterion-runs")["data"]} == {kept}
    assert (groups(clinic), len(clinic.get("/v1/runs")["data"])) == (1, 1)
    entries = clinic.get("/v1/audit?limit=100")["data"]
    tombstone = next(one for one in entries if one["action"].startswith("delete"))
    assert (tombstone["action"], tombstone["target"]) == ("delete_task_run", gone)
    assert tombstone["key_id"]
    assert tombstone["request_id"]
    assert delete(clinic, f"/v1/task-runs/{gone}") == 404
    assert delete(clinic, f"/v1/task-runs/{kept}") == 204
    for task in clinic.get("/v1/tasks")["data"]:
        assert delete(clinic, f"/v1/tasks/{task['id']}") == 204
    left = [line for line in everything(clinic).splitlines() if MARK in line]
    assert all("'criteria'" in line for line in left), "only what the frozen task wants is still there"


def test_what_goes_on_or_has_a_total_stays(clinic: Clinic) -> None:
    going_on = clinic.run(portal("status", "booked"))
    assert delete(clinic, f"/v1/task-runs/{going_on}") == 409
    playground = clinic.get(f"/v1/task-runs/{going_on}")["playground_id"]
    assert delete(clinic, f"/v1/playgrounds/{playground}") == 409
    task = clinic.task(portal("status", "booked"))
    made = clinic.post("/v1/benchmark-runs", {"benchmark": clinic.benchmark(task)})
    whole, part = made["benchmark_run"]["id"], made["task_runs"][0]["id"]
    assert delete(clinic, f"/v1/benchmark-runs/{whole}") == 409
    clinic.post(f"/v1/task-runs/{part}/cancel")
    assert delete(clinic, f"/v1/task-runs/{part}") == 409
    assert delete(clinic, f"/v1/benchmark-runs/{whole}") == 204
    assert clinic.ask("GET", f"/v1/task-runs/{part}").status_code == 404
    assert clinic.ask("POST", f"/v1/task-runs/{part}/start", key=made["token"]).status_code == 401


def test_only_an_admin_deletes_and_only_its_own(clinic: Clinic) -> None:
    gone = run(clinic)
    for path in (f"/v1/task-runs/{gone}", f"/v1/tasks/{clinic.task()}"):
        assert clinic.ask("DELETE", path, key="grader").status_code == 403
    with pytest.raises(NotFoundError):
        clinic.service.deletion.delete("task_runs", Deleter("default"), gone)
    assert clinic.get(f"/v1/task-runs/{gone}")["id"] == gone


def test_a_run_of_the_list_goes_whatever_its_kind(clinic: Clinic) -> None:
    run(clinic)
    [listed] = clinic.get("/v1/runs")["data"]
    assert delete(clinic, f"/v1/runs/{listed['id']}") == 204
    assert clinic.get("/v1/task-runs")["data"] == []
    assert clinic.get("/v1/runs")["data"] == []


def test_retention(clinic: Clinic) -> None:
    old, going_on = run(clinic), clinic.run(portal("status", "booked"))
    clinic.ask("PUT", "/v1/retention", json={"days": 30})
    assert clinic.get("/v1/retention") == {"days": 30}
    deletion = clinic.service.deletion
    assert deletion.prune_all()[clinic.organisation] == 0
    now = clinic.service.host.now()
    assert deletion.prune(clinic.organisation, now + timedelta(seconds=1)) == 1
    assert clinic.ask("GET", f"/v1/task-runs/{old}").status_code == 404
    assert clinic.get(f"/v1/task-runs/{going_on}")["status"] == "active"
    assert clinic.get("/v1/audit")["data"][0]["action"] == "prune_task_run"


def test_a_job_goes_with_its_archive_and_files(clinic: Clinic) -> None:
    clinic.ask("POST", "/v1/jobs", content=archive_of(SORTING))
    trial = clinic.get("/v1/jobs/sorting/trials?limit=1")["data"][0]["id"]
    archive = clinic.get("/v1/jobs")["data"][0]["sha256"]
    assert b"".join(clinic.service.blobs.read(archive))
    assert delete(clinic, f"/v1/runs/{trial}") == 204
    assert clinic.ask("GET", f"/v1/runs/{trial}").status_code == 404
    assert clinic.ask("GET", "/v1/jobs/sorting").status_code == 404, "its archive has the run in it"
    assert (groups(clinic), len(clinic.get("/v1/runs?limit=100")["data"])) == (15, 15)
    clinic.ask("POST", "/v1/jobs", content=archive_of(SORTING))
    assert groups(clinic) == 16
    assert delete(clinic, "/v1/jobs/sorting") == 204
    assert clinic.get("/v1/runs")["data"] == []
    assert groups(clinic) == 0
    assert clinic.service.storage.find("blob_index", digest=archive) is None


@pytest.mark.both_databases(False)
def test_prune_by_the_command(where: str, capsys: pytest.CaptureFixture[str]) -> None:
    with serve_on(where) as served, httpx.Client(base_url=served.url, timeout=60) as client:
        clinic = clinic_of(served, client, "ward")
        run(clinic)
        clinic.ask("PUT", "/v1/retention", json={"days": 1})
        days_ago = clinic.service.host.now() - timedelta(days=2)
        with clinic.service.storage.transaction() as rows:
            for table in ("task_runs", "runs", "playgrounds"):
                rows.change(table, {"created_at": days_ago}, organisation="ward")
        assert Cli(capsys)("db", "prune", "--store", where).out == "ward: 1 deleted\n"
        assert clinic.get("/v1/runs")["data"] == []
        told = Cli(capsys)("db", "prune", "--store", where, "--older-than", "1h", "--audit-older-than", "1h").out
        assert told == "default: 0 deleted\nward: 0 deleted\naudit: 0 entries deleted\n"
        with served.service.store.writing() as connection:
            counted = connection.exec_driver_sql("SELECT tbl FROM sqlite_stat1").scalars().all()
        assert {"keys", "audit"} <= set(counted)
    assert Cli(capsys)("db", "check", "--store", where, "--older-than", "1d").code == 2
    assert Cli(capsys)("db", "prune", "--store", where, "--older-than", "soon").code == 2
