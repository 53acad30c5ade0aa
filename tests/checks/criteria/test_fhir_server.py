"""fhir-resource-state against a real FHIR server with official examples on it."""

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from assay.adapters.sources.bearer_tokens import fixed_token, from_environment
from assay.adapters.sources.fhir import FhirServer
from assay.adapters.sources.json_requests import Pace
from assay.core.errors import MeasurementError
from assay.core.outcome import Scored
from assay.engine.criteria.complete_run import check_of
from assay.engine.criteria.shared_state import SharedState
from assay.formats.fhirpath.infer import lint_dotted
from tests.checks.criteria.fake_state import FakeState
from tests.servers.fhir_server import EXAMPLES, TOKEN, CannotStartError, RunningServer, installed, running


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    try:
        with running() as started:
            yield started
    except CannotStartError as error:
        pytest.skip(str(error))


@pytest.fixture
def fhir(server: RunningServer) -> Iterator[FhirServer]:
    with FhirServer(server.base_url, fixed_token(TOKEN)) as source:
        yield source


def ask(fhir: FhirServer, start: datetime | None = None, **assertion: Any) -> Scored:
    state = SharedState(FakeState(fhir_source=fhir, run_start=start or datetime.now(UTC)), time=Pace())
    answer = check_of({"assert": "fhir-resource-state", **assertion}, {}).run(state)
    assert isinstance(answer, Scored)
    return answer


def booking(identity: str, **more: Any) -> dict[str, Any]:
    return {
        "resourceType": "Appointment",
        "id": identity,
        "status": "booked",
        "participant": [{"actor": {"reference": "Patient/example"}, "status": "accepted"}],
        **more,
    }


FIELDS = [
    (
        "Appointment",
        {"_id": "example"},
        {"path": "participant.0.actor.display", "expected": "Peter James Chalmers"},
    ),
    ("Appointment", {"_id": "example"}, {"path": "start", "expected": "2013-12-10", "operator": "startsWith"}),
    (
        "Appointment",
        {"_id": "example"},
        {"fhirpath": "participant.actor.display", "expected": 3, "operator": "count"},
    ),
    ("Appointment", {"status": "proposed"}, {"path": "id", "expected": "examplereq"}),
    (
        "Patient",
        {"family": "Chalmers"},
        {"fhirpath": "name.where(use = 'official').family", "expected": "Chalmers"},
    ),
    ("Patient", {"family": "Chalmers"}, {"fhirpath": "birthDate < @1975-01-01", "expected": True}),
    ("Patient", {"_id": "example"}, {"path": "deceasedBoolean", "expected": False}),
    ("Observation", {"code": "http://loinc.org|29463-7"}, {"path": "valueQuantity.value", "expected": 185}),
    ("Observation", {"_id": "example"}, {"fhirpath": "value.ofType(Quantity).unit", "expected": "lbs"}),
    (
        "Observation",
        {"_id": "blood-pressure"},
        {"fhirpath": "component.where(code.coding.exists(code = '8480-6')).value.value", "expected": 107},
    ),
    ("Coverage", {"_id": "9876B1"}, {"path": "status", "expected": "active"}),
    ("MedicationRequest", {"_id": "medrx0301"}, {"path": "subject.reference", "expected": "Patient/pat1"}),
    ("Encounter", {"status": "in-progress"}, {"path": "class.code", "expected": "IMP"}),
]


@pytest.mark.parametrize(("resource", "search", "rule"), FIELDS)
def test_fields_of_official_examples(
    fhir: FhirServer, resource: str, search: dict[str, Any], rule: dict[str, Any]
) -> None:
    answer = ask(fhir, resource_type=resource, search=search, fields=[rule])
    assert answer.passed, answer.evidence


def test_a_value_that_is_another_one(fhir: FhirServer) -> None:
    rule = {"path": "status", "expected": "cancelled"}
    answer = ask(fhir, resource_type="Appointment", id="example", fields=[rule])
    assert answer.evidence["fieldResults"] == [
        {"path": "status", "expected": "cancelled", "actual": "booked", "passed": False}
    ]


def test_a_read_of_what_is_not_there(fhir: FhirServer) -> None:
    assert ask(fhir, resource_type="Patient", id="nobody", exists=False).passed
    assert not ask(fhir, resource_type="Patient", id="nobody", exists=True).passed


def test_what_was_deleted_is_gone(server: RunningServer, fhir: FhirServer) -> None:
    server.put(booking("short-lived"))
    assert ask(fhir, resource_type="Appointment", id="short-lived", exists=True).passed
    server.delete("Appointment/short-lived")
    assert ask(fhir, resource_type="Appointment", id="short-lived", exists=False).passed


@pytest.mark.parametrize("per_page", [1, 2, 3, 7, 100])
def test_all_pages_are_read(server: RunningServer, fhir: FhirServer, per_page: int) -> None:
    names = {f"paged-{number}" for number in range(7)}
    for name in names:
        server.put({"resourceType": "Basic", "id": name, "code": {"text": "paged"}})
    found = [one["id"] for one in fhir.search("Basic", {"_count": per_page})]
    assert sorted(map(str, found)) == sorted(names)
    bounds = {"min": 7, "max": 7}
    assert ask(fhir, resource_type="Basic", search={"_count": per_page}, cardinality=bounds).passed
    assert not ask(fhir, resource_type="Basic", search={"_count": per_page}, cardinality={"max": 6}).passed


def test_what_was_there_before_the_run_does_not_count(server: RunningServer, fhir: FhirServer) -> None:
    server.put(booking("seeded", comment="since"))
    time.sleep(0.01)
    start = datetime.now(UTC)
    asked: dict[str, Any] = {
        "resource_type": "Appointment",
        "search": {},
        "where": "comment = 'since'",
        "fields": [{"path": "status", "expected": "booked"}],
        "since": "run_start",
    }
    assert not ask(fhir, start, **asked).passed
    time.sleep(0.01)
    made = server.post({key: value for key, value in booking("", comment="since").items() if key != "id"})
    answer = ask(fhir, start, **asked)
    assert (answer.passed, answer.evidence["matched"]) == (True, [f"Appointment/{made['id']}"])


def test_a_resource_that_was_changed_in_the_run_counts(server: RunningServer, fhir: FhirServer) -> None:
    server.put(booking("moved", status="booked"))
    time.sleep(0.01)
    start = datetime.now(UTC)
    rule = {"path": "status", "expected": "cancelled"}
    asked: dict[str, Any] = {"resource_type": "Appointment", "id": "moved", "fields": [rule], "since": "run_start"}
    assert ask(fhir, start, **asked).summary.startswith("there is no Appointment/moved")
    time.sleep(0.01)
    server.put(booking("moved", status="cancelled"))
    assert ask(fhir, start, **asked).passed


def test_the_latest_to_change(server: RunningServer, fhir: FhirServer) -> None:
    for identity, minutes in (("old", 10), ("new", 20)):
        server.put(booking(identity, comment="latest", minutesDuration=minutes))
        time.sleep(0.01)
    server.put(booking("old", comment="latest", minutesDuration=30))
    asked: dict[str, Any] = {"resource_type": "Appointment", "search": {}, "where": "comment = 'latest'"}
    rule = {"path": "minutesDuration", "expected": 30}
    assert ask(fhir, **asked, select="latest", fields=[rule]).evidence["resource"] == "Appointment/old"
    assert not ask(fhir, **asked, select="all", fields=[rule]).passed
    assert not ask(fhir, **asked, select="only", fields=[rule]).passed
    assert ask(fhir, **asked, select="any", fields=[{**rule, "expected": 20}]).passed


def test_what_shows_up_late(server: RunningServer, fhir: FhirServer) -> None:
    rule = {"path": "status", "expected": "booked"}
    asked: dict[str, Any] = {"resource_type": "Appointment", "id": "late", "fields": [rule]}
    assert not ask(fhir, **asked).passed
    timer = threading.Timer(0.4, server.put, [booking("late")])
    timer.start()
    try:
        assert ask(fhir, **asked, wait_s=10).passed
    finally:
        timer.join()


@pytest.mark.parametrize("token", [None, "another-token"])
def test_a_wrong_token_is_no_score(server: RunningServer, token: str | None) -> None:
    with (
        FhirServer(server.base_url, fixed_token(token) if token else None) as fhir,
        pytest.raises(MeasurementError, match="does not accept the token: Unauthorized") as caught,
    ):
        ask(fhir, resource_type="Patient", search={"family": "Chalmers"}, exists=True)
    assert "another-token" not in str(caught.value)
    assert "Chalmers" not in str(caught.value)


def test_a_token_from_the_environment(server: RunningServer) -> None:
    with FhirServer(server.base_url, from_environment("FHIR", {"FHIR": TOKEN})) as fhir:
        assert ask(fhir, resource_type="Patient", id="example", exists=True).passed


def test_a_base_url_that_is_none(server: RunningServer) -> None:
    wrong = server.base_url.replace("/fhir/R4", "/elsewhere")
    with (
        FhirServer(wrong, fixed_token(TOKEN)) as fhir,
        pytest.raises(MeasurementError, match="the server answers 404"),
    ):
        ask(fhir, resource_type="Patient", search={}, exists=False)


def test_without_node_it_is_said_why_there_is_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(CannotStartError, match="node and npm must be installed"):
        installed()


def paths(value: Any, before: tuple[str, ...] = ()) -> Iterator[str]:
    if before:
        yield ".".join(before)
    if isinstance(value, dict | list):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from paths(one, (*before, str(key)))


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_path_of_an_official_example_is_right(server: RunningServer, name: str) -> None:
    resource = server.example(name)
    wrong = {path: lint_dotted(path, resource["resourceType"]) for path in paths(resource)}
    assert {path: said for path, said in wrong.items() if said} == {}
