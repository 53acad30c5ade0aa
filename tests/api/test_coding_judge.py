"""The judge of coding runs over HTTP, and grading again: each grading follows the one before it."""

import hashlib
import json
from collections.abc import Iterator

import httpx
import pytest

from assay.adapters.sources.source_guard import SourcePolicy, allowed_sources
from tests.api.clinic import Clinic, clinic_of, serve_on
from tests.api.coding import completed, seeded, uploaded, worked
from tests.coding import GUARD, PROJECT, TESTS
from tests.judge.cases import FAIL, said
from tests.servers.chat_server import Chat, Talk, chatting


@pytest.fixture
def allowing(where: str) -> Iterator[Clinic]:
    """A service whose operator allows judges on this machine."""
    policy = SourcePolicy(allowed_sources(["127.0.0.0/8"]))
    with serve_on(where, policy=policy) as served, httpx.Client(base_url=served.url, timeout=90) as client:
        yield clinic_of(served, client, "allowing")


def put_judge(clinic: Clinic, talk: Talk) -> None:
    told = {"url": talk.url, "models": ["careful-1"], "token": "s3cret"}
    found = clinic.ask("PUT", "/v1/judge", json=told)
    assert (found.status_code, found.json()) == (
        200,
        {"url": talk.url, "models": ["careful-1"], "has_token": True},
    )


def test_three_gates_that_disagree_and_a_judge_that_is_asked_again(allowing: Clinic) -> None:
    task = seeded(allowing, GUARD, user_instruction="Fix add().")
    with chatting(Chat(said(FAIL)), Chat(said())) as talk:
        put_judge(allowing, talk)
        found = completed(allowing, uploaded(allowing, task, final_response_md="All done, I promise."))
        assert (found["checks"], found["judge"], found["run_status"]) == ("PASS", "FAIL", "completed")
        assert (found["gates_disagree"], found["failure_mode"], found["score"]) == (True, "incomplete", 1.0)
        assert "All done, I promise." in talk.prompts[0]
        assert talk.headers[0]["Authorization"] == "Bearer s3cret"
        answer = allowing.ask("POST", f"/v1/runs/{found['id']}/gradings", json={"judge_only": True})
        assert (answer.status_code, answer.json()["kind"]) == (202, "grade_again")
        worked(allowing)
    first, second = allowing.get(f"/v1/runs/{found['id']}/gradings")
    canonical = json.dumps(first, sort_keys=True, separators=(",", ":")).encode()
    assert (second["number"], second["previous"]) == (2, hashlib.sha256(canonical).hexdigest())
    assert second["report"]["scorers"] == first["report"]["scorers"]
    assert (first["report"]["judge"]["state"], second["report"]["judge"]["state"]) == ("FAIL", "PASS")
    again = allowing.get(f"/v1/runs/{found['id']}")
    assert (again["judge"], again["gates_disagree"], again["checks"]) == ("PASS", False, "PASS")
    events = allowing.ask("GET", f"/v1/work/{answer.json()['id']}/events")
    assert events.text.startswith("event: done\n")


def test_a_judge_that_is_down_fails_nothing(allowing: Clinic) -> None:
    with chatting(Chat(status=404)) as talk:
        put_judge(allowing, talk)
        found = completed(allowing, uploaded(allowing, seeded(allowing, GUARD)))
    assert (found["judge"], found["checks"], found["score"]) == ("unparseable", "PASS", 1.0)


def test_the_key_of_a_judge_is_never_shown(allowing: Clinic) -> None:
    assert allowing.ask("GET", "/v1/judge").status_code == 404
    with chatting(Chat(said())) as talk:
        put_judge(allowing, talk)
    assert "s3cret" not in allowing.ask("GET", "/v1/judge", key="reader").text
    with allowing.service.store.writing() as connection:
        rows = connection.exec_driver_sql("SELECT * FROM judges").all()
    assert b"s3cret" not in b"".join(
        bytes(part) for row in rows for part in row if not isinstance(part, str | dict)
    )
    assert allowing.ask("DELETE", "/v1/judge").status_code == 204
    assert allowing.ask("DELETE", "/v1/judge").status_code == 404


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "169.254.169.254", "[::1]", "[::ffff:127.0.0.1]"])
def test_a_judge_can_not_be_the_service_itself(clinic: Clinic, host: str) -> None:
    told = {"url": f"http://{host}/v1", "models": ["m"]}
    found = clinic.ask("PUT", "/v1/judge", json=told)
    assert found.status_code == 422
    assert "address that sources must not have" in found.json()["error"]["message"]


def test_a_judge_that_moved_to_loopback_is_not_asked(clinic: Clinic) -> None:
    """The name of a host may lead elsewhere later, so each connection is checked again."""
    with chatting(Chat(said())) as talk:
        settings = {"url": talk.url, "models": ["m"]}
        clinic.service.coding.judges.put(clinic.organisation, settings, None)
        found = completed(clinic, uploaded(clinic, seeded(clinic, GUARD)))
        assert (found["judge"], talk.bodies) == ("unparseable", [])


def test_grading_again_by_the_same_frozen_scorers(clinic: Clinic) -> None:
    task = seeded(clinic)
    run = completed(clinic, uploaded(clinic, task, PROJECT))["id"]
    early = clinic.post(f"/v1/coding-tasks/{task}/runs", {"agent": "a"})["id"]
    for wish, why in (({}, "must be graded to be graded again"), ({"judge_only": True}, "there is no judge")):
        refused = clinic.ask("POST", f"/v1/runs/{early}/gradings", json=wish)
        assert refused.status_code == 409
        assert why in refused.json()["error"]["message"]
    assert clinic.ask("POST", "/v1/runs/run_0/gradings", json={}).status_code == 404
    first = clinic.ask("POST", f"/v1/runs/{run}/gradings", json={}).json()
    same = clinic.ask("POST", f"/v1/runs/{run}/gradings", json={}).json()
    assert first["id"] == same["id"]
    worked(clinic)
    one, two = clinic.get(f"/v1/runs/{run}/gradings")
    assert two["report"]["overall"] == one["report"]["overall"]
    assert (two["number"], two["diff_sha256"]) == (2, one["diff_sha256"])
    request = first["target"]
    coding, organisation = clinic.service.coding, clinic.organisation
    graded = coding.grader.grade(organisation, coding.runs.left_by_agent(organisation, run))
    coding.gradings.keep(organisation, run, graded, clinic.service.host.now(), request)
    assert len(clinic.get(f"/v1/runs/{run}/gradings")) == 2


def test_a_grading_that_broke_replaces_no_answers(clinic: Clinic) -> None:
    run = completed(clinic, uploaded(clinic, seeded(clinic, TESTS)))["id"]
    clinic.ask("POST", f"/v1/runs/{run}/gradings", json={})
    coding, organisation = clinic.service.coding, clinic.organisation
    graded = coding.grader.grade(organisation, coding.runs.left_by_agent(organisation, run))
    [row] = graded.report.scorers
    broken = row.model_copy(update={"verdict": type(row.verdict)("ERROR"), "score": None})
    overall = graded.report.overall
    assert overall is not None
    report = graded.report.model_copy(
        update={
            "scorers": [broken],
            "overall": overall.model_copy(update={"verdict": type(overall.verdict)("FAIL")}),
        }
    )
    request = coding.gradings.add_request(organisation, run, judge_only=False)
    made = type(graded)(graded.scenario, report, graded.diff, graded.turns)
    coding.gradings.keep(organisation, run, made, clinic.service.host.now(), request.id)
    worked(clinic)
    assert [one["report"]["overall"]["verdict"] for one in clinic.get(f"/v1/runs/{run}/gradings")] == [
        "PASS",
        "FAIL",
    ]
    assert (clinic.get(f"/v1/runs/{run}")["checks"], clinic.get(f"/v1/runs/{run}")["score"]) == ("PASS", 1.0)
