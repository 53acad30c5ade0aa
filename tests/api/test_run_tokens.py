"""What an agent could learn with its token, from all sides: nothing of others, and not what it is graded by."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx
import pytest

from assay.api.app import ROUTES
from assay.core.errors import MeasurementError
from assay.engine.service.keys import Owner, Scope, issue_key
from tests.api.clinic import Clinic, Served, clinic_of, portal, said, work_off

LATER = {"Prefer": "respond-async"}
SOURCE = "https://fhir.north.example"
# They differ from one answer to the next, whatever is asked.
OF_THE_ANSWER = {"date", "x-request-id"}


@dataclass(frozen=True)
class Agent:
    """A token, its task runs, and everything that it must not know of."""

    clinic: Clinic
    token: str
    runs: list[str]
    others: dict[str, str]

    def ask(self, method: str, path: str, **more: Any) -> httpx.Response:
        return self.clinic.ask(method, path, key=self.token, **more)


@pytest.fixture
def agent(clinic: Clinic, served: Served) -> Iterator[Agent]:
    tasks = [clinic.task(portal("status", "booked")), clinic.task(said("good morning"))]
    benchmark = clinic.benchmark(*tasks)
    made = clinic.post("/v1/benchmark-runs", {"benchmark": benchmark, "scored": True})
    for one in made["task_runs"]:
        clinic.fill(one["playground_id"])
    second = clinic.post("/v1/benchmark-runs", {"benchmark": benchmark, "scored": True})
    mine = clinic.run(portal("status", "booked"))
    clinic.post(f"/v1/task-runs/{mine}/complete", headers={"Idempotency-Key": "used"})
    with httpx.Client(base_url=served.url, timeout=60) as client:
        elsewhere = clinic_of(served, client, f"{clinic.organisation}2")
        others = {
            "a run of the same organisation": mine,
            "a run of another token": second["task_runs"][0]["id"],
            "a run of another organisation": elsewhere.run(portal("status", "booked")),
            "no run": "trun_0649a4f2c1b3e85d0c7f2a9b4e6d8c1f3a",
            "no id at all": "x",
        }
        yield Agent(clinic, made["token"], [one["id"] for one in made["task_runs"]], others)


def looks(answer: httpx.Response) -> tuple[Any, ...]:
    """Everything of an answer that a caller sees."""
    headers = {name: value for name, value in answer.headers.items() if name not in OF_THE_ANSWER}
    return answer.status_code, answer.content, sorted(headers.items())


@pytest.mark.parametrize("verb", ["start", "complete"])
@pytest.mark.parametrize("headers", [{}, LATER, {"Idempotency-Key": "used"}, {"Idempotency-Key": "new"}])
def test_runs_of_others_look_like_none(agent: Agent, verb: str, headers: dict[str, str]) -> None:
    seen = {
        who: looks(agent.ask("POST", f"/v1/task-runs/{run}/{verb}", headers=headers))
        for who, run in agent.others.items()
    }
    assert {one[0] for one in seen.values()} == {404}
    assert len({str(one) for one in seen.values()}) == 1, seen


def test_no_route_tells_whether_something_is_there(agent: Agent) -> None:
    """With the id of something that exists and with one that doesn't, by every method of every route."""
    for route in ROUTES:
        if Scope.RUN in route.scopes:
            continue
        path = "/v1" + route.path.replace("{version}", "1").replace("{kind}", "fhir").replace("{path:path}", "x")
        answers = {
            str(looks(agent.ask(route.method, path.replace("{id}", one), content=b"{}")))
            for one in (agent.runs[0], agent.others["a run of another organisation"], "x")
        }
        assert len(answers) == 1, (route.method, path, answers)
        assert "(403," in answers.pop()


def test_an_idempotency_key_of_another_does_not_show(agent: Agent) -> None:
    run = agent.runs[0]
    agent.ask("POST", f"/v1/task-runs/{run}/start")
    done = agent.ask("POST", f"/v1/task-runs/{run}/complete", headers={"Idempotency-Key": "used"})
    assert (done.status_code, done.json()["verdict"]) == (200, "pass")
    again = agent.ask("POST", f"/v1/task-runs/{run}/complete", headers={"Idempotency-Key": "used"})
    assert again.json() == done.json()
    other = agent.ask("POST", f"/v1/task-runs/{agent.runs[1]}/start")
    assert other.status_code == 200
    reused = agent.ask("POST", f"/v1/task-runs/{agent.runs[1]}/complete", headers={"Idempotency-Key": "used"})
    assert reused.status_code == 409, "its own keys are still its own"


@pytest.mark.parametrize("headers", [{}, LATER])
def test_a_source_that_is_down_is_not_named(agent: Agent, headers: dict[str, str]) -> None:
    def down(*_: Any, **__: Any) -> Any:
        raise MeasurementError(f"the FHIR server at {SOURCE} is down")

    object.__setattr__(agent.clinic.service, "grade", down)
    agent.ask("POST", f"/v1/task-runs/{agent.runs[0]}/start")
    path = f"/v1/task-runs/{agent.runs[0]}/complete"
    first = agent.ask("POST", path, headers=headers)
    if headers:
        service = agent.clinic.service
        assert work_off(service, dataclasses.replace(service.doing, grade=down))
    for answer in (first, agent.ask("POST", path, headers=headers)):
        assert answer.status_code == (202 if headers else 503)
        assert SOURCE not in answer.text
    if headers:
        work = agent.clinic.get(f"/v1/work/{first.json()['id']}")
        assert SOURCE in work["reason"], "the organisation is told"


def test_how_much_is_going_on_is_for_the_operator(agent: Agent) -> None:
    assert agent.clinic.client.get("/metrics").status_code == 401
    for key in (agent.token, "admin", "reader"):
        assert agent.clinic.ask("GET", "/metrics", key=key).status_code == 403
    keys = agent.clinic.service.keys
    mine = issue_key(keys, Owner("default"), Scope.READER, "numbers").secret
    assert agent.clinic.ask("GET", "/metrics", key=mine).status_code == 200


@pytest.mark.parametrize("how", ["revoke", "rotate"])
def test_a_token_that_was_taken_back_ends_at_once(agent: Agent, how: str) -> None:
    [identity] = [one["id"] for one in agent.clinic.get("/v1/keys")["data"] if _is_of(one, agent)]
    agent.ask("POST", f"/v1/task-runs/{agent.runs[0]}/start")
    told = agent.clinic.post(f"/v1/keys/{identity}/{how}")
    ended, nobody = (
        agent.clinic.ask("POST", f"/v1/task-runs/{agent.runs[0]}/complete", key=key)
        for key in (agent.token, "ask_nobody")
    )
    assert looks(ended) == looks(nobody)
    assert ended.status_code == 401
    if how == "rotate":
        done = agent.clinic.ask("POST", f"/v1/task-runs/{agent.runs[0]}/complete", key=told["secret"])
        assert done.status_code == 200


def _is_of(key: dict[str, Any], agent: Agent) -> bool:
    run = agent.clinic.get(f"/v1/task-runs/{agent.runs[0]}")["benchmark_run_id"]
    return key["benchmark_run_id"] == run and key["revoked_at"] is None


def test_a_token_ends_by_itself(clinic: Clinic) -> None:
    made = clinic.post("/v1/benchmark-runs", {"benchmark": clinic.benchmark(clinic.task()), "token_s": 1})
    path = f"/v1/task-runs/{made['task_runs'][0]['id']}/start"
    keys, host = clinic.service.keys, clinic.service.host
    ends = host.now() + timedelta(milliseconds=50)
    owner = Owner(clinic.organisation, made["benchmark_run"]["id"])
    short = issue_key(keys, owner, Scope.RUN, "short", ends).secret
    host.sleep(0.1)
    assert clinic.ask("POST", path, key=short).status_code == 401


def test_what_an_agent_does_is_noted_for_admins(agent: Agent) -> None:
    agent.ask("POST", f"/v1/task-runs/{agent.runs[0]}/start", headers={"X-Request-Id": "agent-1"})
    newest = agent.clinic.get("/v1/audit")["data"][0]
    assert (newest["action"], newest["target"], newest["request_id"]) == ("start", agent.runs[0], "agent-1")
    named = {one["id"]: one["name"] for one in agent.clinic.get("/v1/keys")["data"]}
    assert named[newest["key_id"]].startswith("run brun_")
    for key in ("grader", "reader", agent.token):
        assert agent.clinic.ask("GET", "/v1/audit", key=key).status_code == 403
