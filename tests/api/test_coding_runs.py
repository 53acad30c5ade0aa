"""Coding runs over HTTP: uploads are graded by frozen scorers, once, and a broken measurement is no zero."""

from tests.api.clinic import Clinic, work_off
from tests.api.coding import DONE, completed, packed, seeded, uploaded, worked
from tests.coding import PROJECT, TESTS

ENDED = [{"exit_code": 0, "duration_sec": 12.5}]


def test_a_run_is_graded_by_what_was_sent(clinic: Clinic) -> None:
    task = seeded(clinic, user_instruction="Fix add().")
    good = completed(clinic, uploaded(clinic, task, final_response_md="I fixed the subtraction."), turns=ENDED)
    assert (good["kind"], good["state"], good["score"]) == ("coding", "passed", 1.0)
    assert (good["checks"], good["judge"], good["run_status"]) == ("PASS", "NOT APPLICABLE", "completed")
    assert (good["agent"], good["model"], good["duration_sec"]) == ("ana", "big-1", 12.5)
    assert (good["run_metrics_passed"], good["cause"]) == (True, None)
    bad = completed(clinic, uploaded(clinic, task, PROJECT), turns=ENDED)
    assert (bad["state"], bad["rewards"], bad["score"], bad["checks"]) == ("failed", {"reward": 0.0}, 0.0, "FAIL")
    [grading] = clinic.get(f"/v1/runs/{good['id']}/gradings")
    frozen = clinic.get(f"/v1/coding-tasks/{task}")
    assert grading["report"]["provenance"]["scenario_sha256"] == frozen["scenario_sha256"]
    assert grading["report"]["provenance"]["isolation"] == "bubblewrap"
    assert (grading["number"], grading["previous"], grading["task"]) == (1, None, task)
    assert [row["verdict"] for row in grading["report"]["scorers"]] == ["PASS", "PASS"]
    assert grading["report"]["workspace"]["changed"][0]["path"] == "calc.py"


def test_completing_twice_grades_once(clinic: Clinic) -> None:
    run = uploaded(clinic, seeded(clinic))
    first = clinic.ask("POST", f"/v1/coding-runs/{run}/complete", json={"turns": ENDED})
    second = clinic.ask("POST", f"/v1/coding-runs/{run}/complete", json={"status": "failed"})
    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json()["work"]["id"] == second.json()["work"]["id"]
    worked(clinic)
    third = clinic.ask("POST", f"/v1/coding-runs/{run}/complete", json={})
    assert (third.status_code, third.json()["work"], third.json()["run"]["state"]) == (200, None, "graded")
    assert third.json()["run"]["ending"]["status"] == "completed"
    assert len(clinic.get(f"/v1/runs/{run}/gradings")) == 1


def test_work_that_is_done_twice_grades_once(clinic: Clinic) -> None:
    """As when a worker dies between the grading and the note that it is done."""
    run = uploaded(clinic, seeded(clinic))
    clinic.ask("POST", f"/v1/coding-runs/{run}/complete", json={})
    coding, organisation = clinic.service.coding, clinic.organisation
    graded = coding.grader.grade(organisation, coding.runs.left_by_agent(organisation, run))
    for _ in range(2):
        coding.gradings.keep(organisation, run, graded, clinic.service.host.now())
    worked(clinic)
    assert [one["number"] for one in clinic.get(f"/v1/runs/{run}/gradings")] == [1]


def test_what_was_completed_takes_no_more_files(clinic: Clinic) -> None:
    run = uploaded(clinic, seeded(clinic))
    clinic.ask("POST", f"/v1/coding-runs/{run}/complete", json={})
    for path in ("workspace", "files/trajectory.json"):
        late = clinic.ask("PUT", f"/v1/coding-runs/{run}/{path}", content=b"{}")
        assert late.status_code in (409, 422), late.text
    late = clinic.ask("PUT", f"/v1/coding-runs/{run}/files/trajectory.json", content=b"{}")
    assert late.json()["error"]["message"] == "the coding run takes no more files: it is grading"
    assert clinic.ask("POST", f"/v1/coding-runs/{run}/cancel").status_code == 409
    worked(clinic)


def test_a_run_without_a_workspace(clinic: Clinic) -> None:
    task = seeded(clinic)
    run = clinic.post(f"/v1/coding-tasks/{task}/runs", {"agent": "ana"})["id"]
    early = clinic.ask("POST", f"/v1/coding-runs/{run}/complete", json={})
    assert (early.status_code, early.json()["error"]["message"]) == (
        409,
        "the workspace must be sent before the coding run is completed",
    )
    found = completed(clinic, run, status="failed")
    assert (found["state"], found["score"], found["rewards"]) == ("broken", None, None)
    assert (found["cause"], found["run_status"], found["checks"]) == ("machine", "failed", None)


def test_a_cancelled_run_is_never_graded(clinic: Clinic) -> None:
    run = uploaded(clinic, seeded(clinic))
    assert clinic.post(f"/v1/coding-runs/{run}/cancel")["state"] == "cancelled"
    assert clinic.ask("POST", f"/v1/coding-runs/{run}/complete", json={}).status_code == 409
    listed = clinic.get(f"/v1/runs/{run}")
    assert (listed["state"], listed["score"]) == ("cancelled", None)
    assert clinic.get(f"/v1/runs/{run}/gradings") == []


def test_a_broken_measurement_is_no_zero(clinic: Clinic) -> None:
    """A runner that can't start, before and after the agent worked, says nothing about the agent."""
    missing = {**TESTS, "command": "no-such-runner --all"}
    found = completed(clinic, uploaded(clinic, seeded(clinic, missing)))
    assert (found["state"], found["score"], found["checks"]) == ("broken", None, "FAIL")
    assert found["cause"] == "machine"


def test_an_agent_that_ran_out_of_time_was_run_to_its_end(clinic: Clinic) -> None:
    late = [{"exit_code": None, "timed_out": True, "duration_sec": 61}]
    task = seeded(clinic, limits={"time_s": 60})
    found = completed(clinic, uploaded(clinic, task), turns=late)
    assert (found["score"], found["run_status"], found["run_metrics_passed"]) == (1.0, "completed", False)


def test_a_sandbox_that_is_gone_leaves_the_run_to_be_graded(clinic: Clinic) -> None:
    run = uploaded(clinic, seeded(clinic))
    answer = clinic.ask("POST", f"/v1/coding-runs/{run}/complete", json={}).json()
    sandbox = clinic.service.coding.sandbox
    working = sandbox._found
    sandbox._found = "it is gone"
    try:
        assert not work_off(clinic.service)
    finally:
        sandbox._found = working
    assert clinic.get(f"/v1/work/{answer['work']['id']}")["tries"] == 0
    assert clinic.get(f"/v1/coding-runs/{run}")["state"] == "grading"
    worked(clinic)
    assert clinic.get(f"/v1/runs/{run}")["score"] == 1.0


def test_turns_have_logs_of_their_own(clinic: Clinic) -> None:
    task = seeded(clinic, user_instruction="Fix add().", turns=["And now say why."])
    run = clinic.post(f"/v1/coding-tasks/{task}/runs", {"agent": "ana"})["id"]
    clinic.ask("PUT", f"/v1/coding-runs/{run}/workspace", content=packed(DONE))
    for number, text in enumerate(("Fixed.", "It subtracted."), 1):
        path = f"/v1/coding-runs/{run}/files/turn-{number}/final_response.md"
        assert clinic.ask("PUT", path, content=text).status_code == 200
    completed(clinic, run, turns=[*ENDED, *ENDED])
    [grading] = clinic.get(f"/v1/runs/{run}/gradings")
    assert [one["turn"] for one in grading["turns"]] == ["turn-1", "turn-2"]
    assert clinic.get(f"/v1/runs/{run}")["duration_sec"] == 25.0


def test_paths_of_logs(clinic: Clinic) -> None:
    run = uploaded(clinic, seeded(clinic))
    odd = ("a//b", ".hidden", "a/%2e%2e/b", "%2e%2e/x", "a%00b", "x" * 200, "a%5cb", "caf%C3%A9", "a/b/c/d/e/f/g")
    for path in odd:
        found = clinic.ask("PUT", f"/v1/coding-runs/{run}/files/{path}", content=b"x")
        assert found.status_code == 422, (path, found.text)
    assert clinic.get(f"/v1/coding-runs/{run}")["files"] == []


def test_a_log_is_a_file_or_a_folder(clinic: Clinic) -> None:
    run = uploaded(clinic, seeded(clinic), stdout_txt="hello")
    both = clinic.ask("PUT", f"/v1/coding-runs/{run}/files/stdout.txt/more", content=b"x")
    assert (both.status_code, both.json()["error"]["code"]) == (409, "conflict")
