"""Setting the service up, reviewing and editing with plain forms, as somebody without scripts does."""

import json
import re
from urllib.parse import urlsplit

import httpx
import pytest

from assay.api.pages.criterion_examples import ASSERTIONS, MEANINGS
from assay.engine.criteria.complete_run import check_of, kinds
from assay.engine.service.keys import Scope
from assay.evidence.run import State
from tests.api.clinic import work_off
from tests.web.clinic_day import CRITERIA, Api
from tests.web.people import Desk, Person


@pytest.fixture(scope="module")
def api(desk: Desk) -> Api:
    return Api(desk)


@pytest.fixture(scope="module")
def admin(desk: Desk) -> Person:
    return desk.client(Scope.ADMIN)


def place_of(answer: httpx.Response) -> str:
    """Where a change leads to, below the base."""
    assert answer.status_code == 303, answer.text
    return urlsplit(answer.headers["location"]).path.removeprefix("/ui/")


def test_every_kind_of_assertion_has_an_example_that_can_be_used() -> None:
    assert list(MEANINGS) == list(ASSERTIONS) == kinds()
    for kind, assertion in ASSERTIONS.items():
        assert check_of(assertion, {}).kind == kind


def test_a_task_with_a_criterion_that_is_tried_and_changed(admin: Person, api: Api) -> None:
    wrong = admin.post("tasks", {"name": "", "data": "{"})
    assert wrong.status_code == 422
    assert "must be given" in wrong.text or "must not be empty" in wrong.text
    place = place_of(admin.post("tasks", {"name": "book", "instruction": "Book.", "data": '{"who": "00412"}'}))
    playground = api.post("/playgrounds")["id"]
    api.fill(playground)
    entered = {
        "label": "booked",
        "weight": "2",
        "axis": "correctness",
        "assertion": json.dumps(
            {
                "assert": "portal-state-match",
                "correlate_by": {"resource": "appointments", "key": "visit-9"},
                "assertions": [{"path": "patient.mrn", "expected": "{{who}}"}],
            }
        ),
    }
    tried = admin.post(f"{place}/criterion", {**entered, "action": "try", "playground": playground})
    assert tried.status_code == 200
    assert "Tried:" in tried.text
    assert "00412" in tried.text
    assert "Without criteria, every run" in admin.get(place).text
    broken = admin.post(f"{place}/criterion", {**entered, "action": "try", "playground": "play_of_nobody"})
    assert "there is no such playground" in broken.text
    unusable = admin.post(f"{place}/criterion", {**entered, "assertion": '{"assert": "x"}', "action": "save"})
    assert unusable.status_code == 422
    assert "unsupported assertion" in unusable.text
    assert place_of(admin.post(f"{place}/criterion", {**entered, "action": "save"})) == place
    [criterion] = api.ask("GET", f"/{place}/criteria")["data"]
    assert (criterion["label"], criterion["weight"]) == ("booked", 2)
    changed = admin.post(f"criteria/{criterion['id']}", {**entered, "label": "booked well", "action": "save"})
    assert place_of(changed) == place
    [again] = api.ask("GET", f"/{place}/criteria")["data"]
    assert (again["id"], again["label"]) == (criterion["id"], "booked well")
    assert place_of(admin.post(place, {"name": "book a visit", "data": "{}"})) == place
    assert [one["label"] for one in api.ask("GET", f"/{place}/criteria")["data"]] == ["booked well"]
    admin.post(f"criteria/{criterion['id']}/remove")
    assert api.ask("GET", f"/{place}/criteria")["data"] == []


def test_a_benchmark_is_added_frozen_and_run_and_its_token_is_shown_once(admin: Person, api: Api) -> None:
    tasks = [api.task("one"), api.task("two")]
    assert place_of(admin.post("benchmarks", {"slug": "set-up"})) == "benchmarks/set-up"
    assert "there is a benchmark" in admin.post("benchmarks", {"slug": "set-up"}).text
    assert "choose at least one task" in admin.post("benchmarks/set-up/versions").text
    client, data = admin.client, {"token": admin.token(), "task": tasks}
    assert client.post("/ui/benchmarks/set-up/versions", data=data).status_code == 303
    begun = admin.post("benchmark-runs", {"benchmark": "set-up@1", "scored": "on"})
    shown = admin.get(place_of(begun))
    assert re.search(r"ask_[\w-]+", shown.text) is not None
    assert shown.headers["cache-control"] == "no-store"
    run = api.ask("GET", "/benchmark-runs")["data"][0]
    assert run["scored"]
    again = admin.get(f"benchmark-runs/{run['id']}").text
    assert "ask_" not in again
    assert "once every task run has ended" in again


def test_keys_are_shown_once(admin: Person, api: Api) -> None:
    assert place_of(admin.post("keys", {"name": "for the tests", "scope": "reader"})) == "keys"
    secret = re.search(r"ask_[\w-]+", admin.get("keys").text)
    assert secret is not None
    count = len(api.ask("GET", "/keys")["data"])
    assert "ask_" not in admin.get("keys").text  # Loading the page again shows nothing and makes nothing.
    assert len(api.ask("GET", "/keys")["data"]) == count
    key = next(one for one in api.ask("GET", "/keys")["data"] if one["name"] == "for the tests")
    rotated = admin.post(f"keys/{key['id']}/rotate")
    shown = admin.get(place_of(rotated)).text
    assert re.search(r"ask_[\w-]+", shown) is not None
    assert secret[0] not in shown
    newest = next(one for one in api.ask("GET", "/keys")["data"] if one["revoked_at"] is None)
    assert place_of(admin.post(f"keys/{newest['id']}/revoke")) == "keys"
    assert "must have the scope run" in admin.post("keys", {"name": "x", "scope": "run"}).text
    assert "add key" in admin.get("audit").text


def test_a_playground_with_records_and_a_source_whose_secret_is_never_shown(admin: Person, api: Api) -> None:
    place = place_of(admin.post("playgrounds", {"data": '{"a": 1}'}))
    lines = '{"record": "row", "resource": "r", "key": "k", "data": {"colour": "green"}}'
    assert place_of(admin.post(f"{place}/records", {"records": lines})) == place
    refused = admin.post(f"{place}/records", {"records": f'{lines}\n{{"record": "tune"}}'})
    assert refused.status_code == 422
    assert "line:2: record must be one of" in refused.text
    assert "green" in admin.get(place).text
    source = {"fhir.url": "https://fhir.example/r4", "fhir.token": "very-secret"}
    assert place_of(admin.post(f"{place}/sources/fhir", source)) == place
    settings, sealed = api.desk.service.playgrounds.sources_of(place.rpartition("/")[2])["fhir"]
    assert settings == {"url": "https://fhir.example/r4"}
    assert sealed is not None
    shown = admin.get(place).text
    assert "https://fhir.example/r4" in shown
    assert "with a secret" in shown
    assert "very-secret" not in shown
    for kind, entered in (
        ("fhir", {"fhir.url": "nonsense", "fhir.token": "quite-secret"}),
        ("files", {"files.url": "file:///etc", "files.credentials": '{"ASSAY_SFTP_PASSWORD": "quite-secret"}'}),
    ):
        wrong = admin.post(f"{place}/sources/{kind}", entered)
        assert wrong.status_code == 422
        assert "quite-secret" not in wrong.text
    assert place_of(admin.post(f"{place}/sources/fhir/remove")) == place
    assert api.ask("GET", f"/{place}/sources") == []


def test_a_task_run_is_created_started_and_graded_from_pages(admin: Person, api: Api) -> None:
    task = api.task("graded by hand")
    playground = api.post("/playgrounds")["id"]
    api.fill(playground)
    place = place_of(admin.post("task-runs", {"task_id": task, "playground_id": playground}))
    early = admin.post(f"{place}/complete")
    assert early.status_code == 409
    assert "must be started" in early.text
    assert place_of(admin.post(f"{place}/start")) == place
    assert place_of(admin.post(f"{place}/complete")) == place
    text = admin.get(place).text
    assert "0.8333" in text
    for criterion in CRITERIA:
        assert str(criterion["label"]) in text
    assert admin.post(f"{place}/cancel").status_code == 409


def test_a_review_without_scripts(desk: Desk, api: Api) -> None:
    first, second = api.runs("plain__1", "plain__2", job="plain")
    grader = desk.client(Scope.GRADER)
    query = "job=plain&reviewer=Ana+B"
    queue = grader.get(f"review?{query}").text
    assert "Begin with plain__2" in queue
    wrong = grader.post(f"review/runs/{second}?{query}", {"judgment": "maybe"})
    assert wrong.status_code == 422
    assert "judgment must be" in wrong.text
    told = {"judgment": "fail", "categories": "wrong unit, unsafe", "notes": "no", "discipline": "nurse"}
    assert place_of(grader.post(f"review/runs/{second}?{query}", told)) == f"review/runs/{first}"
    [note] = api.ask("GET", f"/runs/{second}/annotations")["data"]
    assert (note["reviewer_id"], note["judgment"], note["categories"]) == (
        "Ana B",
        "fail",
        ["wrong unit", "unsafe"],
    )
    assert (note["reviewer_discipline"], note["notes"]) == ("nurse", "no")
    assert "Begin with plain__1" in grader.get(f"review?{query}").text
    assert "contradicts" in grader.get(f"review/runs/{second}?{query}").text


def test_a_blind_queue_shows_no_verdict_before_the_reviewer_has_decided(desk: Desk, api: Api) -> None:
    [run] = api.runs("blind__1", job="blind", state=State.FAILED, score=0.125, checks="FAIL", judge="FAIL")
    api.post(f"/runs/{run}/annotations", {"reviewer_id": "cy", "judgment": "pass", "notes": "looks good to me"})
    grader = desk.client(Scope.GRADER)
    query = "job=blind&reviewer=ana&blind=on"
    for place in (f"review?{query}", f"review/runs/{run}?{query}"):
        text = grader.get(place).text
        for word in ("0.125", "looks good to me", "FAIL", "disagree<"):
            assert word not in text, (place, word)
    decided = grader.post(f"review/runs/{run}?{query}", {"judgment": "fail"})
    assert place_of(decided) == f"review/runs/{run}"
    after = grader.get(f"review/runs/{run}?{query}").text
    assert "0.125" in after
    assert "looks good to me" in after


def test_the_agreement_page_has_its_counts_and_leads_to_the_runs(desk: Desk, api: Api) -> None:
    runs = api.runs("agree__1", "agree__2", "agree__3", job="agree")
    for run, ana, ben in zip(runs, ("pass", "fail", "pass"), ("pass", "fail", "fail"), strict=True):
        for who, judgment in (("ana", ana), ("ben", ben)):
            api.post(f"/runs/{run}/annotations", {"reviewer_id": who, "judgment": judgment})
    text = desk.client(Scope.READER).get("review/agreement?job=agree").text
    for word in (
        "Cohen&#39;s kappa",
        "Krippendorff&#39;s alpha",
        "percent agreement",
        "0.667",
        "3 runs with both",
    ):
        assert word in text
    assert "/ui/runs?job=agree&amp;checks=PASS&amp;judge=FAIL" in text


EMPTY_ROW = {"row": "0", "row.0.was": "command", "row.0.type": "command", "row.0.name": "tests"}


def test_the_editor_without_scripts(admin: Person, api: Api) -> None:
    entered = {"name": "by hand", "workspace_seed.type": "empty", **EMPTY_ROW}
    more = admin.post("scenarios/new", {**entered, "action": "add:no_new_skips"}).text
    assert 'name="row.1.type"' in more
    refused = admin.post("scenarios/new", {**entered, "action": "save"})
    assert refused.status_code == 422
    assert "must be given, got nothing" in refused.text
    retyped = admin.post("scenarios/new", {**entered, "row.0.type": "max_files_changed", "action": "show"}).text
    assert 'name="row.0.limit"' in retyped
    done = {**entered, "row.0.tests": "pytest", "row.0.required": "on", "action": "save"}
    place = place_of(admin.post("scenarios/new", done))
    kept = api.ask("GET", f"/{place}")["scenario"]
    assert [(one["type"], one["tests"]) for one in kept["scorers"]] == [("command", "pytest")]
    git = admin.post("scenarios/new", {**done, "workspace_seed.type": "git", "workspace_seed.repository": "/etc"})
    assert git.status_code == 422


def test_a_seeded_task_shows_its_frozen_copy_and_that_the_scenario_has_moved_on(admin: Person, api: Api) -> None:
    place = f"scenarios/{api.scenario('frozen')}"
    task = place_of(admin.post(f"{place}/seed"))
    work_off(api.desk.service)
    before = admin.get(task).text
    assert "max_files_changed" in before
    assert "has moved on" not in before
    scenario = api.ask("GET", f"/{place}")["scenario"]
    api.ask("PUT", f"/{place}", {**scenario, "scorers": [{"type": "max_files_changed", "limit": 99}]})
    after = admin.get(task).text
    assert "The scenario has moved on" in after
    assert "&#34;limit&#34;: 3" in after
    assert "the scenario has moved on" in admin.get(place).text
    assert place_of(admin.post(f"{place}/remove")) == "scenarios"
