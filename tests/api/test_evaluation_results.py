"""EvaluationResults over HTTP: the document's rules hold, and a missing reward is no zero."""

from typing import Any

import pytest

from tests.api.clinic import Clinic, portal
from tests.api.coding import completed, seeded, uploaded

VALID = {"output_parseable": True, "schema_valid": True, "verifier_completed": True, "errors": []}


def trial(name: str = "a__1", **more: object) -> dict[str, Any]:
    return {"trial": {"job": "nightly", "name": name, "task": "dose", "agent": "ana"}, **more}


def test_a_result_as_it_is(clinic: Clinic) -> None:
    result = {"reward": 0.75, "validity": VALID, "breakdown": {"units": 0.5, "dose": 1}}
    made = clinic.post("/v1/evaluation-results", trial(result=result), key="grader")
    assert (made["origin"], made["result"]["reward"], made["reason_code"]) == ("given", 0.75, None)
    run = clinic.get(f"/v1/runs/{made['run_id']}")
    assert (run["kind"], run["score"], run["state"], run["validity"]) == ("trial", 0.75, "partial", "valid")
    assert clinic.get(f"/v1/evaluation-results/{made['id']}") == made
    again = clinic.post("/v1/evaluation-results", {"run_id": made["run_id"], "result": result})
    listed = clinic.get("/v1/evaluation-results", params={"run_id": made["run_id"]})["data"]
    assert listed == [again, made]
    other = {**result, "reward": 0.5}
    assert clinic.ask("POST", "/v1/evaluation-results", json=trial(result=other)).status_code == 409


@pytest.mark.statement("evaluation.unparseable-forbids-reward")
def test_output_that_can_not_be_parsed_forbids_a_reward(clinic: Clinic) -> None:
    result = {"reward": 0.5, "validity": {**VALID, "output_parseable": False}}
    found = clinic.ask("POST", "/v1/evaluation-results", json=trial(result=result))
    assert found.status_code == 422
    assert "the output can't be parsed, so the reward must be 0, got 0.5" in found.json()["error"]["message"]
    assert clinic.get("/v1/runs")["data"] == []


def test_what_a_verifier_wrote(clinic: Clinic) -> None:
    wrote = {"reward_json": '{"reward": 0.75}', "details_json": '{"units": 0.5, "dose": 1}'}
    made = clinic.post("/v1/evaluation-results", trial(verifier=wrote))
    assert (made["origin"], made["result"]["reward"], made["result"]["validity"]) == ("verifier", 0.75, VALID)
    assert made["result"]["breakdown"] == {"units": 0.5, "dose": 1}


MISSING = [
    ({}, "reward_missing"),
    ({"reward_json": ""}, "reward_empty"),
    ({"reward_json": "{"}, "reward_malformed"),
    ({"reward_json": '{"reward": true}'}, "reward_boolean"),
    ({"reward_json": '{"reward": 1.5}'}, "reward_out_of_range"),
    ({"reward_json": '{"reward": 1}', "timed_out": True, "exit_code": None}, "reward_before_time_out"),
]


def test_a_reward_that_is_missing_is_no_zero(clinic: Clinic) -> None:
    for number, (wrote, reason) in enumerate(MISSING):
        made = clinic.post("/v1/evaluation-results", trial(f"a__{number}", verifier=wrote))
        assert (made["reason_code"], made["result"]["reward"]) == (reason, 0.0)
        assert made["result"]["validity"]["verifier_completed"] is False
        run = clinic.get(f"/v1/runs/{made['run_id']}")
        assert (run["state"], run["score"], run["rewards"]) == ("unusable", 0.0, None)
        assert (run["reason"], run["cause"]) == (reason, None)
    zero = clinic.post("/v1/evaluation-results", trial("zero", verifier={"reward_json": '{"reward": 0}'}))
    assert clinic.get(f"/v1/runs/{zero['run_id']}")["score"] == 0.0


def test_what_is_refused(clinic: Clinic) -> None:
    result = {"reward": 1.0, "validity": VALID}
    for body, why in (
        ({"result": result}, "must have either run_id or trial"),
        (trial(), "must have either result or verifier"),
        (trial(result=result, verifier={}), "must have either result or verifier"),
        (trial(result={**result, "reward": 2}), "reward"),
        (trial(result={**result, "colour": 1}), "colour"),
    ):
        found = clinic.ask("POST", "/v1/evaluation-results", json=body)
        assert found.status_code == 422, found.text
        assert why in found.json()["error"]["message"]
    unknown = {"run_id": "run_0", "result": result}
    assert clinic.ask("POST", "/v1/evaluation-results", json=unknown).status_code == 404


def test_annotations_on_every_kind_of_run(clinic: Clinic) -> None:
    """Trials, coding runs and task runs that ended are runs, and reviewers speak about all of them alike."""
    task_run = clinic.run(portal("status", "booked"))
    clinic.post(f"/v1/task-runs/{task_run}/complete")
    of_trial = clinic.post("/v1/evaluation-results", trial(verifier={"reward_json": '{"reward": 1}'}))["run_id"]
    coding = completed(clinic, uploaded(clinic, seeded(clinic)))["id"]
    body = {"reviewer_id": "ana", "judgment": "fail", "categories": ["wrong unit"]}
    for run in (f"task-runs/{task_run}", f"runs/{of_trial}", f"runs/{coding}"):
        made = clinic.post(f"/v1/{run}/annotations", body, key="grader")
        assert clinic.get(f"/v1/{run}/annotations")["data"] == [made]
        shown = clinic.get(f"/v1/runs/{made['run_id']}")
        assert (shown["reviewers"], shown["reviewer_disagrees"], shown["state"]) == (1, True, "passed")
    going_on = clinic.run(portal("status", "booked"))
    assert clinic.ask("POST", f"/v1/task-runs/{going_on}/annotations", json=body).status_code == 409
    assert clinic.ask("POST", "/v1/task-runs/trun_0/annotations", json=body).status_code == 404
