"""Servers that ignore a search parameter: what they found too much never counts."""

from typing import Any

import pytest

from assay.adapters.sources.fhir import FhirServer
from assay.core.errors import MeasurementError
from assay.formats.fhir.past import is_simple, recheck
from tests.servers.scripted_server import Reply, scripted


def observation(identity: str, **more: Any) -> dict[str, Any]:
    return {
        "resourceType": "Observation",
        "id": identity,
        "status": "final",
        "code": {"coding": [{"system": "http://loinc.org", "code": "8480-6"}]},
        "subject": {"reference": "Patient/p1"},
        "effectiveDateTime": "2025-07-14T10:00:00Z",
        "identifier": [{"system": "urn:x", "value": "A1"}],
        **more,
    }


def page(*resources: dict[str, Any], own: str | None = None, issues: list[dict[str, Any]] | None = None) -> Any:
    entries: list[Any] = [{"resource": one, "search": {"mode": "match"}} for one in resources]
    if issues is not None:
        outcome = {"resourceType": "OperationOutcome", "issue": issues}
        entries.append({"resource": outcome, "search": {"mode": "outcome"}})
    link = [] if own is None else [{"relation": "self", "url": own}]
    return {"resourceType": "Bundle", "type": "searchset", "entry": entries, "link": link}


def found(body: Any, **parameters: Any) -> list[object]:
    with scripted(Reply(body=body)) as script, FhirServer(script.url) as server:
        return [one["id"] for one in server.search("Observation", parameters)]


@pytest.mark.parametrize(
    ("name", "value", "other"),
    [
        ("_id", "1", {}),
        ("status", "final", {"status": "cancelled"}),
        ("status", "amended,final", {"status": "cancelled"}),
        ("status", "final", {"status": None}),
        ("patient", "p1", {"subject": {"reference": "Patient/p2"}}),
        ("patient", "Patient/p1", {"subject": {"reference": "Patient/p2"}}),
        ("subject", "Patient/p1", {"subject": {"reference": "http://h.example/r4/Patient/p2"}}),
        ("identifier", "urn:x|A1", {"identifier": [{"system": "urn:y", "value": "A1"}]}),
        ("identifier", "A1", {"identifier": [{"value": "A2"}]}),
        ("identifier", "A1", {"identifier": None}),
        ("code", "http://loinc.org|8480-6", {"code": {"coding": [{"code": "8462-4"}]}}),
        ("code", "8480-6", {"code": {"coding": [{"code": "8462-4"}]}}),
        ("date", "2025-07-14", {"effectiveDateTime": "2025-07-17"}),
        ("date", "2025-07", {"effectiveDateTime": "2024"}),
    ],
)
def test_simple_parameters_are_checked_again(name: str, value: str, other: dict[str, Any]) -> None:
    body = page(observation("1"), observation("2", **other))
    assert found(body, **{name: value}) == ["1"]


@pytest.mark.parametrize(
    ("name", "value", "match"),
    [
        ("patient", "p1", {"subject": {"reference": "http://h.example/r4/Patient/p1/_history/3"}}),
        ("patient", "p1", {"subject": {"identifier": {"value": "7"}}}),
        ("identifier", "a1", {}),
        ("identifier", "urn:x|", {}),
        ("status", "http://hl7.org/fhir/observation-status|final", {}),
        ("date", "2025-07-14", {"effectiveDateTime": "2025-07-15T00:30:00+02:00"}),
        ("date", "2025-07-14", {"effectiveDateTime": None, "effectivePeriod": {"start": "2020"}}),
        ("date", "ge2026", {}),
        ("code:in", "http://x/vs", {}),
    ],
)
def test_what_the_server_may_know_better_is_kept(name: str, value: str, match: dict[str, Any]) -> None:
    assert found(page(observation("1", **match)), **{name: value}) == ["1"]


@pytest.mark.parametrize(
    ("search", "fits"),
    [
        ({"family": "ruz"}, True),
        ({"family": "Smith"}, False),
        ({"given": "ana"}, True),
        ({"name": "MARIA"}, True),
        ({"name": "Ruz,Smith"}, True),
        ({"birthdate": "1980-02-03"}, True),
        ({"birthdate": "1981"}, False),
        ({"gender": "male"}, False),
    ],
)
def test_people(search: dict[str, object], fits: bool) -> None:
    name = [{"family": "R\u00faz", "given": ["Ana Maria"]}]
    patient = {"resourceType": "Patient", "name": name, "birthDate": "1980-02-03", "gender": "female"}
    assert recheck("Patient", search)(patient) is fits
    assert not is_simple("Flag", "date", "2025-01-01")


@pytest.mark.parametrize(
    ("own", "parameters"),
    [
        ("{base}/Observation?status=final", {"combo-code": "8480-6"}),
        ("{base}/Observation?_count=200", {"combo-code": "8480-6"}),
        ("{base}/Observation", {"combo-code": "8480-6"}),
        ("{base}/Observation?combo-code=8480-6", {"combo-code:text": "8480-6"}),
    ],
)
def test_a_server_that_says_it_did_not_use_a_parameter(own: str, parameters: dict[str, Any]) -> None:
    body = page(observation("1"), own=own.replace("{base}", "http://h.example/r4"))
    with pytest.raises(MeasurementError, match="the server ignored the search parameter 'combo-code"):
        found(body, **parameters)


@pytest.mark.parametrize(
    "own",
    [
        "http://h.example/r4/Observation?combo-code=8480-6&_count=200",
        "http://h.example/r4/Observation?combo-code:exact=8480-6",
        "http://h.example/r4?_getpages=77",
        "http://h.example/r4",
        "http://[",
        None,
    ],
)
def test_a_server_that_used_it_or_does_not_say(own: str | None) -> None:
    assert found(page(observation("1"), own=own), **{"combo-code": "8480-6"}) == ["1"]


def test_the_address_of_a_later_page_says_nothing() -> None:
    first = page(observation("1"), own="http://h.example/r4/Observation?combo-code=8480-6")
    first["link"].append({"relation": "next", "url": "Observation?page=2"})
    second = page(observation("2"), own="http://h.example/r4/Observation?page=2")
    with scripted(Reply(body=first), Reply(body=second)) as script, FhirServer(script.url) as server:
        assert [one["id"] for one in server.search("Observation", {"combo-code": "8480-6"})] == ["1", "2"]


def test_a_simple_one_that_was_ignored_is_only_checked_again() -> None:
    own = "http://h.example/r4/Observation"
    body = page(observation("1"), observation("2", status="cancelled"), own=own)
    assert found(body, status="final") == ["1"]


@pytest.mark.parametrize(
    "issue",
    [
        {"severity": "warning", "code": "not-supported", "diagnostics": "Parameter combo-code is not supported"},
        {"severity": "information", "details": {"text": "ignored 'combo-code'"}},
        {"severity": "warning", "location": ["http.combo-code"]},
    ],
)
def test_a_server_that_warns_about_a_parameter(issue: dict[str, Any]) -> None:
    with pytest.raises(MeasurementError, match="the server ignored the search parameter 'combo-code'"):
        found(page(observation("1"), issues=[issue]), **{"combo-code": "8480-6"})


def test_a_warning_about_something_else_is_none() -> None:
    issue = {"severity": "warning", "diagnostics": "the result may be incomplete; combo-codes are new"}
    assert found(page(observation("1"), issues=[issue]), **{"combo-code": "8480-6"}) == ["1"]


def test_an_error_that_comes_with_an_answer_breaks_the_measurement() -> None:
    issue = {"severity": "error", "diagnostics": "shard 3 is down, asked for 8480-6"}
    with pytest.raises(MeasurementError, match=r"an error with its answer: shard 3 is down, asked for …$"):
        found(page(observation("1"), issues=[issue]), **{"combo-code": "8480-6"})
