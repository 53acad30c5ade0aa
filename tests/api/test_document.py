"""What the criteria document says of the service, over HTTP."""

import pytest

from tests.api.clinic import ROW, Clinic, portal, said


@pytest.mark.statement(
    "criteria.complete-call",
    "criteria.criterion-runs",
    "criteria.weighted-mean",
    "criteria.verdict-partial",
    "criteria.axis-groups",
    "criteria.axis-answer",
)
def test_the_example_of_the_document(clinic: Clinic) -> None:
    run = clinic.run(
        portal("status", "booked", weight=2, axis="correctness"), said("goodbye", weight=1, axis="safety")
    )
    done = clinic.post(f"/v1/task-runs/{run}/complete")
    assert (done["verdict"], done["score"]) == ("partial", 2 / 3)
    assert done["axes"] == {
        "correctness": {"score": 1.0, "weight": 2},
        "safety": {"score": 0.0, "weight": 1},
    }
    assert [one["passed"] for one in done["criterion_runs"]] == [True, False]


@pytest.mark.statement(
    "criteria.criterion-run-fields",
    "criteria.evidence-stored",
    "criteria.evidence-portal",
    "criteria.evidence-rows",
    "criteria.evidence-later",
    "criteria.score-range",
)
def test_a_criterion_run_has_everything(clinic: Clinic) -> None:
    run = clinic.run(portal("status", "booked"))
    [one] = clinic.post(f"/v1/task-runs/{run}/complete")["criterion_runs"]
    assert set(one) == {
        *("id", "task_run_id", "criterion_id", "label", "assert", "axis", "weight", "score", "passed", "status"),
        *("details", "evidence", "created_at"),
    }
    row = {"path": "status", "expected": "booked", "actual": "booked", "passed": True}
    [found] = one["evidence"]["assertionResults"]
    assert {key: found[key] for key in row} == row
    assert clinic.get(f"/v1/criterion-runs/{one['id']}") == one
    assert clinic.get(f"/criterion-runs/{one['id']}") == one
    assert clinic.get("/v1/criterion-runs", params={"task_run_id": run})["data"] == [one]


@pytest.mark.statement("criteria.scored-elides", "criteria.evidence-later")
def test_a_scored_run_tells_no_details(clinic: Clinic) -> None:
    run = clinic.run(portal("status", "booked"), scored=True)
    for _ in range(2):
        [one] = clinic.post(f"/v1/task-runs/{run}/complete")["criterion_runs"]
        assert "details" not in one
        assert "evidence" not in one
        assert {"id", "label", "axis", "weight", "score", "passed"} <= set(one)
    full = clinic.get(f"/criterion-runs/{one['id']}", key="reader")
    assert full["evidence"]["assertionResults"]
    assert full["details"]


@pytest.mark.statement("criteria.unsupported", "criteria.assert-chooses")
def test_an_unsupported_assertion_is_a_failed_criterion_run(clinic: Clinic) -> None:
    run = clinic.run({"label": "odd", "assertion": {"assert": "telepathy"}}, portal("status", "booked"))
    done = clinic.post(f"/v1/task-runs/{run}/complete")
    odd, fine = done["criterion_runs"]
    assert (odd["status"], odd["passed"], fine["status"]) == ("failed", False, "completed")
    assert odd["details"].startswith("unsupported assertion")
    assert (done["verdict"], done["score"]) == ("partial", 0.5)


@pytest.mark.statement("criteria.verdict-fail")
def test_no_criteria_is_a_fail(clinic: Clinic) -> None:
    done = clinic.post(f"/v1/task-runs/{clinic.run()}/complete")
    assert (done["verdict"], done["score"], done["axes"]) == ("fail", 0.0, {})


@pytest.mark.statement("criteria.axis-default")
def test_criteria_without_an_axis_are_in_one_bucket(clinic: Clinic) -> None:
    run = clinic.run(portal("status", "booked", weight=3))
    assert clinic.post(f"/task-runs/{run}/complete")["axes"] == {"__default__": {"score": 1.0, "weight": 3}}


@pytest.mark.statement("criteria.benchmark-mean", "criteria.benchmark-verdict")
def test_a_benchmark_run_ends_with_its_last_task_run(clinic: Clinic) -> None:
    tasks = [clinic.task(portal("status", "booked")), clinic.task(said("goodbye"))]
    made = clinic.post("/v1/benchmark-runs", {"benchmark": clinic.benchmark(*tasks), "scored": True})
    run = made["benchmark_run"]["id"]
    scores = []
    for one in made["task_runs"]:
        assert one["scored"] is True
        clinic.fill(one["playground_id"])
        clinic.post(f"/v1/task-runs/{one['id']}/start", key=made["token"])
        assert clinic.get(f"/v1/benchmark-runs/{run}")["score"] is None
        scores.append(clinic.post(f"/v1/task-runs/{one['id']}/complete", key=made["token"])["score"])
    ended = clinic.get(f"/v1/benchmark-runs/{run}")
    assert scores == [1.0, 0.0]
    assert (ended["status"], ended["score"], ended["verdict"]) == ("completed", 0.5, "partial")
    assert ended["counts"] == {"active": 0, "completed": 2, "cancelled": 0, "failed": 0, "timed_out": 0}


@pytest.mark.statement("criteria.exact-mean", "criteria.verdict-pass", "criteria.bad-criterion")
def test_the_mean_is_exact_and_a_bad_criterion_fails_alone(clinic: Clinic) -> None:
    right, wrong = portal("status", "booked"), said("goodbye")
    run = clinic.run({**right, "weight": 0.7}, {**right, "weight": 0.2}, {**wrong, "weight": 0.1})
    done = clinic.post(f"/v1/task-runs/{run}/complete")
    assert (done["score"], done["verdict"]) == (0.9, "pass")
    run = clinic.run(right, {**right, "weight": -1}, {"assertion": right["assertion"]}, {**right, "colour": "red"})
    done = clinic.post(f"/v1/task-runs/{run}/complete")
    assert [one["status"] for one in done["criterion_runs"]] == ["completed", "failed", "failed", "failed"]
    assert (done["score"], done["verdict"]) == (0.25, "partial")


@pytest.mark.statement("criteria.since-run-start")
def test_what_was_there_before_the_start_does_not_count(clinic: Clinic) -> None:
    criterion = portal("status", "booked")
    criterion["assertion"]["since"] = "run_start"
    run = clinic.run(criterion, start=False)
    clinic.post(f"/v1/task-runs/{run}/start")
    assert clinic.post(f"/v1/task-runs/{run}/complete")["verdict"] == "fail"
    run = clinic.run(criterion)
    playground = clinic.get(f"/v1/task-runs/{run}")["playground_id"]
    clinic.post(f"/v1/playgrounds/{playground}/rows", ROW)
    assert clinic.post(f"/v1/task-runs/{run}/complete")["verdict"] == "pass"


@pytest.mark.statement("criteria.operators", "criteria.shapes-accepted")
def test_operators_and_match_modes(clinic: Clinic) -> None:
    """As they are written by those who have criteria already, on what a message and a row have."""
    message = "MSH|^~\\&|A|B|C|D|20260601||ORU^R01|1|P|2.5\rPID|1||007\rOBX|1||K||4.1\rOBX|2||NA||140\r"
    results = {
        "assert": "hl7-structural",
        "message_type": "ORU^R01",
        "correlate_by": {"PID.3.1": "007"},
        "fields": [
            {"path": "OBX[*]-5", "expected": [4, 150], "operator": "between", "match": "all"},
            {"path": "OBX[*]-5", "expected": 140, "operator": "greaterThan", "match": "any"},
            {"path": "NTE-3", "operator": "notExists"},
        ],
    }
    row = {
        "assert": "portal-state-match",
        "correlate_by": {"resource": "appointments", "key": "a1"},
        "assertions": [{"path": "status", "expected": ["booked", "arrived"], "operator": "in"}],
    }
    run = clinic.run({"label": "results", "assertion": results}, {"label": "row", "assertion": row})
    box = clinic.get(f"/v1/task-runs/{run}")["playground_id"]
    clinic.post(f"/v1/playgrounds/{box}/events", {"type": "hl7_outbound", "payload": message})
    heard, seen = clinic.post(f"/v1/task-runs/{run}/complete")["criterion_runs"]
    assert [rule["passed"] for rule in heard["evidence"]["field_results"]] == [True, False, True], heard
    assert [rule["passed"] for rule in seen["evidence"]["assertionResults"]] == [True]
