"""FHIR servers that do things in their own way: what is taken as an answer, and what breaks the measurement."""

import gzip
import json
from typing import Any

import httpx
import pytest

from assay.adapters.sources.fhir import FhirServer
from assay.adapters.sources.json_requests import RequestLimits
from assay.core.errors import MeasurementError
from tests.servers.scripted_server import Reply, scripted

LIMITS = RequestLimits(deadline_sec=60, timeout_sec=60, first_pause_sec=0.01, longest_pause_sec=0.05)
CAPABLE = Reply(200, {"resourceType": "CapabilityStatement"})
OUTCOME = {"resourceType": "OperationOutcome", "issue": [{"severity": "error", "code": "not-found"}]}


def patient(identity: str | None) -> dict[str, Any]:
    return {"resourceType": "Patient"} | ({} if identity is None else {"id": identity})


def page(*entries: dict[str, Any], following: str | None = None) -> dict[str, Any]:
    link = [{"relation": "self", "url": "x"}] + ([{"relation": "next", "url": following}] if following else [])
    return {"resourceType": "Bundle", "type": "searchset", "link": link, "entry": list(entries)}


@pytest.mark.parametrize(
    ("replies", "asked"),
    [
        ([Reply(404, OUTCOME)], ["/r4/Patient/1"]),
        ([Reply(410, b"")], ["/r4/Patient/1"]),
        ([Reply(404, b""), CAPABLE], ["/r4/Patient/1", "/r4/metadata"]),
        ([Reply(404, b"<html>not found</html>"), CAPABLE], ["/r4/Patient/1", "/r4/metadata"]),
    ],
)
def test_a_fhir_server_has_no_such_resource(replies: list[Reply], asked: list[str]) -> None:
    with scripted(*replies) as script, FhirServer(script.url, limits=LIMITS) as server:
        assert server.read("Patient", "1") is None
    assert script.asked == asked


@pytest.mark.parametrize(
    "metadata",
    [Reply(404, b""), Reply(200, {"resourceType": "Patient"}), Reply(401, OUTCOME), Reply(404, OUTCOME)],
)
def test_a_404_of_something_else_is_no_evidence_that_there_is_none(metadata: Reply) -> None:
    with (
        scripted(Reply(404, b"<html>"), metadata) as script,
        FhirServer(script.url, limits=LIMITS) as server,
        pytest.raises(MeasurementError, match="has no FHIR metadata at this base URL"),
    ):
        server.read("Patient", "1")


def test_that_it_is_a_fhir_server_is_asked_once() -> None:
    with scripted(Reply(404, b""), CAPABLE, Reply(404, b"")) as script, FhirServer(script.url) as server:
        assert [server.read("Patient", one) for one in "123"] == [None, None, None]
    assert script.asked == ["/r4/Patient/1", "/r4/metadata", "/r4/Patient/2", "/r4/Patient/3"]


WARNING = {"resourceType": "OperationOutcome", "issue": [{"severity": "warning", "code": "incomplete"}]}


@pytest.mark.parametrize(
    ("bundle", "ids"),
    [
        (page({"resource": patient("1")}, {"resource": patient("1")}), ["1"]),
        (page({"resource": patient(None)}, {"resource": patient(None)}), [None, None]),
        (page({"resource": patient("1"), "search": {"mode": "include"}}), []),
        (page({"resource": WARNING, "search": {"mode": "outcome"}}, {"resource": patient("1")}), ["1"]),
        (page({"resource": {"resourceType": "Group", "id": "1"}}, {"resource": patient("2")}), ["2"]),
        (page({"fullUrl": "urn:1"}, {"resource": None}, {}), []),
        ({"resourceType": "Bundle", "type": "searchset"}, []),
    ],
)
def test_matches(bundle: dict[str, Any], ids: list[str | None]) -> None:
    body = gzip.compress(json.dumps(bundle).encode())
    with scripted(Reply(200, body, {"Content-Encoding": "gzip"})) as script, FhirServer(script.url) as server:
        assert [one.get("id") for one in server.search("Patient", {})] == ids


@pytest.mark.parametrize("following", ["?page=2", "Patient?page=2", "/r4/Patient?page=2", "/r4?page=2"])
def test_a_link_may_be_relative(following: str) -> None:
    replies = [Reply(200, page({"resource": patient("1")}, following=following))]
    replies.append(Reply(200, page({"resource": patient("2")})))
    with scripted(*replies) as script, FhirServer(script.url, limits=LIMITS) as server:
        assert [one.get("id") for one in server.search("Patient", {})] == ["1", "2"]
    assert script.asked[1].endswith("?page=2")


@pytest.mark.parametrize(
    ("base", "following", "asked"),
    [
        ("https://h.example/r4", "http://h.example/r4?page=2", "https://h.example/r4?page=2"),
        ("https://h.example:8443/r4", "http://h.example/r4?page=2", "https://h.example:8443/r4?page=2"),
        ("https://h.example/r4", "http://h.example:8080/r4?page=2", None),
        ("https://h.example/r4", "http://other.example/r4?page=2", None),
        ("http://h.example/r4", "https://h.example/r4?page=2", None),
    ],
)
def test_a_link_of_a_server_that_does_not_know_that_it_is_encrypted(
    base: str, following: str, asked: str | None
) -> None:
    """It is asked as encrypted as the base URL is, and never anybody else."""
    with FhirServer(base) as server:
        try:
            found = str(server._next(httpx.URL(f"{base}/Patient"), page(following=following), "it"))
        except MeasurementError:
            found = None
    assert found == asked


def test_resources_of_any_shape_break_no_search() -> None:
    """An id that is a list, and lists in lists where a name should be."""
    nested: Any = "Smith"
    for _ in range(400):
        nested = [nested]
    odd = [{"resourceType": "Patient", "id": ["a"]}, {"resourceType": "Patient", "id": "b", "name": nested}]
    reply = Reply(200, page(*({"resource": one} for one in odd)))
    with scripted(reply) as script, FhirServer(script.url, limits=LIMITS) as server:
        assert [one["id"] for one in server.search("Patient", {"family": "Smith"})] == ["b"]
        assert [one["id"] for one in server.search("Patient", {})] == [["a"], "b"]
