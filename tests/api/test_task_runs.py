"""The life of a task run: created, started, and ended once, in one of its ways."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from assay.core.errors import MeasurementError
from assay.engine.service.keys import Owner
from tests.api.clinic import Clinic, portal, said

pytestmark = pytest.mark.both_databases


def refused(clinic: Clinic, path: str, key: str = "admin", **more: Any) -> tuple[int, str]:
    found = clinic.ask("POST", path, key=key, json={}, **more)
    return found.status_code, found.json()["error"]["message"]


@pytest.mark.statement("criteria.task-run-states")
def test_a_run_goes_from_created_to_completed(clinic: Clinic) -> None:
    run = clinic.run(portal("status", "booked"), start=False)
    created = clinic.get(f"/v1/task-runs/{run}")
    assert (created["status"], created["phase"], created["score"]) == ("active", "created", None)
    started = clinic.post(f"/v1/task-runs/{run}/start")
    assert (started["phase"], started["name"]) == ("started", "book a visit")
    assert clinic.post(f"/v1/task-runs/{run}/start") == started
    clinic.post(f"/v1/task-runs/{run}/complete")
    done = clinic.get(f"/v1/task-runs/{run}")
    assert (done["status"], done["phase"], done["verdict"], done["score"]) == (
        "completed",
        "completed",
        "pass",
        1.0,
    )
    assert refused(clinic, f"/v1/task-runs/{run}/start") == (
        409,
        "the task run can't be started: it is completed",
    )


def test_a_run_must_be_started(clinic: Clinic) -> None:
    run = clinic.run(start=False)
    assert refused(clinic, f"/v1/task-runs/{run}/complete") == (
        409,
        "the task run must be started before it is completed",
    )


def test_completing_twice_answers_the_first_result(clinic: Clinic) -> None:
    run = clinic.run(portal("status", "booked"), said("goodbye"))
    first = clinic.post(f"/v1/task-runs/{run}/complete")
    playground = clinic.get(f"/v1/task-runs/{run}")["playground_id"]
    clinic.post(f"/v1/playgrounds/{playground}/turns", {"number": 3, "speaker": "agent", "text": "Goodbye."})
    assert clinic.post(f"/v1/task-runs/{run}/complete") == first
    assert len(clinic.get("/v1/criterion-runs", params={"task_run_id": run})["data"]) == 2


def test_an_idempotency_key_belongs_to_one_run(clinic: Clinic) -> None:
    one, other = clinic.run(), clinic.run()
    key = {"Idempotency-Key": "k1"}
    first = clinic.post(f"/v1/task-runs/{one}/complete", headers=key)
    assert clinic.post(f"/v1/task-runs/{one}/complete", headers=key) == first
    status, said_ = refused(clinic, f"/v1/task-runs/{other}/complete", headers=key)
    assert (status, said_.startswith("the idempotency key must be a new one")) == (409, True)
    assert refused(clinic, f"/v1/task-runs/{other}/complete", headers={"Idempotency-Key": "x" * 201})[0] == 422


def test_two_at_once_grade_once(clinic: Clinic) -> None:
    run = clinic.run(portal("status", "booked"))
    graded, real = [], clinic.service.grade

    def slowly(*told: Any) -> Any:
        graded.append(told)
        clinic.service.host.sleep(0.2)
        return real(*told)

    object.__setattr__(clinic.service, "grade", slowly)
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: clinic.post(f"/v1/task-runs/{run}/complete"), range(6)))
    assert len(graded) == 1
    assert all(one == answers[0] for one in answers)


@pytest.mark.statement("criteria.source-down")
def test_a_source_that_is_down_is_not_a_zero(clinic: Clinic) -> None:
    run, real = clinic.run(portal("status", "booked")), clinic.service.grade

    def broken(*_: Any) -> Any:
        raise MeasurementError("the FHIR server at https://fhir.example is down")

    object.__setattr__(clinic.service, "grade", broken)
    found = clinic.ask("POST", f"/v1/task-runs/{run}/complete")
    assert (found.status_code, found.headers["retry-after"]) == (503, "5")
    assert found.json()["error"]["code"] == "source_unavailable"
    assert clinic.get(f"/v1/task-runs/{run}")["status"] == "active"
    object.__setattr__(clinic.service, "grade", real)
    assert clinic.post(f"/v1/task-runs/{run}/complete")["verdict"] == "pass"


def test_a_source_that_is_not_configured_is_not_a_zero(clinic: Clinic) -> None:
    seen = {"assert": "fhir-resource-state", "resource_type": "Patient", "id": "1"}
    run = clinic.run({"label": "seen", "assertion": {**seen, "fields": [{"path": "active", "expected": True}]}})
    found = clinic.ask("POST", f"/v1/task-runs/{run}/complete")
    assert (found.status_code, found.json()["error"]["code"]) == (503, "source_unavailable")


def test_a_claim_of_a_process_that_died_runs_out(clinic: Clinic) -> None:
    run = clinic.run(portal("status", "booked"))
    now = clinic.service.host.now()
    owner = Owner(clinic.organisation)
    taken = clinic.service.runs.claim(owner, run, "dead", now, now - timedelta(minutes=1))
    assert taken is not None
    assert clinic.post(f"/v1/task-runs/{run}/complete")["verdict"] == "pass"


def test_a_cancelled_run_is_not_graded(clinic: Clinic) -> None:
    run = clinic.run()
    cancelled = clinic.post(f"/v1/task-runs/{run}/cancel", {"reason": "the agent is gone"})
    assert (cancelled["status"], cancelled["score"], cancelled["reason"]) == (
        "cancelled",
        None,
        "the agent is gone",
    )
    assert clinic.post(f"/v1/task-runs/{run}/cancel")["status"] == "cancelled"
    assert refused(clinic, f"/v1/task-runs/{run}/complete")[0] == 409
    done = clinic.run()
    clinic.post(f"/v1/task-runs/{done}/complete")
    assert refused(clinic, f"/v1/task-runs/{done}/cancel") == (
        409,
        "the task run must be active, but it is completed",
    )


def test_a_run_that_failed_counts_as_nothing_earned(clinic: Clinic) -> None:
    run = clinic.run(portal("status", "booked"))
    failed = clinic.post(f"/v1/task-runs/{run}/fail", {"reason": "crashed"})
    assert (failed["status"], failed["score"], failed["verdict"]) == ("failed", 0.0, "fail")


@pytest.mark.statement("criteria.task-run-states")
@pytest.mark.parametrize("ask", ["complete", "get"])
def test_a_run_whose_time_is_over(clinic: Clinic, ask: str) -> None:
    run = clinic.run(portal("status", "booked"), timeout_s=0.05)
    clinic.service.host.sleep(0.1)
    if ask == "complete":
        done = clinic.post(f"/v1/task-runs/{run}/complete")
        assert (done["criterion_runs"], done["axes"]) == ([], {})
    else:
        done = clinic.get(f"/v1/task-runs/{run}")
    assert (done["status"], done["verdict"], done["score"]) == ("timed_out", "fail", 0.0)


def test_a_run_is_graded_by_the_task_as_it_was(clinic: Clinic) -> None:
    task = clinic.task(portal("status", "booked"))
    made = clinic.post("/v1/task-runs", {"task_id": task})
    clinic.fill(made["playground_id"])
    new = {"name": "harder", "criteria": [portal("status", "cancelled")]}
    assert clinic.ask("PUT", f"/v1/tasks/{task}", json=new).status_code == 200
    clinic.post(f"/v1/task-runs/{made['id']}/start")
    assert clinic.post(f"/v1/task-runs/{made['id']}/complete")["verdict"] == "pass"


def test_a_playgrounds_data_goes_before_that_of_the_task(clinic: Clinic) -> None:
    task = clinic.task(portal("patient.mrn", "{{mrn}}"), data={"mrn": "000"})
    box = clinic.post("/v1/playgrounds", {"data": {"mrn": "007"}})["id"]
    run = clinic.post("/v1/task-runs", {"task_id": task, "playground_id": box})["id"]
    clinic.fill(box)
    clinic.post(f"/v1/task-runs/{run}/start")
    assert clinic.post(f"/v1/task-runs/{run}/complete")["verdict"] == "pass"


def test_one_task_run_of_a_benchmark_run_at_a_time(clinic: Clinic) -> None:
    benchmark = clinic.benchmark(clinic.task(), clinic.task(said("good morning")))
    made = clinic.post("/v1/benchmark-runs", {"benchmark": benchmark})
    first, second = (one["id"] for one in made["task_runs"])
    clinic.post(f"/v1/task-runs/{first}/start")
    assert refused(clinic, f"/v1/task-runs/{second}/start")[0] == 409
    clinic.post(f"/v1/task-runs/{first}/cancel")
    clinic.post(f"/v1/task-runs/{second}/start")


@pytest.mark.statement("criteria.benchmark-mean", "criteria.benchmark-verdict")
def test_how_a_benchmark_run_counts(clinic: Clinic) -> None:
    benchmark = clinic.benchmark(*(clinic.task(portal("status", "booked")) for _ in range(4)))
    made = clinic.post("/v1/benchmark-runs", {"benchmark": benchmark})
    runs = [one["id"] for one in made["task_runs"]]
    for one in made["task_runs"][:2]:
        clinic.fill(one["playground_id"])
        clinic.post(f"/v1/task-runs/{one['id']}/start")
        clinic.post(f"/v1/task-runs/{one['id']}/complete")
    clinic.post(f"/v1/task-runs/{runs[2]}/fail")
    assert clinic.get(f"/v1/benchmark-runs/{made['benchmark_run']['id']}")["status"] == "active"
    clinic.post(f"/v1/task-runs/{runs[3]}/cancel")
    ended = clinic.get(f"/v1/benchmark-runs/{made['benchmark_run']['id']}")
    assert (ended["score"], ended["verdict"]) == (2 / 3, "partial")
    assert ended["counts"] == {"active": 0, "completed": 2, "cancelled": 1, "failed": 1, "timed_out": 0}


def test_a_benchmark_run_of_which_all_was_cancelled(clinic: Clinic) -> None:
    made = clinic.post("/v1/benchmark-runs", {"benchmark": clinic.benchmark(clinic.task())})
    clinic.post(f"/v1/task-runs/{made['task_runs'][0]['id']}/cancel")
    ended = clinic.get(f"/v1/benchmark-runs/{made['benchmark_run']['id']}")
    assert (ended["status"], ended["score"], ended["verdict"]) == ("cancelled", None, None)
